// The options of all verbs, and which verb takes which.

#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_text {
    char letter;
    const char *line;
} option_text;

static const struct option options[] = {
    {"backrefs", no_argument, NULL, 'B'},
    {"compress", required_argument, NULL, 'c'},
    {"depth", required_argument, NULL, 'd'},
    {"format", required_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {"json", no_argument, NULL, 'j'},
    {"legend", no_argument, NULL, 'g'},
    {"limit", required_argument, NULL, 'l'},
    {"max-nodes", required_argument, NULL, 'm'},
    {"output", required_argument, NULL, 'o'},
    {"path", no_argument, NULL, 'P'},
    {"refs", no_argument, NULL, 'R'},
    {"sort", required_argument, NULL, 's'},
    {"title", required_argument, NULL, 't'},
    {"types", no_argument, NULL, 'y'},
    {"weak", no_argument, NULL, 'w'},
    {NULL, 0, NULL, 0},
};

static const option_text texts[] = {
    {'B', "--backrefs         who refers to the object (the default)"},
    {'R', "--refs             what the object refers to"},
    {'P', "--path             a shortest path from a root to the object"},
    {'o', "-o, --output FILE  where to write; `-` is standard output"},
    {'f', "-f, --format NAME  svg, png, pdf ...; else the file's suffix says"},
    {'c', "--compress LEVEL   zstd level 1 to 19; 0, the default, for none"},
    {'t', "--title TEXT       a line above the picture"},
    {'g', "--legend           explain the colours below the picture"},
    {'d', "--depth N          follow at most N references (3)"},
    {'m', "--max-nodes N      draw at most N boxes (120)"},
    {'l', "--limit N          print at most N lines or objects"},
    {'s', "--sort KEY         bytes, count or name (bytes)"},
    {'w', "--weak             follow weak references too"},
    {'y', "--types            show the references from objects to types"},
    {'j', "--json             for programs"},
};

void
lg__arguments_print_help(const lg_verb *verb)
{
    printf("\nOptions:\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strchr(verb->options, texts[i].letter))
            printf("  %s\n", texts[i].line);
    }
    printf("  -h, --help         this text\n");
}

static bool
read_number(const char *name, const char *word, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || errno || !value ||
        value > UINT32_MAX / 2) {
        lg__complain("--%s takes a positive number, not '%s'", name, word);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool
read_level(const char *word, int *out)
{
    char *end;
    long value = strtol(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || value > 19) {
        lg__complain("--compress takes a level from 0 to 19, not '%s'", word);
        return false;
    }
    *out = (int)value;
    return true;
}

static bool
read_sort(const char *word, lg_sort *out)
{
    static const char *const keys[] = {"bytes", "count", "name"};
    for (unsigned i = 0; i < 3; i++) {
        if (!strcmp(word, keys[i])) {
            *out = (lg_sort)i;
            return true;
        }
    }
    lg__complain("--sort takes bytes, count or name, not '%s'", word);
    return false;
}

static bool
take_option(int letter, lg_arguments *out)
{
    switch (letter) {
    case 'B':
        out->direction = LG_BACKREFS;
        return true;
    case 'R':
        out->direction = LG_REFS;
        return true;
    case 'P':
        out->direction = LG_PATH;
        return true;
    case 'o':
        out->output = optarg;
        return true;
    case 'f':
        out->format = optarg;
        return true;
    case 't':
        out->title = optarg;
        return true;
    case 'g':
        return out->legend = true;
    case 'c':
        return read_level(optarg, &out->compress);
    case 'd':
        return read_number("depth", optarg, &out->depth);
    case 'm':
        return read_number("max-nodes", optarg, &out->max_nodes);
    case 'l':
        return read_number("limit", optarg, &out->limit);
    case 's':
        return read_sort(optarg, &out->sort);
    case 'w':
        return out->weak = true;
    case 'y':
        return out->types = true;
    default:
        return out->json = true;
    }
}

// The options that the verb takes, for getopt and for suggestions.
static size_t
own_options(const lg_verb *verb, struct option *own, const char **names)
{
    size_t count = 0;
    for (size_t i = 0; options[i].name; i++) {
        if (options[i].val != 'h' && !strchr(verb->options, options[i].val))
            continue;
        names[count] = options[i].name;
        own[count++] = options[i];
    }
    memset(&own[count], 0, sizeof own[count]);
    return count;
}

static void
complain_option(const lg_verb *verb, const char *word, const char *const *names,
                size_t count)
{
    char bare[64];
    snprintf(bare, sizeof bare, "%s", word + strspn(word, "-"));
    bare[strcspn(bare, "=")] = '\0';
    const char *nearest = lg__nearest(bare, names, count);
    if (nearest)
        lg__complain("%s has no option %s: did you mean --%s?", verb->name,
                     word, nearest);
    else
        lg__complain("%s has no option %s: see leakgraph %s --help", verb->name,
                     word, verb->name);
}

static bool
take_words(const lg_verb *verb, int argc, char **argv, lg_arguments *out)
{
    int count = argc - optind;
    if (count != verb->words) {
        lg__complain("%s takes %d argument%s, not %d: %s", verb->name,
                     verb->words, verb->words == 1 ? "" : "s", count,
                     verb->usage);
        return false;
    }
    for (int i = 0; i < count; i++)
        out->words[i] = argv[optind + i];
    out->word_count = count;
    return true;
}

bool
lg__arguments_read(const lg_verb *verb, int argc, char **argv,
                   lg_arguments *out)
{
    struct option own[sizeof options / sizeof *options];
    const char *names[sizeof options / sizeof *options];
    size_t count = own_options(verb, own, names);
    *out = (lg_arguments){.direction = LG_BACKREFS};
    opterr = 0;
    for (;;) {
        const char *word = argv[optind];
        int letter = getopt_long(argc, argv, ":hf:o:", own, NULL);
        if (letter == -1)
            return take_words(verb, argc, argv, out);
        if (letter == ':') {
            lg__complain("%s needs a value: see leakgraph %s --help",
                         argv[optind - 1], verb->name);
            return false;
        }
        bool known = letter != '?' && strchr(verb->options, letter);
        if (letter == '?' || !known) {
            complain_option(
                verb, optopt || !argv[optind - 1] ? word : argv[optind - 1],
                names, count);
            return false;
        }
        if (!take_option(letter, out))
            return false;
    }
}
