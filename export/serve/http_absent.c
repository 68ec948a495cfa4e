// Replaces the server in a build without libmicrohttpd.

#include "serve/serve_private.h"

#include <leakgraph/internal/writing.h>

lg_status
lg__http_open(uint16_t port, const char *token, lg__answerer *answer,
              void *context, lg__http **out, lg_error *err)
{
    (void)port;
    (void)token;
    (void)answer;
    (void)context;
    (void)out;
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "this build has no server: build leakgraph where "
                        "libmicrohttpd is (on Debian: apt install "
                        "libmicrohttpd-dev), or write a page with leakgraph "
                        "report");
}

uint16_t
lg__http_port(const lg__http *http)
{
    (void)http;
    return 0;
}

bool
lg__http_turn(lg__http *http, int milliseconds)
{
    (void)http;
    (void)milliseconds;
    return false;
}

void
lg__http_close(lg__http *http)
{
    (void)http;
}
