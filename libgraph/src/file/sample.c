// Finds from samples of a column how long it is in an encoding.
#include "file/writer.h"

#include <stdlib.h>

// Turns the ends of blocks in the file into the lengths of what they stand for.
static void
scale(uint64_t *ends, uint64_t begin, uint64_t count)
{
    uint64_t sampled = 0;
    for (uint64_t at = 0; at < count; at += LG__SAMPLE_ELEMENTS) {
        uint64_t left = count - at;
        sampled += lg__block_count(count, at);
        uint64_t stands =
            at + (left < LG__SAMPLE_ELEMENTS ? left : LG__SAMPLE_ELEMENTS);
        uint64_t *end = &ends[at / LG__SAMPLE_ELEMENTS];
        *end = (uint64_t)((double)(*end - begin) / (double)sampled *
                          (double)stands);
    }
}

lg_status
lg__sample(lg__writer *out, const lg__coding *of, uint64_t **lengths,
           lg_error *err)
{
    uint64_t count = out->arrays[of->name].count;
    size_t groups =
        (size_t)((count + LG__SAMPLE_ELEMENTS - 1) / LG__SAMPLE_ELEMENTS);
    uint64_t begin = out->sink.offset;
    lg__coding coding = *of;
    coding.ends = lg__wide_alloc((groups + 1) * sizeof *coding.ends);
    if (coding.ends == NULL)
        return lg__error_memory(err);
    lg_status status = lg__encode(out, &coding, err);
    if (status == LG_OK) {
        coding.ends[groups - 1] = out->sink.offset;
        scale(coding.ends, begin, count);
        status = lg__sink_rewind(&out->sink, begin, err);
    }
    if (status == LG_OK)
        *lengths = coding.ends;
    else
        lg__wide_free(coding.ends);
    return status;
}
