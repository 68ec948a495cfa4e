/**
 * The version of leakgraph. The build, the packages and Python take theirs from
 * this file.
 */
#ifndef LEAKGRAPH_VERSION_H
#define LEAKGRAPH_VERSION_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LG_VERSION_MAJOR 0
#define LG_VERSION_MINOR 1
#define LG_VERSION_PATCH 0

/** The version as a number that grows: 100 for 0.1.0, 10203 for 1.2.3. */
#define LG_VERSION_NUMBER                                                      \
    (LG_VERSION_MAJOR * 10000 + LG_VERSION_MINOR * 100 + LG_VERSION_PATCH)

#define LG_VERSION_JOIN_(major, minor, patch) #major "." #minor "." #patch
#define LG_VERSION_JOIN(major, minor, patch)                                   \
    LG_VERSION_JOIN_(major, minor, patch)
/** The version as text: "0.1.0". */
#define LG_VERSION                                                             \
    LG_VERSION_JOIN(LG_VERSION_MAJOR, LG_VERSION_MINOR, LG_VERSION_PATCH)

/** The version of the library that the program runs with, as LG_VERSION has it;
 *  LG_VERSION is that of the header that the program was compiled with. */
LG_API const char *lg_version(void);

#ifdef __cplusplus
}
#endif

#endif
