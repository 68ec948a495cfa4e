// Compares texts with the reviewed files, or writes these anew.

#include "golden.h"
#include "test.h"

static const char *folder;
static bool writing;

static char *
read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *data = calloc(1, 1 << 20);
    REQUIRE(data);
    if (file) {
        size_t length = fread(data, 1, (1 << 20) - 1, file);
        data[length] = '\0';
        fclose(file);
    }
    return data;
}

bool
golden_matches(const char *name, const char *suffix, const lg_text *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffix);
    if (writing) {
        FILE *file = fopen(path, "wb");
        REQUIRE(file);
        REQUIRE(fwrite(text->data, 1, text->length, file) == text->length);
        REQUIRE(!fclose(file));
        return true;
    }
    char *golden = read_file(path);
    bool same = !strcmp(golden, text->data);
    if (!same)
        fprintf(stderr, "%s differs; this was made:\n%s\n", path, text->data);
    free(golden);
    return same;
}

bool
golden_begin(int argc, char **argv)
{
    if (argc < 2)
        return false;
    folder = argv[1];
    writing = argc > 2 && !strcmp(argv[2], "write");
    return true;
}
