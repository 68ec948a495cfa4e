/**
 * What the command serves: the explorer of one snapshot, by HTTP, to those who
 * know its token.
 */
#ifndef LEAKGRAPH_SERVE_PRIVATE_H
#define LEAKGRAPH_SERVE_PRIVATE_H

#include <leakgraph/internal/page.h>

typedef struct lg__server lg__server;
typedef struct lg__http lg__http;
typedef struct lg__request lg__request;
typedef struct lg__reply lg__reply;

/* Hexadecimal digits of a token: 128 bits. */
#define LG__TOKEN_LENGTH 32

/** Makes a new random token. False: the system has no random numbers. */
bool lg__token_new(char token[LG__TOKEN_LENGTH + 1]);

// Pages.

/** Makes the first page, and what all pages share. This costs O(nodes + edges)
 *  many times. The caller keeps the analysis, the options' strings and the
 *  monitor alive. */
lg_status lg__server_new(const lg_analysis *analysis,
                         const lg_page_options *options,
                         const lg_monitor *monitor, lg__server **out,
                         lg_error *err);
void lg__server_free(lg__server *server);
/** An lg__answerer; the context is the server. */
void lg__server_answer(void *server, const lg__request *request,
                       lg__reply *reply);

/** Starts the threads, which also make the tables in advance. Without threads,
 *  a request waits for its page. False: the system has no threads. */
bool lg__server_start(lg__server *server);

// HTTP, by libmicrohttpd, in the thread of the caller only.

/** Answers a question that the guard let in. *reply begins with zeros. */
typedef void lg__answerer(void *context, const lg__request *request,
                          lg__reply *reply);

/** Listens on the loopback only; `port` 0 takes any free port. Strings and
 *  context are the caller's and must stay. LG_EUNSUPPORTED says how to install
 *  the library; LG_EIO: the port is taken. */
lg_status lg__http_open(uint16_t port, const char *token, lg__answerer *answer,
                        void *context, lg__http **out, lg_error *err);
uint16_t lg__http_port(const lg__http *http);
/** Answers what has come, and waits up to that many milliseconds for more; a
 *  signal ends the wait. Returns false if the server broke. */
bool lg__http_turn(lg__http *http, int milliseconds);
/** Closes all connections, and the server. */
void lg__http_close(lg__http *http);

#endif
