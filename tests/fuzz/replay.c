// Passes files, or every file of folders, to the fuzzers' entry points, so that
// any compiler can run them. Prints how many files the reader accepted.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "exercise.h"
#include "suite.h"

static unsigned seen;
static unsigned accepted;

static void
replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "replay: cannot open %s\n", path);
        exit(1);
    }
    size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size + 1);
    if (data == NULL || fread(data, 1, size, file) != size) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    seen++;
    accepted += exercise_load(data, size, exercise_graph) &&
                exercise_load(data, size, exercise_answers);
    if (seen % 8 == 0)
        exercise_load(data, size, exercise_pages);
    free(data);
}

static void
replay(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            replay_file(name);
    }
    closedir(folder);
}

SUITE(replay_corpus)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%u files, %u accepted\n", seen, accepted);
    return seen > 0 && accepted > 0 ? 0 : 1;
}
