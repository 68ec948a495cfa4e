// The failed checks of a program, whichever of its files has them.
#include "test.h"

int test_failures;
const char *test_name = "";
