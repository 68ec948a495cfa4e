/**
 * Pixels that lie in another object's memory: a mapped file's, a bytes object's
 * that Image.frombuffer() was given.
 */
#include "bytes/common/exporter.h"
#include "bytes/libraries/pillow.h"

void
lg_pixels_borrow(lg_survey *survey, uint32_t node, PyObject *target,
                 uintptr_t low, uint64_t length, uint32_t text)
{
    const lg_memory memory = {
        .address = (const void *)low,
        .length = length,
        .type = lg_survey_type(survey, "PIL.memory", LG_NONE),
        .text = text,
    };
    lg_exporter_add(survey, target, node, &memory);
}
