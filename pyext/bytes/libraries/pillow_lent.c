/** Pixels that lie in another object's memory: in a mapped file, or in the
 * bytes given to Image.frombuffer(). */
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/pillow.h"

void
lg__pixels_borrow(lg__adapter_pass *pass, uint32_t node, PyObject *target,
                  uintptr_t low, uint64_t length, uint32_t text)
{
    const lg__shown_memory memory = {
        .address = (const void *)low,
        .length = length,
        .type = lg__pass_type(pass, "PIL.memory", LG_NONE),
        .text = text,
    };
    lg__exporter_add(pass, target, node, &memory);
}
