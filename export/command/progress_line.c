// Shows on a terminal how far long work is.

#include "command/command.h"

#include <leakgraph/internal/layout.h>

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

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
    double now = seconds_now();
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
