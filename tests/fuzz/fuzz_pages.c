// libFuzzer's entry point for what people look at: a report and every page of
// the explorer show any graph and any analysis that the reader accepts.
#include "exercise.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Pictures stay text: the renderer is a process of its own.
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer", 1);
    exercise_load(data, size, exercise_pages);
    return 0;
}
