// Serves pages by libmicrohttpd. Opens the library on demand, because machines
// without it can do all else. Knows nothing of the questions.

#include "serve/connections.h"
#include "serve/request.h"
#include "serve/serve_private.h"
#include "serve/guard.h"

#include <leakgraph/internal/plugin.h>
#include <leakgraph/internal/writing.h>

#include <microhttpd.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* A request line with all headers; how long a client may not read its answer.
 */
enum { MOST_BYTES = 32768, IDLE_SECONDS = 10 };

typedef struct library {
    __typeof__(&MHD_start_daemon) start;
    __typeof__(&MHD_stop_daemon) stop;
    __typeof__(&MHD_run_wait) run_wait;
    __typeof__(&MHD_get_daemon_info) info;
    __typeof__(&MHD_get_connection_info) connection_info;
    __typeof__(&MHD_lookup_connection_value) lookup;
    __typeof__(&MHD_get_connection_values) values;
    __typeof__(&MHD_create_response_from_buffer) respond;
    __typeof__(&MHD_add_response_header) add_header;
    __typeof__(&MHD_queue_response) queue;
    __typeof__(&MHD_destroy_response) destroy;
} library;

struct lg__http {
    library mhd;
    struct MHD_Daemon *daemon;
    const char *token;
    lg__answerer *answer;
    void *context;
    uint16_t port;
    lg__connections connections;
};

static lg_status
open_library(library *mhd, lg_error *err)
{
    const struct {
        const char *name;
        void *slot;
    } functions[] = {
        {"MHD_start_daemon", &mhd->start},
        {"MHD_stop_daemon", &mhd->stop},
        {"MHD_run_wait", &mhd->run_wait},
        {"MHD_get_daemon_info", &mhd->info},
        {"MHD_get_connection_info", &mhd->connection_info},
        {"MHD_lookup_connection_value", &mhd->lookup},
        {"MHD_get_connection_values", &mhd->values},
        {"MHD_create_response_from_buffer", &mhd->respond},
        {"MHD_add_response_header", &mhd->add_header},
        {"MHD_queue_response", &mhd->queue},
        {"MHD_destroy_response", &mhd->destroy},
    };
    lg_status status = LG_OK;
    for (size_t i = 0;
         i < sizeof functions / sizeof *functions && status == LG_OK; i++) {
        void *found = NULL;
        status = lg_plugin_open(
            LEAKGRAPH_HTTP_LIBRARY, functions[i].name,
            "libmicrohttpd, which serves pages,",
            "install it (on Debian: apt install libmicrohttpd12), or write a "
            "page with leakgraph report",
            &found, err);
        memcpy(functions[i].slot, &found, sizeof found);
    }
    return status;
}

// Pages load styles, scripts, pictures and answers from this server alone, and
// no other page can embed them.
static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
     "connect-src 'self'; form-action 'self'; base-uri 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
};

static bool
add_headers(const library *mhd, struct MHD_Response *response,
            const lg__reply *reply)
{
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%u", reply->again);
    const char *const own[][2] = {
        {"Content-Type", reply->type},
        {"Cache-Control",
         reply->lasting ? "private, max-age=86400" : "no-store"},
        {"Location", reply->location},
        {"Refresh", reply->again > 0 ? seconds : NULL},
        {"Allow", reply->status == 405 ? "GET" : NULL},
    };
    bool fine = true;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        fine = fine && mhd->add_header(response, headers[i][0], headers[i][1]);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        fine = fine &&
               (!own[i][1] || mhd->add_header(response, own[i][0], own[i][1]));
    return fine;
}

static uint64_t
milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void
note_connection(void *context, struct MHD_Connection *connection, void **state,
                enum MHD_ConnectionNotificationCode code)
{
    lg__http *http = context;
    const union MHD_ConnectionInfo *info = http->mhd.connection_info(
        connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED && info)
        *state = lg__connections_add(&http->connections, info->connect_fd,
                                     milliseconds_now());
    else if (code == MHD_CONNECTION_NOTIFY_CLOSED && *state)
        lg__connections_remove(&http->connections, *state);
}

static void
note_asking(const lg__http *http, struct MHD_Connection *connection,
            bool is_asking)
{
    const union MHD_ConnectionInfo *info = http->mhd.connection_info(
        connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    lg__connection *noted = info ? info->socket_context : NULL;
    if (!noted)
        return;
    noted->is_asking = is_asking;
    noted->since = milliseconds_now();
}

static void
note_end_of_answer(void *context, struct MHD_Connection *connection,
                   void **state, enum MHD_RequestTerminationCode code)
{
    (void)state;
    (void)code;
    note_asking(context, connection, true);
}

// The library closes a connection whose socket is shut down.
static void
end_connections(lg__http *http)
{
    int socket;
    uint64_t now = milliseconds_now();
    while ((socket = lg__connections_end_one(&http->connections, now)) >= 0)
        shutdown(socket, SHUT_RDWR);
}

static enum MHD_Result
send_reply(const lg__http *http, struct MHD_Connection *connection,
           const lg__reply *reply)
{
    const library *mhd = &http->mhd;
    void *body = reply->body.data ? reply->body.data : "";
    struct MHD_Response *response =
        mhd->respond(reply->body.length, body, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    // Sends no page without its policy.
    enum MHD_Result result =
        add_headers(mhd, response, reply)
            ? mhd->queue(connection, reply->status, response)
            : MHD_NO;
    note_asking(http, connection, false);
    mhd->destroy(response);
    return result;
}

static enum MHD_Result
refuse(const lg__http *http, struct MHD_Connection *connection, unsigned status)
{
    const char *why = status == 405 ? "This server answers only GET requests.\n"
                      : status == 404 ? "There is no such page.\n"
                      : status == 403
                          ? "Ask for this page by the name localhost.\n"
                          : "The server does not understand this request.\n";
    lg__reply reply = {.status = status, .type = "text/plain; charset=utf-8"};
    lg_text_add(&reply.body, why);
    enum MHD_Result result = send_reply(http, connection, &reply);
    lg_text_free(&reply.body);
    return result;
}

typedef struct taken {
    lg__request request;
    bool too_many;
} taken;

static enum MHD_Result
take_pair(void *context, enum MHD_ValueKind kind, const char *name,
          const char *value)
{
    taken *into = context;
    (void)kind;
    into->too_many |= into->request.count == LG__MOST_PAIRS;
    if (!into->too_many)
        into->request.pairs[into->request.count++] =
            (lg__pair){name, value ? value : ""};
    return into->too_many ? MHD_NO : MHD_YES;
}

static enum MHD_Result
ask(const lg__http *http, struct MHD_Connection *connection, const char *page)
{
    taken into = {.request = {.page = page}};
    lg__reply reply = {0};
    http->mhd.values(connection, MHD_GET_ARGUMENT_KIND, take_pair, &into);
    if (into.too_many)
        return refuse(http, connection, 400);
    http->answer(http->context, &into.request, &reply);
    enum MHD_Result result =
        reply.body.failed ? MHD_NO : send_reply(http, connection, &reply);
    lg_text_free(&reply.body);
    return result;
}

// The library calls this once after the headers, and again after the request.
// Refuses at once, without reading the body.
static enum MHD_Result
handle(void *context, struct MHD_Connection *connection, const char *url,
       const char *method, const char *version, const char *data, size_t *size,
       void **state)
{
    static char begun;
    const lg__http *http = context;
    const library *mhd = &http->mhd;
    const char *page = "";
    (void)version;
    (void)data;
    (void)size;
    lg__hello hello = {
        method, url, mhd->lookup(connection, MHD_HEADER_KIND, "Host"),
        mhd->lookup(connection, MHD_HEADER_KIND, "Content-Length"),
        mhd->lookup(connection, MHD_HEADER_KIND, "Transfer-Encoding")};
    unsigned refused = lg__guard_check(&hello, http->token, &page);
    if (refused)
        return refuse(http, connection, refused);
    if (!*state) {
        *state = &begun;
        return MHD_YES;
    }
    return ask(http, connection, page);
}

static bool
listen_on(lg__http *http, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    // By epoll, the library misses the end of a client that sends its last
    // bytes before the library accepts it.
    http->daemon = http->mhd.start(
        MHD_NO_FLAG, port, NULL, NULL, handle, http, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)MOST_BYTES, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)LG__CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, note_connection,
        http, MHD_OPTION_NOTIFY_COMPLETED, note_end_of_answer, http,
        MHD_OPTION_END);
    if (!http->daemon)
        return false;
    const union MHD_DaemonInfo *info =
        http->mhd.info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
    http->port = info ? info->port : port;
    return http->port != 0;
}

lg_status
lg__http_open(uint16_t port, const char *token, lg__answerer *answer,
              void *context, lg__http **out, lg_error *err)
{
    lg__http *http = calloc(1, sizeof *http);
    if (!http)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    *http = (lg__http){.token = token, .answer = answer, .context = context};
    lg__connections_begin(&http->connections);
    lg_status status = open_library(&http->mhd, err);
    errno = 0;
    if (status == LG_OK && !listen_on(http, port))
        status = lg_error_set(err, LG_EIO,
                              "cannot listen on port %u of 127.0.0.1: %s: "
                              "choose another --port, or leave it out",
                              port, strerror(errno));
    if (status)
        lg__http_close(http);
    else
        *out = http;
    return status;
}

uint16_t
lg__http_port(const lg__http *http)
{
    return http->port;
}

bool
lg__http_turn(lg__http *http, int milliseconds)
{
    end_connections(http);
    return http->mhd.run_wait(http->daemon, milliseconds) == MHD_YES;
}

void
lg__http_close(lg__http *http)
{
    if (!http)
        return;
    if (http->daemon)
        http->mhd.stop(http->daemon);
    free(http);
}
