// The arguments of a verb: the options, and the values that they have.
#include "command/command.h"

#include <leakgraph/internal/wording.h>

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Reads the values of options.

static bool
is_number(const char *word, uint32_t most, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || errno || !value || value > most)
        return false;
    *out = (uint32_t)value;
    return true;
}

// Reads a number from 1 to `most`. Each of these functions complains when it
// returns false.
static bool
number_read(const char *name, const char *word, uint32_t most, uint32_t *out)
{
    bool number = is_number(word, most, out);
    bool large = *word >= '1' && strspn(word, "0123456789") == strlen(word);
    if (!number && (large || most < UINT32_MAX / 2))
        lg__complain("--%s takes a number from 1 to %u, not '%s'", name, most,
                     word);
    else if (!number)
        lg__complain("--%s takes a positive number, not '%s'", name, word);
    return number;
}

// Reads the value of `--limit` where it may be `all`.
static bool
limit_read(const char *word, uint32_t *out, bool *all)
{
    *all = !strcmp(word, "all");
    bool fine = *all || is_number(word, UINT32_MAX / 2, out);
    if (!fine)
        lg__complain("--limit takes a positive number or all, not '%s'", word);
    return fine;
}

lg_format
lg__format_of(const lg__arguments *arguments)
{
    return arguments->json ? LG_FORMAT_JSON : LG_FORMAT_TEXT;
}

// Reads a size: 4096, 64KiB, 1.5MiB, 2GB.
static bool
size_read(const char *name, const char *word, int64_t *out)
{
    static const lg_option size = {.type = LG_OPTION_BYTES};
    char called[32];
    lg_given given;
    lg_error error;
    snprintf(called, sizeof called, "--%s", name);
    if (lg_option_read(&size, called, word, &given, &error)) {
        lg__complain("%s", error.message);
        return false;
    }
    *out = (int64_t)given.number;
    return true;
}

static bool
take_kind(const char *word, size_t length, unsigned *out)
{
    for (unsigned kind = 0; kind <= LG_CYCLE_UNCOLLECTABLE; kind++) {
        const char *name = lg_cycle_kind_name((lg_cycle_kind)kind);
        if (strlen(name) == length && !memcmp(name, word, length)) {
            *out |= 1u << kind;
            return true;
        }
    }
    return false;
}

// Reads `--kind`: names of kinds, with commas between them.
static bool
kinds_read(const char *word, unsigned *out)
{
    unsigned kinds = 0;
    for (const char *at = word;; at++) {
        size_t length = strcspn(at, ",");
        if (!take_kind(at, length, &kinds)) {
            lg__complain("--kind takes collectable, held and uncollectable, "
                         "not '%s'",
                         word);
            return false;
        }
        at += length;
        if (!*at)
            break;
    }
    *out = kinds;
    return true;
}

// Reads a share from 0 to 1, or `2%`.
static bool
share_read(const char *word, double *out)
{
    static const lg_option share = {.type = LG_OPTION_SHARE};
    lg_given given;
    lg_error error;
    if (lg_option_read(&share, "--min-share", word, &given, &error)) {
        lg__complain("%s", error.message);
        return false;
    }
    *out = given.share;
    return true;
}

// The options of all verbs, and the verbs that take each.

typedef struct option_text {
    char letter;
    const char *line;
} option_text;

static const struct option options[] = {
    {"backrefs", no_argument, NULL, 'B'},
    {"baseline", required_argument, NULL, 'K'},
    {"by", required_argument, NULL, 'u'},
    {"check", no_argument, NULL, 'c'},
    {"compress", required_argument, NULL, 'z'},
    {"cycle", required_argument, NULL, 'C'},
    {"depth", required_argument, NULL, 'd'},
    {"diff", no_argument, NULL, 'A'},
    {"dominators", no_argument, NULL, 'D'},
    {"format", required_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {"holding", required_argument, NULL, 'H'},
    {"json", no_argument, NULL, 'j'},
    {"kind", required_argument, NULL, 'k'},
    {"legend", no_argument, NULL, 'g'},
    {"limit", required_argument, NULL, 'l'},
    {"limit", required_argument, NULL, 'L'},
    {"max-nodes", required_argument, NULL, 'm'},
    {"max-growth", required_argument, NULL, 'x'},
    {"mine", no_argument, NULL, 'i'},
    {"min-bytes", required_argument, NULL, 'b'},
    {"min-bytes", required_argument, NULL, 'n'},
    {"min-share", required_argument, NULL, 'S'},
    {"module", required_argument, NULL, 'E'},
    {"no-browser", no_argument, NULL, 'N'},
    {"other-programs", no_argument, NULL, 'F'},
    {"output", required_argument, NULL, 'o'},
    {"parquet", required_argument, NULL, 'Q'},
    {"path", no_argument, NULL, 'P'},
    {"paths", no_argument, NULL, 'M'},
    {"port", required_argument, NULL, 'O'},
    {"refs", no_argument, NULL, 'R'},
    {"samples", required_argument, NULL, 'a'},
    {"settled", no_argument, NULL, 'e'},
    {"steps", required_argument, NULL, 'p'},
    {"title", required_argument, NULL, 't'},
    {"types", no_argument, NULL, 'y'},
    {"update-baseline", no_argument, NULL, 'U'},
    {"weak", no_argument, NULL, 'w'},
    {"why", no_argument, NULL, 'W'},
    {NULL, 0, NULL, 0},
};

static const option_text texts[] = {
    {'B', "--backrefs         what refers to the object (the default)"},
    {'R', "--refs             what the object refers to"},
    {'P', "--path             a shortest path from a root to the object"},
    {'M', "--paths            how the roots reach all the objects, merged"},
    {'W', "--why              every path that keeps the object alive"},
    {'D', "--dominators       what the object, or the whole heap, owns"},
    {'C',
     "--cycle N          the cycle with this number in `leakgraph cycles`"},
    {'A',
     "--diff             what grows from snapshot to snapshot, oldest first"},
    {'H',
     "--holding TYPE     select cycles that retain a TYPE, tensor or figure"},
    {'k', "--kind KINDS       select collectable, held, uncollectable; "
          "several: a,b"},
    {'b',
     "--min-bytes N      select cycles that retain N or more: 4096, 64KiB"},
    {'n',
     "--min-bytes N      leave out smaller differences: 4096, 64KiB, 1MiB"},
    {'p',
     "--steps A,B,...    the step of each snapshot: rows then show a rate"},
    {'a',
     "--samples FILE     draw memory over time, as watch() or attach wrote it"},
    {'e', "--settled          include what grew and stopped"},
    {'F', "--other-programs   compare snapshots of different programs, too"},
    {'x', "--max-growth N     with --check: allow this much growth (0)"},
    {'S', "--min-share F      leave out smaller parts: 0.01 or 1% (1%)"},
    {'c', "--check            exit with 1 if there are leaks"},
    {'K', "--baseline FILE    leave out what FILE lists as known"},
    {'U', "--update-baseline  add the rest to that FILE"},
    {'z', "--compress LEVEL   compress with zstd, level 1 to 19"},
    {'o', "-o, --output FILE  write to FILE; `-` is standard output"},
    {'f', "-f, --format NAME  write this format, whatever the suffix of FILE"},
    {'Q', "--parquet DIR      write Parquet tables into this folder"},
    {'t', "--title TEXT       put a line above the picture"},
    {'g', "--legend           explain the colours below the picture"},
    {'d', "--depth N          follow at most N references in a row (3)"},
    {'m', "--max-nodes N      draw at most N boxes (120)"},
    {'l', "--limit N|all      print at most N lines (60)"},
    {'L', "--limit N|all      print at most N (20)"},
    {'u', "--by KEY           sort by retained, host, or a device: cuda:0"},
    {'i', "--mine             show only what the program's own modules hold"},
    {'E', "--module GLOB      show only what matching modules hold: train*"},
    {'w', "--weak             follow weak references, too"},
    {'y', "--types            show the references from objects to types"},
    {'N', "--no-browser       print the address, and open no browser"},
    {'O', "--port N           serve on this port (any free one)"},
    {'j', "--json             print JSON"},
};

void
lg__arguments_visit(const lg__verb *verb, lg__option_visit *visit,
                    void *context)
{
    for (size_t i = 0; options[i].name; i++) {
        const lg__option_face face = {.name = options[i].name,
                                      .takes_value =
                                          options[i].has_arg != no_argument};
        if (options[i].val == 'h' || strchr(verb->options, options[i].val))
            visit(context, &face);
    }
}

static const char *
name_of(int letter)
{
    size_t i = 0;
    while (options[i].val != letter)
        i++;
    return options[i].name;
}

// Remembers which picture to draw; refuses a second one.
static bool
take_picture(int letter, lg__arguments *out)
{
    const char *name = name_of(letter);
    if (out->drawn && strcmp(out->drawn, name)) {
        lg__complain("--%s and --%s are two pictures: choose one", out->drawn,
                     name);
        return false;
    }
    out->drawn = name;
    out->picture = letter == 'W'   ? LG__PICTURE_WHY
                   : letter == 'M' ? LG__PICTURE_PATHS
                   : letter == 'C' ? LG__PICTURE_CYCLE
                   : letter == 'D' ? LG__PICTURE_DOMINATORS
                   : letter == 'A' ? LG__PICTURE_GROWTH
                                   : LG__PICTURE_VIEW;
    out->direction = letter == 'R'   ? LG_REFS
                     : letter == 'P' ? LG_PATH
                                     : LG_BACKREFS;
    return letter != 'C' ||
           number_read("cycle", optarg, UINT32_MAX / 2, &out->cycle);
}

static bool
take_flag(int letter, lg__arguments *out)
{
    bool *flag = letter == 'g'   ? &out->legend
                 : letter == 'w' ? &out->weak
                 : letter == 'y' ? &out->types
                 : letter == 'c' ? &out->check
                 : letter == 'e' ? &out->settled
                 : letter == 'F' ? &out->other_programs
                 : letter == 'i' ? &out->mine
                 : letter == 'U' ? &out->update_baseline
                 : letter == 'N' ? &out->no_browser
                                 : &out->json;
    return *flag = true;
}

static bool
take_text(int letter, lg__arguments *out)
{
    const char **text = letter == 'o'   ? &out->output
                        : letter == 'f' ? &out->format
                        : letter == 'H' ? &out->holding
                        : letter == 'u' ? &out->by
                        : letter == 'p' ? &out->steps
                        : letter == 'a' ? &out->samples
                        : letter == 'E' ? &out->module
                        : letter == 'K' ? &out->baseline
                        : letter == 'Q' ? &out->parquet
                                        : &out->title;
    *text = optarg;
    return true;
}

static bool
take_option(int letter, lg__arguments *out)
{
    if (strchr("ABRPMWCD", letter))
        return take_picture(letter, out);
    if (strchr("EKQaofHptu", letter))
        return take_text(letter, out);
    switch (letter) {
    case 'd':
        return number_read("depth", optarg, UINT32_MAX / 2, &out->depth);
    case 'm':
        return number_read("max-nodes", optarg, UINT32_MAX / 2,
                           &out->max_nodes);
    case 'l':
    case 'L':
        return limit_read(optarg, &out->limit, &out->all);
    case 'O':
        return number_read("port", optarg, UINT16_MAX, &out->port);
    case 'k':
        return kinds_read(optarg, &out->kinds);
    case 'b':
    case 'n':
        return size_read("min-bytes", optarg, &out->min_bytes);
    case 'x':
        return size_read("max-growth", optarg, &out->max_growth);
    case 'S':
        return share_read(optarg, &out->min_share);
    case 'z':
        return number_read("compress", optarg, 19, &out->compress);
    default:
        return take_flag(letter, out);
    }
}

// Lists the verb's options for getopt and for suggestions.
static size_t
own_options(const lg__verb *verb, struct option *own, const char **names)
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

// Writes the option that getopt refused: a long one has just been read, and a
// short one may be one of several letters.
static void
refused_option(char **argv, char *out, size_t room)
{
    const char *next = argv[optind];
    bool among = next && next[0] == '-' && next[1] != '-' && optopt > 0 &&
                 optopt < 128 && strchr(next + 1, optopt);
    const char *read = argv[optind - 1];
    if (among || strncmp(read, "--", 2))
        snprintf(out, room, "-%c", optopt);
    else
        snprintf(out, room, "%s", read);
}

void
lg__complain_option(const char *verb, char **argv, const char *const *names,
                    size_t count)
{
    char bare[64], word[128];
    refused_option(argv, word, sizeof word);
    snprintf(bare, sizeof bare, "%s", word + strspn(word, "-"));
    bare[strcspn(bare, "=")] = '\0';
    const char *nearest = lg__nearest(bare, names, count);
    if (nearest)
        lg__complain("%s has no option %s: did you mean --%s?", verb, word,
                     nearest);
    else
        lg__complain("%s has no option %s: see leakgraph %s --help", verb, word,
                     verb);
}

// The arguments of a usage, without its options: "SNAP [SELECTOR]".
static lg_string
words_of(const char *usage)
{
    const char *begin = usage;
    for (int skipped = 0; skipped < 2; skipped++) {
        begin += strcspn(begin, " ");
        begin += strspn(begin, " ");
    }
    const char *end = begin;
    while (*end && *end != '\n' && *end != '-' && strncmp(end, "[-", 2) != 0)
        end++;
    while (end > begin && end[-1] == ' ')
        end--;
    return (lg_string){begin, (uint32_t)(end - begin)};
}

bool
lg__words_check(const char *verb, const char *usage, char *const *words,
                int least, int most)
{
    const lg_string known = words_of(usage);
    int count = 0;
    while (words[count])
        count++;
    if (count < least)
        lg__complain("%s needs %.*s: see leakgraph %s --help", verb,
                     (int)known.length, known.data, verb);
    else if (count > most)
        lg__complain("%s takes %s%.*s, not %s: see leakgraph %s --help", verb,
                     known.length > 0 ? "only " : "nothing", (int)known.length,
                     known.data, words[most], verb);
    return count >= least && count <= most;
}

static bool
take_words(const lg__verb *verb, int argc, char **argv, lg__arguments *out)
{
    int count = argc - optind;
    bool several = out->picture == LG__PICTURE_GROWTH;
    int least = several ? 2 : verb->words;
    int most = verb->words + verb->more_words;
    bool any = several || verb->more_words == LG__ANY_WORDS;
    if (several && count < least) {
        lg__complain(
            "render --diff needs OLD NEW: see leakgraph render --help");
        return false;
    }
    if (!lg__words_check(verb->name, verb->usage, argv + optind, least,
                         any ? INT_MAX : most))
        return false;
    out->words = argv + optind;
    out->word_count = count;
    return true;
}

// Reads the command line after the verb. False after a complaint.
static bool
read_arguments(const lg__verb *verb, int argc, char **argv, lg__arguments *out)
{
    struct option own[sizeof options / sizeof *options];
    const char *names[sizeof options / sizeof *options];
    size_t count = own_options(verb, own, names);
    *out = (lg__arguments){
        .direction = LG_BACKREFS, .min_bytes = -1, .min_share = -1};
    opterr = 0;
    for (;;) {
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
            if (letter != '?')
                optopt = letter;
            lg__complain_option(verb->name, argv, names, count);
            return false;
        }
        if (!take_option(letter, out))
            return false;
    }
}

bool
lg__wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    }
    return false;
}

static void
print_help(const lg__verb *verb)
{
    printf("Usage: %s\n\n%s\nOptions:\n", verb->usage, verb->help);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strchr(verb->options, texts[i].letter))
            printf("  %s\n", texts[i].line);
    }
    printf("  -h, --help         print this text\n");
}

// Tells somebody at a terminal what file there is now.
static void
tell_written(const char *path)
{
    if (path && strcmp(path, "-") != 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "leakgraph: wrote %s\n", path);
}

int
lg__verb_run(const lg__verb *verb, int argc, char **argv)
{
    lg__arguments arguments;
    if (lg__wants_help(argc, argv)) {
        print_help(verb);
        return LG__EXIT_FINE;
    }
    if (!read_arguments(verb, argc, argv, &arguments))
        return LG__EXIT_USAGE;
    lg__signals_watch();
    int code = verb->run(&arguments);
    lg__progress_end();
    if (code == LG__EXIT_FINE)
        tell_written(arguments.output);
    return code;
}
