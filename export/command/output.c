// What the reader sees. Answers fit the width of a terminal, are coloured
// there, and long ones go through a pager. Anywhere else they are as the
// library writes them, unless COLUMNS says how wide they should be. The
// standard error has what is said meanwhile: how far long work is, and
// complaints. There is at most one line of progress, the last one, and whatever
// else is written there clears it first.
#include "command/command.h"
#include "render/render_private.h"

#include <leakgraph/internal/layout.h>
#include <leakgraph/internal/renderers.h>
#include <leakgraph/internal/wording.h>

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Whether the line of progress stands there.
static bool is_shown;

bool
lg__progress_is_seen(void)
{
    return isatty(STDERR_FILENO);
}

static void
show(const char *phase, double done)
{
    static double start, last;
    double now = lg__seconds_now();
    if (start <= 0)
        start = now;
    if (now - start < 1 || now - last < 0.1 || !lg__progress_is_seen())
        return;
    last = now;
    is_shown = true;
    fprintf(stderr, "\r\033[K%s %.0f %%", phase, 100 * done);
}

static bool
tick(void *context, const char *phase, double done)
{
    (void)context;
    show(phase, done);
    return !lg__interrupted();
}

const lg_monitor *
lg__monitor(void)
{
    static const lg_monitor monitor = {tick, NULL};
    return &monitor;
}

void
lg__progress_end(void)
{
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}

void
lg__progress_tell(const lg_text *lines, const char *next)
{
    lg_text fit = {0};
    unsigned columns = lg_layout_columns();
    if (columns > 0)
        lg_layout_fit(lines->data, lines->length, columns, &fit);
    bool fits = fit.length > 0 && !fit.failed;
    lg__progress_end();
    fprintf(stderr, "%s\n%s", fits ? fit.data : lines->data, next);
    is_shown = true;
    lg_text_free(&fit);
}

static const char *named_path, *path_name;

void
lg__complaints_name(const char *path, const char *name)
{
    named_path = path;
    path_name = name;
}

void
lg__complain(const char *format, ...)
{
    char raw[4096];
    char message[sizeof raw];
    va_list rest;
    lg__progress_end();
    va_start(rest, format);
    vsnprintf(raw, sizeof raw, format, rest);
    va_end(rest);
    message[lg_string_clean(message, sizeof message - 1, raw, strlen(raw))] =
        '\0';
    const char *found = named_path ? strstr(message, named_path) : NULL;
    if (found != NULL)
        fprintf(stderr, "leakgraph: %.*s%s%s\n", (int)(found - message),
                message, path_name, found + strlen(named_path));
    else
        fprintf(stderr, "leakgraph: %s\n", message);
}

int
lg__fail(const lg_error *error)
{
    lg__complain("%s", error->message);
    switch (error->status) {
    case LG_OK:
        return LG__EXIT_FINE;
    case LG_EINVAL:
    case LG_ENOTFOUND:
        return LG__EXIT_USAGE;
    case LG_EIO:
    case LG_EFORMAT:
    case LG_EVERSION:
        return LG__EXIT_UNREADABLE;
    default:
        return LG__EXIT_INCOMPLETE;
    }
}

static size_t
least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

// Computes Levenshtein's distance on one row.
static size_t
distance(const char *left, const char *right)
{
    size_t row[65];
    size_t width = strlen(right);
    if (width > 64)
        return SIZE_MAX;
    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (; *left; left++) {
        size_t corner = row[0]++;
        for (size_t i = 1; i <= width; i++) {
            size_t above = row[i];
            row[i] = least(row[i - 1] + 1, above + 1,
                           corner + (*left != right[i - 1]));
            corner = above;
        }
    }
    return row[width];
}

const char *
lg__nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(word, names[i]);
        if (far < best) {
            best = far;
            nearest = names[i];
        }
    }
    return nearest;
}

// A terminal narrower than this says nothing of how wide texts should be.
enum { NARROWEST = 20, WIDEST = 1000 };

static enum { AUTO = 0, ALWAYS, NEVER } colour;

static bool
is_terminal(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDOUT_FILENO) && (!kind || strcmp(kind, "dumb"));
}

static struct winsize
terminal_size(void)
{
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        memset(&size, 0, sizeof size);
    return size;
}

// Returns 0 if nothing says how wide the reader's lines are.
static unsigned
find_columns(void)
{
    const char *given = getenv("COLUMNS");
    unsigned long columns = given ? strtoul(given, NULL, 10) : 0;
    if (columns < NARROWEST || columns > WIDEST)
        columns = terminal_size().ws_col;
    return columns < NARROWEST || columns > WIDEST ? 0 : (unsigned)columns;
}

static bool
is_coloured(void)
{
    const char *refused = getenv("NO_COLOR");
    if (colour != AUTO)
        return colour == ALWAYS;
    return is_terminal() && (!refused || !*refused);
}

const char *const lg__color_words[] = {"auto", "always", "never", NULL};

static bool
read_colour(const char *word)
{
    for (unsigned i = 0; word && lg__color_words[i]; i++) {
        if (!strcmp(word, lg__color_words[i])) {
            colour = i;
            return true;
        }
    }
    lg__complain("--color takes auto, always or never, not '%s'",
                 word ? word : "");
    return false;
}

bool
lg__output_begin(int own, int *argc, char **argv)
{
    static const char option[] = "--" LG__COLOR;
    int kept = 1;
    bool fine = true;
    for (int i = 1; i < *argc; i++) {
        size_t length = sizeof option - 1;
        bool is = i < own && !strncmp(argv[i], option, length);
        if (i < own && !strcmp(argv[i], "--"))
            own = i;
        if (is && argv[i][length] == '=')
            fine = fine && read_colour(argv[i] + length + 1);
        else if (is && !argv[i][length])
            fine = fine && read_colour(argv[++i]);
        else
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    *argc = kept;
    lg_layout_set_columns(find_columns());
    return fine;
}

static size_t
count_lines(const lg_text *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

// Returns the pager for a text that the terminal does not show at once, or
// NULL.
static const char *
find_pager(const lg_text *text)
{
    const char *pager = getenv("PAGER");
    size_t rows = terminal_size().ws_row;
    if (!is_terminal() || !isatty(STDIN_FILENO) || rows == 0 ||
        count_lines(text) < rows)
        return NULL;
    if (!pager)
        pager = "less";
    return *pager && strcmp(pager, "cat") ? pager : NULL;
}

static void
run_pager(const char *pager, int from)
{
    dup2(from, STDIN_FILENO);
    close(from);
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    _exit(127);
}

static int
write_all(int to, const lg_text *text)
{
    size_t done = 0;
    while (done < text->length) {
        ssize_t written = write(to, text->data + done, text->length - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

// Shows the text. Returns false if there is no such pager; then nothing was
// shown.
static bool
show_in_pager(const char *pager, const lg_text *text)
{
    int ends[2], status = 0;
    if (pipe(ends))
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        run_pager(pager, ends[0]);
    }
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return false;
    }
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
    void (*pipe_end)(int) = signal(SIGPIPE, SIG_IGN);
    write_all(ends[1], text);
    close(ends[1]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, interrupt);
    signal(SIGPIPE, pipe_end);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 127;
}

// Returns whether the text is data, which no layout may change.
static bool
is_data(const lg_text *text)
{
    return text->length == 0 || text->data[0] == '{' || text->data[0] == '[';
}

// Fits and paints the text. Leaves it as it is if memory runs out.
static void
lay_out(lg_text *text)
{
    lg_text fit = {0}, painted = {0};
    unsigned columns = lg_layout_columns();
    if (is_data(text))
        return;
    if (columns > 0)
        lg_layout_fit(text->data, text->length, columns, &fit);
    lg_text *said = columns > 0 && !fit.failed ? &fit : text;
    if (is_coloured())
        lg_layout_paint(said->data, said->length, &painted);
    lg_text *best = painted.length > 0 && !painted.failed ? &painted : said;
    if (best != text) {
        lg_text old = *text;
        *text = *best;
        *best = old;
    }
    lg_text_free(&fit);
    lg_text_free(&painted);
}

int
lg__print(lg_text *text)
{
    lg__progress_end();
    lay_out(text);
    const char *pager = find_pager(text);
    int failed = 0;
    if (!pager || !show_in_pager(pager, text))
        failed = write_all(STDOUT_FILENO, text);
    lg_text_free(text);
    if (failed == 0 || failed == EPIPE)
        return LG__EXIT_FINE;
    lg__complain("cannot write the report: %s", strerror(failed));
    return LG__EXIT_INCOMPLETE;
}

// NULL until there is something to draw.
static lg_renderer *early;

int
lg__draw_while(const char *format, int (*work)(const lg__arguments *),
               const lg__arguments *arguments)
{
    early = lg_renderer_start(format);
    int code = work(arguments);
    lg_renderer_end(early);
    early = NULL;
    return code;
}

// Prints the tree of a picture that cannot be drawn, but never to where the
// picture should go.
static void
show_instead(const lg__arguments *arguments, const lg_view *view)
{
    lg_text text = {0};
    if (lg_view_text(view, &text, NULL))
        lg_text_free(&text);
    else if (!strcmp(arguments->output, "-"))
        fputs(text.data, stderr);
    else
        lg__print(&text);
    lg_text_free(&text);
}

int
lg__draw(const lg__arguments *arguments, const lg_view *view)
{
    lg_text dot = {0};
    lg_error error = {0};
    lg_dot_options options = {.size = sizeof options,
                              .title = arguments->title,
                              .legend = arguments->legend};
    lg_status status = lg_view_dot(view, &options, &dot, &error);
    if (!status)
        status =
            lg_renderer_draw_file(early, dot.data, arguments->format,
                                  arguments->output, lg__monitor(), &error);
    lg_text_free(&dot);
    lg__progress_end();
    if (!status)
        return LG__EXIT_FINE;
    int code = lg__fail(&error);
    if (status == LG_ERENDER)
        show_instead(arguments, view);
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}
