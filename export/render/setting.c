// Reads numbers from the environment.

#include "render/setting.h"

#include <stdbool.h>
#include <stdlib.h>

unsigned
lg__render_setting(const char *variable, unsigned usual, unsigned most)
{
    const char *given = secure_getenv(variable);
    char *end;
    unsigned long number = given ? strtoul(given, &end, 10) : 0;
    bool fine =
        given && given[0] >= '0' && given[0] <= '9' && !*end && number <= most;
    return fine ? (unsigned)number : usual;
}
