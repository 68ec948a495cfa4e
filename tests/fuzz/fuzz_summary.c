// libFuzzer's entry point for summaries: any bytes give an error, or a summary
// that can be compared.
#include "exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exercise_summary(data, size);
    return 0;
}
