// Lists the verbs that ask about one snapshot, with their options and help.
#include "command/file_verbs.h"
#include "command/command.h"

#include <leakgraph/internal/report.h>

#include <string.h>

static const lg__verb verbs[] = {
    {"info", lg__verb_info, "j", 1, 0,
     "see when, where and how the snapshot was taken",
     "leakgraph info SNAP [--json]",
     "Prints when, where and how the snapshot was taken, how much it holds,\n"
     "which libraries the capture inspected, and whether it is partial.\n"
     "\n"
     "Example:\n"
     "  leakgraph info run.lgs\n"},
    {"questions", lg__verb_questions, "j", 0, 0,
     "list the questions that have a table", "leakgraph questions [--json]",
     "Prints the questions that a snapshot answers with a table. With --json,\n"
     "prints the options and columns of each, too.\n"
     "\n"
     "Example:\n"
     "  leakgraph questions --json\n"},
    {"refs", lg__verb_refs, "dlwyj", 2, 0, "see what an object refers to",
     "leakgraph refs SNAP SELECTOR [--depth N] [--limit N|all] [--weak] "
     "[--json]",
     "Prints a tree of what the object refers to. Similar siblings share one\n"
     "line.\n" LG__SELECTORS_HELP "\n"
     "Example:\n"
     "  leakgraph refs run.lgs name:train.trainer --depth 2\n"},
    {"referrers", lg__verb_referrers, "dlwyj", 2, 0,
     "see what refers to an object",
     "leakgraph referrers SNAP SELECTOR [--depth N] [--limit N|all] [--weak]\n"
     "       [--json]",
     "Prints a tree of what refers to the object, up to modules and "
     "threads.\n" LG__SELECTORS_HELP "\n"
     "Example:\n"
     "  leakgraph referrers run.lgs type:torch.Tensor\n"},
    {"path", lg__verb_path, "lj", 2, 0,
     "find a shortest path from a root to an object",
     "leakgraph path SNAP SELECTOR [--limit N|all] [--json]",
     "Prints a shortest path of references from a root (a module, a thread) "
     "to\n"
     "the object, or says that no root reaches it.\n" LG__SELECTORS_HELP "\n"
     "Example:\n"
     "  leakgraph path run.lgs type:train.Trainer\n"},
    {"why", lg__verb_why, "j", 2, 0,
     "see why an object is alive, and what to cut",
     "leakgraph why SNAP SELECTOR [--json]",
     "Prints what keeps the object alive: the path from a root, the immediate\n"
     "dominator, the retained size, and every reference that you must cut. It\n"
     "marks each reference on the path that frees the object when you cut it\n"
     "alone. For several objects, `why` prints their merged paths (see\n"
     "`paths`), and then why the one that retains the most is "
     "alive.\n" LG__SELECTORS_HELP "\n"
     "Example:\n"
     "  leakgraph why run.lgs name:train.trainer\n"
     "  leakgraph why run.lgs type:torch.Tensor\n"},
    {"render", lg__verb_render, "RBPMWCDAofdmtgwyHkbuiESpe", 1, 1,
     "draw a picture",
     "leakgraph render SNAP [SELECTOR] "
     "[--refs|--backrefs|--path|--paths|--why|\n"
     "       --dominators|--cycle N] -o FILE\n"
     "       leakgraph render --diff OLD NEW [NEWER ...] -o FILE",
     "Draws a picture into a file: by default, what refers to the object. The\n"
     "suffix of the file chooses the format. --cycle takes no selector; it\n"
     "numbers the cycles as `leakgraph cycles` with the same options does.\n"
     "Without a selector, --dominators draws the whole heap. --mine and "
     "--module\n"
     "go with --cycle, --dominators and --diff.\n" LG__SELECTORS_HELP "\n"
     "Example:\n"
     "  leakgraph render run.lgs type:torch.Tensor -o why.svg\n"
     "  leakgraph render run.lgs name:train.trainer --why -o why.svg\n"
     "  leakgraph render run.lgs --dominators -o heap.pdf\n"
     "  leakgraph render run.lgs --cycle 1 -o cycle.png\n"
     "  leakgraph render --diff a.lgs b.lgs c.lgs -o growth.svg\n"},
};

const lg__verb *
lg__verb_at(size_t index)
{
    size_t count = sizeof verbs / sizeof *verbs;
    return index < count ? &verbs[index] : lg__file_verb_at(index - count);
}

const lg__verb *
lg__verb_find(const char *name)
{
    size_t i = 0;
    while (lg__verb_at(i) && strcmp(name, lg__verb_at(i)->name))
        i++;
    return lg__verb_at(i);
}

// Returns whether a verb of the same name is written by hand, because it does
// more than to ask.
static bool
has_verb(const lg_question *question)
{
    size_t i = 0;
    while (lg__verb_at(i) && strcmp(lg__verb_at(i)->name, question->name))
        i++;
    return lg__verb_at(i) != NULL || (question->needs & LG_NEEDS_SEVERAL);
}

const lg_question *
lg__question_verb_at(size_t index)
{
    const lg_question *question;
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++)
        if (!has_verb(question) && index-- == 0)
            return question;
    return NULL;
}

const lg_question *
lg__question_verb_find(const char *name)
{
    size_t i = 0;
    while (lg__question_verb_at(i) &&
           strcmp(name, lg__question_verb_name(lg__question_verb_at(i))))
        i++;
    return lg__question_verb_at(i);
}
