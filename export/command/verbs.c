// The verbs that ask about one snapshot: what each takes, and its help.

#include "command/file_verbs.h"

#define SELECTORS                                                              \
    "\n"                                                                       \
    "SELECTOR names objects:\n"                                                \
    "  node:17 or #17            the node with this number\n"                  \
    "  0x7f12a4c0                the object at this address\n"                 \
    "  type:torch.Tensor         all objects of a type; * stands for any "     \
    "text,\n"                                                                  \
    "                            a trailing + adds subclasses\n"               \
    "  name:train.losses[0].x    a module, then attributes and keys\n"         \
    "  module:train              the module\n"

static const lg_verb verbs[] = {
    {"info", lg__verb_info, "j", 1, 0,
     "when, where and how the snapshot was taken",
     "leakgraph info SNAP [--json]",
     "Prints when, where and how the snapshot was taken, how much it holds, "
     "and\n"
     "which libraries the capture inspected.\n"
     "\n"
     "Example:\n"
     "  leakgraph info run.lgs\n"},
    {"types", lg__verb_types, "siELj", 1, 0,
     "how many objects of each type there are",
     "leakgraph types SNAP [--by bytes|count|name] [--mine] [--module GLOB]\n"
     "       [--limit N|all] [--json]",
     "Prints a table of types with the number of their objects and their "
     "shallow\n"
     "size, the largest first (20 lines, or --limit). --mine and --module "
     "count "
     "what\n"
     "the program's own modules, or modules with such a name, hold.\n"
     "\n"
     "Example:\n"
     "  leakgraph types run.lgs --by count --limit 10\n"},
    {"refs", lg__verb_refs, "dlwyj", 2, 0, "what an object refers to",
     "leakgraph refs SNAP SELECTOR [--depth N] [--limit N] [--weak] [--json]",
     "Prints a tree of what the object refers to. Siblings that are alike "
     "share\n"
     "one line.\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph refs run.lgs name:train.trainer --depth 2\n"},
    {"referrers", lg__verb_referrers, "dlwyj", 2, 0, "what refers to an object",
     "leakgraph referrers SNAP SELECTOR [--depth N] [--limit N] [--weak]\n"
     "       [--json]",
     "Prints a tree of what refers to the object, up to modules and "
     "threads.\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph referrers run.lgs type:torch.Tensor\n"},
    {"path", lg__verb_path, "lj", 2, 0,
     "a shortest path from a root to an object",
     "leakgraph path SNAP SELECTOR [--limit N] [--json]",
     "Prints a shortest path of references from a root (a module, a thread) to "
     "the\n"
     "object, or says that no root reaches it.\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph path run.lgs 'type:train.Trainer'\n"},
    {"threads", lg__verb_threads, "iEj", 1, 0,
     "each thread's frames with their local variables",
     "leakgraph threads SNAP [--mine] [--module GLOB] [--json]",
     "Prints each thread with its frames, innermost first, and each suspended\n"
     "generator, coroutine and task, with their local variables and what "
     "these\n"
     "retain. --mine and --module print only functions of the program's own "
     "modules, or\n"
     "of modules with such a name.\n"
     "\n"
     "Example:\n"
     "  leakgraph threads run.lgs\n"},
    {"tensors", lg__verb_tensors, "VTiELj", 1, 0,
     "the bytes of every tensor, counted once",
     "leakgraph tensors SNAP [--device NAME]\n"
     "       [--group storage|kind|device|dtype|shape] [--mine] [--module "
     "GLOB]\n"
     "       [--limit N|all] [--json]",
     "Prints the storages of tensors, each once however many tensors use it, "
     "with\n"
     "what they are for (in PyTorch's words) and who holds them, the biggest "
     "first\n"
     "(20, or --limit). It includes tensors that only the autograd graph "
     "keeps. If a\n"
     "view keeps more than it shows, `used` says how much it shows. --group "
     "adds up\n"
     "the storages. --mine and --module print only those whose tensor the "
     "program's own\n"
     "modules, or modules with such a name, hold.\n"
     "\n"
     "Example:\n"
     "  leakgraph tensors run.lgs --device cuda:0\n"
     "  leakgraph tensors run.lgs --group kind\n"},
    {"memory", lg__verb_memory, "j", 1, 0, "where the memory is, to the byte",
     "leakgraph memory SNAP [--json]",
     "Prints what the memory of the process is made of. For each GPU it prints "
     "what\n"
     "PyTorch's allocator has reserved and allocated, what the objects of the\n"
     "snapshot use of it and for what, and what the rest probably is.\n"
     "\n"
     "Example:\n"
     "  leakgraph memory run.lgs\n"},
    {"figures", lg__verb_figures, "iELj", 1, 0, "matplotlib's figures",
     "leakgraph figures SNAP [--mine] [--module GLOB] [--limit N|all] [--json]",
     "Prints matplotlib's figures, the biggest first (20, or --limit): number, "
     "size,\n"
     "axes, artists, the pixels of the canvas, the retained size, and who "
     "holds the\n"
     "figure: pyplot's registry of open figures, an animation, a callback, a\n"
     "variable. --mine and --module print only those that the program's own "
     "modules or\n"
     "pyplot, or modules with such a name, hold.\n"
     "\n"
     "Example:\n"
     "  leakgraph figures run.lgs\n"},
    {"top", lg__verb_top, "GuriELj", 1, 0, "which objects retain the most",
     "leakgraph top SNAP [--group object|type|module] [--by KEY]\n"
     "       [--mine] [--module GLOB] [--libraries] [--limit N|all] [--json]",
     "Prints the objects with the largest retained sizes: the bytes that you "
     "would\n"
     "free with the object (20 lines, or --limit). Many small objects that are "
     "held\n"
     "alike are one line. What libraries keep for themselves is one line, too, "
     "unless\n"
     "you ask with --libraries. The last line has the rest, so the lines add "
     "up to the\n"
     "whole heap. --mine and --module show only what the program's own "
     "modules, "
     "or\n"
     "modules with such a name, hold. --group takes all objects of a type, or "
     "of the\n"
     "types of a module, together.\n"
     "\n"
     "Example:\n"
     "  leakgraph top run.lgs\n"
     "  leakgraph top run.lgs --group type --limit 5\n"},
    {"why", lg__verb_why, "j", 2, 0, "why an object is alive, and what to cut",
     "leakgraph why SNAP SELECTOR [--json]",
     "Prints what keeps the object alive: the path from a root, the immediate\n"
     "dominator, the retained size, and every reference that you must cut. It "
     "marks\n"
     "each reference of the path that alone frees the object. `path` prints "
     "only a\n"
     "shortest path. For several objects, `why` prints their merged paths (see "
     "`paths`),\n"
     "then why the one that retains the most is alive.\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph why run.lgs name:train.trainer\n"
     "  leakgraph why run.lgs type:torch.Tensor\n"},
    {"paths", lg__verb_paths, "Lj", 2, 0, "how the roots reach many objects",
     "leakgraph paths SNAP SELECTOR [--limit N|all] [--json]",
     "Prints the shortest paths from the roots to all the objects, merged into "
     "a\n"
     "tree wherever their references and types agree: how many objects each "
     "branch\n"
     "leads to, and what they retain. Elements of a list and values of a dict "
     "count\n"
     "as one (the biggest 20 lines, or --limit).\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph paths run.lgs type:torch.Tensor+\n"},
    {"cycles", lg__verb_cycles, "HkbuiELcKUj", 1, 0,
     "reference cycles, and what to cut",
     "leakgraph cycles SNAP [--holding TYPE] [--kind KINDS] [--min-bytes N]\n"
     "       [--mine] [--module GLOB] [--by KEY] [--limit N|all] [--check]\n"
     "       [--baseline FILE [--update-baseline]] [--json]",
     "Prints reference cycles, the biggest first (20, or --limit), with what "
     "they\n"
     "retain, whether the collector would free them, and the reference to "
     "cut.\n"
     "Without --min-bytes it prints all collectable and uncollectable cycles, "
     "and the\n"
     "held ones that retain 1 MiB, a tensor or a figure. Kinds:\n"
     "  collectable    garbage that the collector would free now\n"
     "  held           alive: a module, a thread or the interpreter reaches "
     "it\n"
     "  uncollectable  neither: native code holds it, or the collector cannot "
     "see\n"
     "                 all of it\n"
     "\n"
     "--mine and --module show only cycles that the program's own modules, or "
     "modules\n"
     "with such a name, hold. Garbage counts by its classes. With --check the "
     "exit\n"
     "code is 1 if any cycle is collectable or uncollectable that is not a "
     "library's\n"
     "own. An unknown TYPE is an error. --baseline leaves out those that the "
     "file "
     "lists;\n"
     "--update-baseline adds the others to it.\n"
     "\n"
     "Example:\n"
     "  leakgraph cycles run.lgs --holding tensor\n"
     "  leakgraph cycles run.lgs --check --min-bytes 1MiB\n"
     "  leakgraph cycles run.lgs --check --baseline known.txt "
     "--update-baseline\n"},
    {"findings", lg__verb_findings, "iEcKUj", 1, 0,
     "known mistakes, and their fixes",
     "leakgraph findings SNAP [--mine] [--module GLOB] [--check]\n"
     "       [--baseline FILE [--update-baseline]] [--json]",
     "Prints each known mistake that the snapshot shows, such as losses kept "
     "with\n"
     "their graphs, figures never closed, or exceptions that keep a frame's "
     "tensors:\n"
     "who holds what, how much it retains, the cause and the fix. With --check "
     "the\n"
     "exit code is 1 if there is a finding. --mine and --module print only "
     "those whose\n"
     "holder, or what it keeps, the program's own modules, or modules with "
     "such a name,\n"
     "hold.\n"
     "\n"
     "Example:\n"
     "  leakgraph findings run.lgs\n"},
    {"dominators", lg__verb_dominators, "Sj", 1, 1, "who owns the bytes",
     "leakgraph dominators SNAP [SELECTOR] [--min-share F] [--json]",
     "Prints the dominator tree of the heap, or what is below the object. Each "
     "node\n"
     "owns what is below it, because every path from a root goes through "
     "it.\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph dominators run.lgs --min-share 5%\n"},
    {"retained", lg__verb_retained, "j", 2, 0,
     "what a set of objects keeps alive",
     "leakgraph retained SNAP SELECTOR [--json]",
     "Prints the bytes that you would free with all the objects together, each "
     "byte\n"
     "counted once, and how that differs from the sum of their retained "
     "sizes.\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph retained run.lgs type:torch.Tensor+\n"},
    {"waste", lg__verb_waste, "riELj", 1, 0,
     "memory that the program could do without",
     "leakgraph waste SNAP [--mine] [--module GLOB] [--libraries] "
     "[--limit N|all]\n"
     "       [--json]",
     "Prints memory that the program could do without, the most first, with "
     "who holds it\n"
     "and what to do. It finds equal strs, bytes and arrays only in a snapshot "
     "taken\n"
     "with contents=True or --contents. What libraries and code keep is one "
     "line,\n"
     "unless you ask with --libraries. --mine and --module show only what such "
     "modules hold.\n"
     "\n"
     "Example:\n"
     "  leakgraph waste run.lgs --module train --limit 5\n"},
    {"what-if", lg__verb_what_if, "qLj", 1, 0,
     "what would die if references were cut",
     "leakgraph what-if SNAP --cut REF [--cut REF ...] [--limit N|all] "
     "[--json]",
     "Prints which objects would die if these references were cut, exactly, by "
     "type\n"
     "and bytes; how many of them would wait for the collector; and what would "
     "live\n"
     "on, with who holds it and what to cut next. An item of a dict goes with "
     "its key.\n"
     "\n"
     "REF names references:\n"
     "  train.trainer.losses      the last reference of a path from a module,\n"
     "                            or from #17 or an address: #17.x\n"
     "  train.losses[*].graph     [*] is every item, .* every attribute\n"
     "  '#17->#42'                all from one selector's objects to "
     "another's;\n"
     "                            * on one side stands for all objects\n"
     "\n"
     "Example:\n"
     "  leakgraph what-if run.lgs --cut train.trainer.losses\n"
     "  leakgraph what-if run.lgs --cut '*->type:torch.Tensor'\n"},
    {"render", lg__verb_render, "RBPMWCDAofdmtgwyHkbuSpe", 1, 1,
     "draw a picture",
     "leakgraph render SNAP [SELECTOR] "
     "[--refs|--backrefs|--path|--paths|--why|\n"
     "       --dominators|--cycle N] -o FILE\n"
     "       leakgraph render --diff OLD NEW [NEWER ...] -o FILE",
     "Draws what refers to the object, or another picture (see the options), "
     "into a\n"
     "file. The suffix chooses the format. --cycle takes no selector: it draws "
     "the\n"
     "cycle with this number in `leakgraph cycles` with the same options. "
     "Without a\n"
     "selector, --dominators draws the whole heap.\n" SELECTORS "\n"
     "Example:\n"
     "  leakgraph render run.lgs type:torch.Tensor -o why.svg\n"
     "  leakgraph render run.lgs name:train.trainer --why -o why.svg\n"
     "  leakgraph render run.lgs --dominators -o heap.pdf\n"
     "  leakgraph render run.lgs --cycle 1 -o cycle.png\n"
     "  leakgraph render --diff a.lgs b.lgs c.lgs -o growth.svg\n"},
};

const lg_verb *
lg__verb_at(size_t index)
{
    size_t count = sizeof verbs / sizeof *verbs;
    return index < count ? &verbs[index] : lg__file_verb_at(index - count);
}
