// Times a drawing by Graphviz called directly, and by the renderer process:
//
//   bench_drawing DOT FORMAT ROUNDS RESIDENT
//
// DOT is a file; the process keeps RESIDENT MiB of memory in use. Prints the
// least and the median, in milliseconds, of first pictures: a direct drawing in
// a process that has drawn nothing, one by a renderer that starts for it, and
// one by a renderer that starts while the process has other work. Then the same
// of later pictures: direct drawings, and those by the renderer that waits.
// They take turns, so that other work of the machine costs all of them the
// same. To draw directly, this process loads Graphviz, which a user's process
// never does.
#include <leakgraph/render.h>
#include <leakgraph/internal/renderers.h>

#include <gvc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

// As the first picture of a process, which has no context yet.
static double
draw_first(const char *dot, const char *format)
{
    GVC_t *context = NULL;
    double took = 0;
    int ends[2], status = 1;
    if (pipe(ends))
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        took = draw_directly(&context, dot, format);
        _exit(write(ends[1], &took, sizeof took) != sizeof took);
    }
    if (waitpid(child, &status, 0) < 0 || status ||
        read(ends[0], &took, sizeof took) != sizeof took)
        exit(1);
    close(ends[0]);
    close(ends[1]);
    return took;
}

static double
draw_by_renderer(const char *dot, const char *format, bool early,
                 const char *kept)
{
    setenv("LEAKGRAPH_RENDER_KEPT_SECONDS", kept, 1);
    double start = now();
    lg_text image = {0};
    lg_error error = {0};
    lg_renderer *renderer = early ? lg_renderer_start(format) : NULL;
    double work = now();
    if (early)
        usleep(OTHER_WORK);
    start += now() - work;
    if (lg_renderer_draw(renderer, dot, format, NULL, &image, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    lg_renderer_end(renderer);
    lg_text_free(&image);
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
    free(times);
}

static double *
make_times(size_t rounds)
{
    double *times = calloc(rounds + 1, sizeof *times);
    if (!times)
        exit(2);
    return times;
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
    double *first[3], *later[2];
    if (!memory || !rounds)
        return 2;
    for (int i = 0; i < 3; i++)
        first[i] = make_times(rounds);
    for (int i = 0; i < 2; i++)
        later[i] = make_times(rounds);
    memset(memory, 1, resident);
    for (size_t i = 0; i < rounds; i++) {
        first[0][i] = draw_first(dot, argv[2]);
        first[1][i] = draw_by_renderer(dot, argv[2], false, "0");
        first[2][i] = draw_by_renderer(dot, argv[2], true, "0");
    }
    GVC_t *context = NULL;
    draw_directly(&context, dot, argv[2]);
    draw_by_renderer(dot, argv[2], false, "60");
    for (size_t i = 0; i < rounds; i++) {
        later[0][i] = draw_directly(&context, dot, argv[2]);
        later[1][i] = draw_by_renderer(dot, argv[2], false, "60");
    }
    for (int i = 0; i < 3; i++)
        print(first[i], rounds);
    for (int i = 0; i < 2; i++)
        print(later[i], rounds);
    printf(" %d\n", memory[resident / 2]);
    free(memory);
    free(dot);
    return 0;
}
