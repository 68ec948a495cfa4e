// The verb `view`: serves pages about one snapshot to a browser of this machine
// until Ctrl-C.

#include "command/comparison.h"
#include "serve/serve_private.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/writing.h>

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where no signal ends the wait, Ctrl-C takes at most this long. */
#define TURN_MILLISECONDS 250

extern char **environ;

typedef struct viewing {
    lg__server *server;
    char token[LG__TOKEN_LENGTH + 1];
    char url[128];
    char file[512]; /* leads the browser to the URL; "": there is none */
    pid_t browser;  /* opens the URL; 0: it has ended, or never began */
} viewing;

static void
forget_file(viewing *state)
{
    if (*state->file)
        unlink(state->file);
    *state->file = '\0';
}

// Other users can read the arguments of a process, and the URL is secret: the
// browser gets the URL from a file that only the user can read.
static bool
write_file(viewing *state)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    folder = folder && *folder ? folder : getenv("TMPDIR");
    int length =
        snprintf(state->file, sizeof state->file, "%s/leakgraph-XXXXXX.html",
                 folder && *folder ? folder : "/tmp");
    int file = length > 0 && (size_t)length < sizeof state->file
                   ? mkstemps(state->file, 5)
                   : -1;
    if (file < 0) {
        *state->file = '\0';
        return false;
    }
    bool written = dprintf(file,
                           "<!DOCTYPE html><meta charset=\"utf-8\">"
                           "<meta http-equiv=\"refresh\" content=\"0;url=%s\">"
                           "<title>leakgraph</title><a href=\"%s\">%s</a>\n",
                           state->url, state->url, state->url) > 0;
    close(file);
    return written;
}

// Starts the opener in a session of its own, so that Ctrl-C ends the server and
// leaves the browser alone.
static bool
start_browser(viewing *state, const posix_spawn_file_actions_t *actions)
{
    static char program[] = "xdg-open";
    char *const words[] = {program, state->file, NULL};
    posix_spawnattr_t attributes;
    if (posix_spawnattr_init(&attributes))
        return false;
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    bool started = !posix_spawnp(&state->browser, program, actions, &attributes,
                                 words, environ);
    posix_spawnattr_destroy(&attributes);
    return started;
}

// Opens the browser of a desktop. Users without one read the URL.
static void
open_browser(viewing *state)
{
    posix_spawn_file_actions_t actions;
    if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) ||
        !write_file(state) || posix_spawn_file_actions_init(&actions))
        return;
    for (int stream = 0; stream < 3; stream++)
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR,
                                         0);
    if (!start_browser(state, &actions)) {
        state->browser = 0;
        forget_file(state);
    }
    posix_spawn_file_actions_destroy(&actions);
}

// Answers what comes within one turn. Returns false if the server broke.
static bool
take_turn(viewing *state, lg__http *http)
{
    bool fine = lg__http_turn(http, TURN_MILLISECONDS);
    if (state->browser && waitpid(state->browser, NULL, WNOHANG))
        state->browser = 0;
    return fine;
}

static void
answer(void *context, const lg__request *request, lg__reply *reply)
{
    viewing *state = context;
    forget_file(state);
    lg__server_answer(state->server, request, reply);
    lg__progress_end();
}

static int
serve(const lg__arguments *arguments, viewing *state)
{
    lg_error error = {0};
    lg__http *http = NULL;
    bool fine = true;
    lg_status status = lg__http_open((uint16_t)arguments->port, state->token,
                                     answer, state, &http, &error);
    if (status) {
        int code = lg__fail(&error);
        return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
    }
    snprintf(state->url, sizeof state->url, "http://127.0.0.1:%u/%s/",
             lg__http_port(http), state->token);
    if (printf("%s\n", state->url) < 0 || fflush(stdout)) {
        lg__complain("cannot print the address of the page");
        lg__http_close(http);
        return LG__EXIT_INCOMPLETE;
    }
    lg__signals_watch_ends();
    // Without threads, clients wait for their pages.
    (void)lg__server_start(state->server);
    fprintf(stderr, "leakgraph: Ctrl-C ends the server\n");
    if (!arguments->no_browser)
        open_browser(state);
    while (fine && !lg__interrupted())
        fine = take_turn(state, http);
    if (!fine && !lg__interrupted())
        lg__complain("the server broke: start it again");
    forget_file(state);
    lg__http_close(http);
    return fine || lg__interrupted() ? LG__EXIT_FINE : LG__EXIT_INCOMPLETE;
}

static int
view(const lg__arguments *arguments, const lg_analysis *analysis,
     const lg_page_options *options)
{
    viewing state = {0};
    lg_error error = {0};
    if (!lg__token_new(state.token)) {
        lg__complain("the system has no random numbers for the address of the "
                     "page");
        return LG__EXIT_INCOMPLETE;
    }
    lg_status status =
        lg__server_new(analysis, options, lg__monitor(), &state.server, &error);
    lg__progress_end();
    int code = status ? lg__fail(&error) : serve(arguments, &state);
    lg__server_free(state.server);
    return code;
}

static int
view_one(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.title = lg__file_name(arguments->words[0]);
    if (!lg__open_analysed(arguments->words[0], &graph, &analysis, &code))
        return code;
    code = view(arguments, analysis, &options);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}

static int
view_several(const lg__arguments *arguments)
{
    int code = LG__EXIT_USAGE;
    lg__compared_files state = {.arguments = arguments,
                                .count = (size_t)arguments->word_count};
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    if (lg__comparison_page(&state, &options, &code)) {
        options.title = options.name;
        code = view(arguments, state.analysis, &options);
    }
    lg__comparison_end(&state);
    return code;
}

/* Whoever sees no progress learns what takes so long from this many objects
 * on, which take a second or two. */
enum { MANY_OBJECTS = 500000 };

static void
say_loading(const lg__arguments *arguments)
{
    const int count = arguments->word_count;
    uint64_t objects = 0;
    lg_text said = {0};
    for (int i = 0; i < count && !lg__progress_is_seen(); i++)
        if (strcmp(arguments->words[i], "-"))
            objects +=
                lg_report_info_objects(arguments->words[i], LG_LOAD_MAPPED);
    if (objects < MANY_OBJECTS)
        return;
    lg_text_addf(&said, "leakgraph: loading %d snapshot%s, ", count,
                 count == 1 ? "" : "s");
    lg_text_add_count(&said, objects);
    lg_text_add(&said, " objects\n");
    if (!said.failed)
        fputs(said.data, stderr);
    lg_text_free(&said);
}

static int
verb_view(const lg__arguments *arguments)
{
    say_loading(arguments);
    return arguments->word_count == 1 ? view_one(arguments)
                                      : view_several(arguments);
}

const lg__verb lg__verb_view = {
    .name = "view",
    .run = verb_view,
    .options = "NOp",
    .words = 1,
    .more_words = LG__ANY_WORDS,
    .summary = "browse snapshots, with a page for each object",
    .usage =
        "leakgraph view SNAP [NEWER ...] [--steps A,B,...] [--no-browser]\n"
        "       [--port N]",
    .help =
        "Serves pages about the snapshot to the browser of this machine, and\n"
        "opens it: the page of `report`, a search by words or selectors, a "
        "page\n"
        "for each object with all references to it and from it, tables to "
        "group\n"
        "and filter, and what would die if you cut references. With several\n"
        "snapshots of one program, or their summaries, the pages are about "
        "the\n"
        "newest, and say what has grown since the first. The address contains\n"
        "a secret, and the server answers only requests from this machine "
        "that\n"
        "know it. To open the pages elsewhere, forward the port with\n"
        "ssh -L 8000:127.0.0.1:8000. Ctrl-C ends the server.\n"
        "\n"
        "Example:\n"
        "  leakgraph view run.lgs\n"
        "  leakgraph view a.lgs b.lgs c.lgs --steps 100,200,300\n"
        "  leakgraph view run.lgs --no-browser --port 8000\n",
};
