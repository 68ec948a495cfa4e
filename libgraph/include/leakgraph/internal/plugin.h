/**
 * Parts that not every program needs.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_PLUGIN_H
#define LEAKGRAPH_PLUGIN_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opens `file`, a bare name, for parts that not every program needs, where
 *  the loader looks for the caller, and returns the address of `symbol`. The
 *  file stays open, and another call is cheap. fork() in another thread waits
 *  meanwhile, for at most ten seconds. LG_EUNSUPPORTED: `what` cannot be
 * opened; the message ends with `remedy`, such as "install it (on Debian: apt
 * install
 *  ...)". The message has no remedy if the process forks for as long, or if a
 *  thread of its parent opened a library when this process was forked. */
lg_status lg_plugin_open(const char *file, const char *symbol, const char *what,
                         const char *remedy, void **out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
