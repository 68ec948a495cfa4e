// The version with which the library was compiled.

#include <leakgraph/version.h>

const char *
lg_version(void)
{
    return LG_VERSION;
}
