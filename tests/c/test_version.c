// The header, the library and the build have the same version.
#include "test.h"

#include <leakgraph/version.h>

SUITE(version)
{
    (void)argc;
    (void)argv;
    CHECK(strcmp(lg_version(), LG_VERSION) == 0);
    CHECK(strcmp(lg_version(), BUILT_VERSION) == 0);

    char parts[32];
    snprintf(parts, sizeof parts, "%d.%d.%d", LG_VERSION_NUMBER / 10000,
             LG_VERSION_NUMBER / 100 % 100, LG_VERSION_NUMBER % 100);
    CHECK(strcmp(parts, LG_VERSION) == 0);
    return test_result();
}
