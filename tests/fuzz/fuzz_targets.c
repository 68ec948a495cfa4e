// libFuzzer's entry point for the codes of targets, which the reader of files
// sees only behind a checksum of what they become.
#include "exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exercise_targets(data, size);
    return 0;
}
