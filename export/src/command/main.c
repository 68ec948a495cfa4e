// The command's verbs and its help.

#include "command.h"

#include <stdio.h>
#include <string.h>

#define SELECTORS                                                              \
    "\nSELECTOR names objects:\n"                                              \
    "  node:17 or #17            the node with that number\n"                  \
    "  0x7f12a4c0                the object at that address\n"                 \
    "  type:torch.Tensor         all of a type; * globs, a trailing + takes\n" \
    "                            subclasses in\n"                              \
    "  name:train.losses[0].x    from a module by attributes and keys\n"       \
    "  module:train              a module\n"

static const lg_verb verbs[] = {
    {"info", lg__verb_info, "j", 1, "what the snapshot is of",
     "leakgraph info SNAP [--json]",
     "Prints when, where and how the snapshot was taken, how much it holds, "
     "and\nwhich libraries were looked into.\n"
     "\nExample:\n  leakgraph info run.lgs\n"},
    {"types", lg__verb_types, "slj", 1, "how many objects of each type",
     "leakgraph types SNAP [--sort bytes|count|name] [--limit N] [--json]",
     "Prints a table of the types with the number of their objects and their "
     "own\nbytes, the largest first (20 lines, or --limit).\n"
     "\nExample:\n  leakgraph types run.lgs --sort count --limit 10\n"},
    {"refs", lg__verb_refs, "dlwyj", 2, "what an object refers to",
     "leakgraph refs SNAP SELECTOR [--depth N] [--limit N] [--weak] [--json]",
     "Prints a tree of what the object holds, look-alikes folded.\n" SELECTORS
     "\nExample:\n  leakgraph refs run.lgs name:train.trainer --depth 2\n"},
    {"referrers", lg__verb_referrers, "dlwyj", 2, "who refers to an object",
     "leakgraph referrers SNAP SELECTOR [--depth N] [--limit N] [--weak] "
     "[--json]",
     "Prints a tree of who holds the object, up to modules and "
     "threads.\n" SELECTORS
     "\nExample:\n  leakgraph referrers run.lgs type:torch.Tensor\n"},
    {"path", lg__verb_path, "lj", 2, "why an object is alive",
     "leakgraph path SNAP SELECTOR [--limit N] [--json]",
     "Prints a shortest path of references from a root (a module, a thread) "
     "to the\nobject, or says that nothing reaches it.\n" SELECTORS
     "\nExample:\n  leakgraph path run.lgs 'type:train.Trainer'\n"},
    {"threads", lg__verb_threads, "j", 1,
     "each thread's frames with their locals",
     "leakgraph threads SNAP [--json]",
     "Prints each thread with its frames, innermost first, and each suspended\n"
     "generator, coroutine and task, with their local variables.\n"
     "\nExample:\n  leakgraph threads run.lgs\n"},
    {"render", lg__verb_render, "RBPofdmtgwy", 2, "a picture",
     "leakgraph render SNAP SELECTOR [--refs|--backrefs|--path] -o FILE",
     "Draws who holds the object (or what it holds, or the path from a root) "
     "into a\nfile; the suffix chooses the format.\n" SELECTORS
     "\nExample:\n  leakgraph render run.lgs type:torch.Tensor -o why.svg\n"},
    {"strip", lg__verb_strip, "oc", 1, "a copy without the user's own texts",
     "leakgraph strip SNAP -o FILE [--compress LEVEL]",
     "Writes a copy of the snapshot without string keys and previews. Names "
     "of types,\nattributes, variables and modules stay.\n"
     "\nExample:\n  leakgraph strip run.lgs -o share.lgs\n"},
};

#define VERB_COUNT (sizeof verbs / sizeof *verbs)

static void
print_help(void)
{
    printf("leakgraph " LG_VERSION " - what keeps these bytes alive?\n"
           "\nUsage: leakgraph VERB SNAPSHOT [OPTIONS]\n"
           "\nVerbs, which read a snapshot (.lgs):\n");
    for (size_t i = 0; i < VERB_COUNT; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    printf("\nand one that makes a snapshot:\n"
           "  run        runs a Python script and saves a snapshot at its end\n"
           "\nleakgraph VERB --help explains the verb.\n"
           "\nExit codes: 0 fine, 2 usage, 3 unreadable file, 4 analysis "
           "incomplete.\n"
           "\nExample:\n"
           "  leakgraph run --at-exit run.lgs train.py\n"
           "  leakgraph render run.lgs type:torch.Tensor -o why.svg\n");
}

static void
print_verb_help(const lg_verb *verb)
{
    printf("Usage: %s\n\n%s", verb->usage, verb->help);
    lg__arguments_print_help(verb);
}

static bool
wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    }
    return false;
}

static int
complain_verb(const char *word)
{
    const char *names[VERB_COUNT + 1] = {"run"};
    for (size_t i = 0; i < VERB_COUNT; i++)
        names[i + 1] = verbs[i].name;
    const char *nearest = lg__nearest(word, names, VERB_COUNT + 1);
    if (nearest)
        lg__complain("there is no verb %s: did you mean %s?", word, nearest);
    else
        lg__complain("there is no verb %s: see leakgraph --help", word);
    return EXIT_USAGE;
}

static int
run_verb(const lg_verb *verb, int argc, char **argv)
{
    lg_arguments arguments;
    if (wants_help(argc, argv)) {
        print_verb_help(verb);
        return EXIT_FINE;
    }
    if (!lg__arguments_read(verb, argc, argv, &arguments))
        return EXIT_USAGE;
    lg__signals_watch();
    return verb->run(&arguments);
}

int
main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        lg__complain("a verb is missing: see leakgraph --help");
        return EXIT_USAGE;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
        !strcmp(word, "help")) {
        print_help();
        return EXIT_FINE;
    }
    if (!strcmp(word, "--version")) {
        printf("leakgraph " LG_VERSION "\n");
        return EXIT_FINE;
    }
    if (!strcmp(word, "run"))
        return lg__run_python(argv + 1);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (!strcmp(word, verbs[i].name))
            return run_verb(&verbs[i], argc - 1, argv + 1);
    }
    return complain_verb(word);
}
