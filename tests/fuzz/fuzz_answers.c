// libFuzzer's entry point for all verbs: a file that the reader accepts may
// hold any graph and any analysis, and every call returns an answer or an
// error.
#include "exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exercise_load(data, size, exercise_answers);
    return 0;
}
