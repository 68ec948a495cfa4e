/**
 * Serves HTTP by libmicrohttpd, in the caller's thread only.
 */
#ifndef LEAKGRAPH_HTTP_H
#define LEAKGRAPH_HTTP_H

#include "serve/request.h"

typedef struct lg__http lg__http;

/** Answers a question that the guard let in. *reply begins with zeros. */
typedef void lg__answerer(void *context, const lg__request *request,
                          lg__reply *reply);

/** Listens on the loopback only; `port` 0 takes any free port. Strings and
 *  context are the caller's and must stay. LG_EUNSUPPORTED says how to install
 *  the library; LG_EIO: the port is taken. */
lg_status lg__http_open(uint16_t port, const char *token, lg__answerer *answer,
                        void *context, lg__http **out, lg_error *err);
uint16_t lg__http_port(const lg__http *http);
/** Answers what has come, and waits up to so many milliseconds for more; a
 *  signal ends the wait. Returns false if the server broke. */
bool lg__http_turn(lg__http *http, int milliseconds);
/** Closes all connections, and the server. */
void lg__http_close(lg__http *http);

#endif
