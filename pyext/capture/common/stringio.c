#include "capture/cpython/capture_cpython.h"
#include "capture/common/stringio.h"

bool
lg__stringio_is_known(const PyTypeObject *type)
{
    return lg__stringio_has_layout(type);
}

lg__stringio_parts
lg__stringio_read(const PyObject *object)
{
    const lg__stringio *stream = (const lg__stringio *)object;
    lg__stringio_parts parts = {
        .buffer = stream->characters,
        .bytes = stream->room * (uint64_t)sizeof *stream->characters,
    };
    lg__stringio_text_of(stream, parts.objects);
    return parts;
}
