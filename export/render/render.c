// Calls Graphviz in a process of its own, so that its crashes do not harm this
// one.

#include "render/exchange.h"
#include "render/find_renderer.h"
#include "render/kept_renderer.h"
#include "render/setting.h"

#include <leakgraph/render.h>

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define USUAL_SECONDS 60u
#define USUAL_MEBIBYTES 2048u
#define MOST (1u << 20)
/* A shell's exit status when there is no such program, or the program's
 * libraries are missing. */
#define DID_NOT_START 127
#define REMEDY "ask for fewer nodes, or save as .dot"
#define RAISE "raise the limit on virtual memory (ulimit -v), or save as .dot"

typedef struct limits {
    unsigned seconds;
    unsigned mebibytes;
    bool inherited; // the limit is that of this process
} limits;

struct lg_renderer {
    lg__worker worker;
    limits most;
    char format[16];
    char terms[PATH_MAX + 64]; // of lg__kept_put
    bool again;                // it has drawn before
    bool spent;                // it has drawn its one picture and ended
};

static limits
current_limits(void)
{
    limits most = {
        lg__render_setting("LEAKGRAPH_RENDER_SECONDS", USUAL_SECONDS, MOST),
        lg__render_setting("LEAKGRAPH_RENDER_MEBIBYTES", USUAL_MEBIBYTES, MOST),
        false};
    struct rlimit ours;
    if (getrlimit(RLIMIT_AS, &ours) == 0 && ours.rlim_cur != RLIM_INFINITY) {
        rlim_t mebibytes = ours.rlim_cur >> 20;
        if (most.mebibytes == 0 || mebibytes < most.mebibytes) {
            most.mebibytes =
                (unsigned)(mebibytes < UINT_MAX ? mebibytes : UINT_MAX);
            most.inherited = true;
        }
    }
    return most;
}

static lg_status
add_image(lg_text *out, const char *data, size_t length, lg_error *err)
{
    lg_text_add_bytes(out, data, length);
    return out->failed
               ? lg_error_set(err, LG_ENOMEM, "memory ran out while drawing")
               : LG_OK;
}

// The renderer said nothing, so its end must explain the failure.
static lg_status
tell_end(lg__ending ending, int code, const limits *most, lg_error *err)
{
    if (ending == LG__ENDED_EXIT && code == DID_NOT_START && most->inherited)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer does not start with %u MiB of "
                            "address space: " RAISE,
                            most->mebibytes);
    if (ending == LG__ENDED_EXIT && code == DID_NOT_START)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer does not start: install Graphviz (on "
                            "Debian: apt install graphviz) or save as .dot");
    if (ending == LG__ENDED_SIGNAL && (code == SIGXCPU || code == SIGALRM))
        return lg_error_set(err, LG_ERENDER,
                            "drawing took longer than %u s: " REMEDY,
                            most->seconds);
    const char *remedy = most->inherited ? RAISE : REMEDY;
    char memory[40] = "";
    if (most->mebibytes)
        snprintf(memory, sizeof memory, ", with %u MiB of memory at most",
                 most->mebibytes);
    if (ending == LG__ENDED_SIGNAL)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer ended with signal %d (%s)%s: %s",
                            code, strsignal(code), memory, remedy);
    if (ending == LG__ENDED_EXIT)
        return lg_error_set(err, LG_ERENDER,
                            "the renderer gave up with exit code %d and no "
                            "picture%s: %s",
                            code, memory, remedy);
    return lg_error_set(err, LG_ERENDER,
                        "the renderer ended without a picture: " REMEDY);
}

static lg_status
tell_outcome(lg__outcome outcome, lg__ending ending, int code,
             const limits *most, lg_error *err)
{
    switch (outcome) {
    case LG__REPLIED:
        return LG_OK;
    case LG__SILENT:
        return tell_end(ending, code, most, err);
    case LG__LATE:
        return lg_error_set(err, LG_ERENDER,
                            "drawing took longer than %u s: " REMEDY,
                            most->seconds);
    case LG__STOPPED:
        return lg_error_set(err, LG_ECANCELLED, "drawing was stopped");
    case LG__NO_ROOM:
        return lg_error_set(err, LG_ENOMEM, "memory ran out while drawing");
    case LG__GARBLED:
        break;
    }
    return lg_error_set(err, LG_ERENDER,
                        "the renderer answers nonsense: build leakgraph and "
                        "its leakgraph-render together, or save as .dot");
}

// The reply is complete: a picture, or a sentence.
static lg_status
take_reply(const lg__exchange *exchange, lg_text *out, lg_error *err)
{
    lg_status status = (lg_status)exchange->reply.status;
    if (status == LG_OK)
        return add_image(out, exchange->data, (size_t)exchange->reply.length,
                         err);
    return lg_error_set(err, status == LG_EINVAL ? LG_EINVAL : LG_ERENDER, "%s",
                        exchange->data);
}

// Takes the renderer that waits, unless a new one is wanted.
static lg_status
start(lg_renderer *self, const char *format, bool afresh, lg_error *err)
{
    char path[PATH_MAX], seconds[16], bytes[24], kept[16];
    self->most = current_limits();
    lg_status status = lg__renderer_find(path, err);
    if (status)
        return status;
    snprintf(kept, sizeof kept, "%u", lg__kept_seconds());
    snprintf(self->terms, sizeof self->terms, "%u %u %s %s", self->most.seconds,
             self->most.mebibytes, kept, path);
    self->again = !afresh && lg__kept_take(self->terms, &self->worker);
    if (self->again)
        return LG_OK;
    snprintf(seconds, sizeof seconds, "%u", self->most.seconds);
    snprintf(bytes, sizeof bytes, "%llu",
             (unsigned long long)self->most.mebibytes << 20);
    char *arguments[] = {path, (char *)(uintptr_t)format, seconds, bytes, kept,
                         NULL};
    return lg__worker_start(&self->worker, arguments, err);
}

// One that has drawn before does not know the format.
static lg__outcome
ask(const lg_renderer *self, lg__exchange *exchange)
{
    char line[sizeof self->format + 1];
    int length = snprintf(line, sizeof line, "%s\n", self->format);
    bool told = !self->again || send(self->worker.socket, line, (size_t)length,
                                     MSG_NOSIGNAL) == length;
    return told ? lg__exchange_run(exchange) : LG__SILENT;
}

// Ends the renderer, or lets it wait for the next picture.
static lg__ending
finish(lg_renderer *self, lg__exchange *exchange, lg__outcome outcome,
       int *code)
{
    lg__ending ending = LG__ENDED_UNKNOWN;
    self->spent = true;
    *code = 0;
    if (self->again && outcome == LG__REPLIED)
        lg__worker_leave(&self->worker);
    else
        ending = lg__worker_end(&self->worker, code);
    if (outcome == LG__REPLIED && exchange->kept[0] >= 0)
        lg__kept_put(exchange->kept, self->terms);
    return ending;
}

// One that has drawn before may fail for this reason alone.
static bool
deserves_another(const lg_renderer *self, const lg__exchange *exchange,
                 lg__outcome outcome)
{
    return self->again &&
           (outcome == LG__SILENT || outcome == LG__GARBLED ||
            (outcome == LG__REPLIED && exchange->reply.status != LG_OK));
}

static lg_status
draw(lg_renderer *self, lg__exchange *exchange, lg_text *out, lg_error *err)
{
    exchange->worker = &self->worker;
    exchange->seconds = self->most.seconds;
    lg__outcome outcome = ask(self, exchange);
    int code;
    lg__ending ending = finish(self, exchange, outcome, &code);
    if (deserves_another(self, exchange, outcome)) {
        free(exchange->data);
        exchange->data = NULL;
        lg_status status = start(self, self->format, true, err);
        return status ? status : draw(self, exchange, out, err);
    }
    lg_status status = tell_outcome(outcome, ending, code, &self->most, err);
    if (!status)
        status = take_reply(exchange, out, err);
    free(exchange->data);
    return status;
}

static bool
is_text(const char *format)
{
    return !strcmp(format, "dot") || !strcmp(format, "gv");
}

lg_renderer *
lg_renderer_start(const char *format)
{
    lg_renderer *self = NULL;
    if (!is_text(format) && strlen(format) < sizeof self->format)
        self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    strcpy(self->format, format);
    if (!start(self, format, false, NULL))
        return self;
    free(self);
    return NULL;
}

void
lg_renderer_end(lg_renderer *self)
{
    int code;
    if (self && !self->spent)
        lg__worker_end(&self->worker, &code);
    free(self);
}

lg_status
lg_renderer_draw(lg_renderer *early, const char *dot, const char *format,
                 const lg_monitor *monitor, lg_text *out, lg_error *err)
{
    if (is_text(format))
        return add_image(out, dot, strlen(dot), err);
    lg_renderer late = {.spent = false};
    snprintf(late.format, sizeof late.format, "%s", format);
    lg__exchange exchange = {
        .dot = dot, .dot_length = strlen(dot), .monitor = monitor};
    if (early && !early->spent && !strcmp(early->format, format))
        return draw(early, &exchange, out, err);
    lg_status status = start(&late, format, false, err);
    return status ? status : draw(&late, &exchange, out, err);
}

lg_status
lg_render(const char *dot, const char *format, const lg_monitor *monitor,
          lg_text *out, lg_error *err)
{
    return lg_renderer_draw(NULL, dot, format, monitor, out, err);
}
