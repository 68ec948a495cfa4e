// libFuzzer's entry point for the reader: any bytes give an error, or a graph
// that every function can use.
#include "exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exercise_load(data, size, exercise_graph);
    return 0;
}
