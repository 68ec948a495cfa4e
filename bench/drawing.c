// Times a drawing by Graphviz called directly, and by the renderer process:
//
//   bench_drawing DOT FORMAT ROUNDS RESIDENT
//
// DOT is a file; the process keeps RESIDENT MiB of memory in use. Prints, in
// milliseconds, the first direct drawing, then the least and the median of
// later direct drawings, of those by a renderer that starts for them, of those
// by one that starts while the process has other work, and of those by one that
// has drawn before. They take turns, so that other work of the machine costs
// all of them the same. To draw directly, this process loads Graphviz, which a
// user's process never does.
#include <leakgraph/render.h>

#include <gvc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long a capture takes in a process of moderate size, in microseconds. */
#define OTHER_WORK 100000

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double
draw_directly(GVC_t **context, const char *dot, const char *format)
{
    double start = now();
    char *data = NULL;
    unsigned length = 0;
    if (!*context)
        *context = gvContext();
    Agraph_t *graph = agmemread(dot);
    if (!graph || gvLayout(*context, graph, "dot") ||
        gvRenderData(*context, graph, format, &data, (void *)&length))
        exit(1);
    gvFreeRenderData(data);
    gvFreeLayout(*context, graph);
    agclose(graph);
    return now() - start;
}

static double
draw_by_renderer(const char *dot, const char *format, bool early,
                 const char *kept)
{
    setenv("LEAKGRAPH_RENDER_KEPT_SECONDS", kept, 1);
    double start = now();
    char *data = NULL;
    size_t length = 0;
    lg_error error = {0};
    lg_renderer *renderer = early ? lg_renderer_start(format) : NULL;
    double work = now();
    if (early)
        usleep(OTHER_WORK);
    start += now() - work;
    if (lg_renderer_draw(renderer, dot, strlen(dot), format, NULL, &data,
                         &length, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    lg_renderer_end(renderer);
    free(data);
    return now() - start;
}

static int
compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void
print(double *times, size_t rounds)
{
    qsort(times, rounds, sizeof *times, compare);
    printf(" %.2f %.2f", times[0], times[rounds / 2]);
}

static char *
read_file(const char *path)
{
    char *text = calloc(1, 1 << 22);
    FILE *file = fopen(path, "r");
    if (!text || !file || !fread(text, 1, (1 << 22) - 1, file))
        exit(2);
    fclose(file);
    return text;
}

int
main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    char *dot = read_file(argv[1]);
    size_t rounds = strtoul(argv[3], NULL, 10);
    size_t resident = strtoul(argv[4], NULL, 10) << 20;
    char *memory = malloc(resident + 1);
    double *times = calloc(rounds + 1, sizeof *times);
    double *early = calloc(rounds + 1, sizeof *early);
    double *again = calloc(rounds + 1, sizeof *again);
    double *direct = calloc(rounds + 1, sizeof *direct);
    if (!memory || !times || !early || !again || !direct || !rounds)
        return 2;
    memset(memory, 1, resident);
    GVC_t *context = NULL;
    printf("%.2f", draw_directly(&context, dot, argv[2]));
    for (size_t i = 0; i < rounds; i++) {
        times[i] = draw_by_renderer(dot, argv[2], false, "0");
        early[i] = draw_by_renderer(dot, argv[2], true, "0");
        draw_by_renderer(dot, argv[2], false, "60");
        draw_by_renderer(dot, argv[2], false, "60");
        again[i] = draw_by_renderer(dot, argv[2], false, "60");
        direct[i] = draw_directly(&context, dot, argv[2]);
    }
    print(direct, rounds);
    print(times, rounds);
    print(early, rounds);
    print(again, rounds);
    printf(" %d\n", memory[resident / 2]);
    free(direct);
    free(times);
    free(again);
    free(early);
    free(memory);
    free(dot);
    return 0;
}
