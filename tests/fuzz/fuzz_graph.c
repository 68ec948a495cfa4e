// libFuzzer's entry for the reader: whatever the bytes are, a graph comes out
// that every function can use, or an error.
#include "exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exercise_load(data, size, exercise_graph);
    return 0;
}
