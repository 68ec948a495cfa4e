/**
 * Who may ask the server, and what. The guard refuses all else before other
 * code sees it.
 */
#ifndef LEAKGRAPH_GUARD_H
#define LEAKGRAPH_GUARD_H

#include "serve/serve_private.h"

/** What a client sent, as the HTTP library read it. */
typedef struct lg__hello {
    const char *method;
    const char *path;
    const char *host;     /* NULL: not given */
    const char *length;   /* Content-Length, or NULL */
    const char *encoding; /* Transfer-Encoding, or NULL */
} lg__hello;

/** Returns 0, and in *page what follows the token in the path; or the HTTP
 *  status that refuses the request: 400, 403, 404, 405. The time that it takes
 *  does not tell how much of a token was right. */
unsigned lg__guard_check(const lg__hello *hello, const char *token,
                         const char **page);

#endif
