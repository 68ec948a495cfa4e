// The verbs: what each takes, and its help.

#include "command/command.h"

#define SELECTORS                                                              \
    "\nSELECTOR names objects:\n"                                              \
    "  node:17 or #17            the node with that number\n"                  \
    "  0x7f12a4c0                the object at that address\n"                 \
    "  type:torch.Tensor         all of a type; * globs, a trailing + takes\n" \
    "                            subclasses in\n"                              \
    "  name:train.losses[0].x    from a module by attributes and keys\n"       \
    "  module:train              a module\n"

static const lg_verb verbs[] = {
    {"info", lg__verb_info, "j", 1, 0, "what the snapshot is of",
     "leakgraph info SNAP [--json]",
     "Prints when, where and how the snapshot was taken, how much it holds, "
     "and\nwhich libraries were looked into.\n"
     "\nExample:\n  leakgraph info run.lgs\n"},
    {"types", lg__verb_types, "slj", 1, 0, "how many objects of each type",
     "leakgraph types SNAP [--sort bytes|count|name] [--limit N] [--json]",
     "Prints a table of the types with the number of their objects and their "
     "own\nbytes, the largest first (20 lines, or --limit).\n"
     "\nExample:\n  leakgraph types run.lgs --sort count --limit 10\n"},
    {"refs", lg__verb_refs, "dlwyj", 2, 0, "what an object refers to",
     "leakgraph refs SNAP SELECTOR [--depth N] [--limit N] [--weak] [--json]",
     "Prints a tree of what the object holds, look-alikes folded.\n" SELECTORS
     "\nExample:\n  leakgraph refs run.lgs name:train.trainer --depth 2\n"},
    {"referrers", lg__verb_referrers, "dlwyj", 2, 0, "who refers to an object",
     "leakgraph referrers SNAP SELECTOR [--depth N] [--limit N] [--weak] "
     "[--json]",
     "Prints a tree of who holds the object, up to modules and "
     "threads.\n" SELECTORS
     "\nExample:\n  leakgraph referrers run.lgs type:torch.Tensor\n"},
    {"path", lg__verb_path, "lj", 2, 0, "why an object is alive",
     "leakgraph path SNAP SELECTOR [--limit N] [--json]",
     "Prints a shortest path of references from a root (a module, a thread) "
     "to the\nobject, or says that nothing reaches it.\n" SELECTORS
     "\nExample:\n  leakgraph path run.lgs 'type:train.Trainer'\n"},
    {"threads", lg__verb_threads, "j", 1, 0,
     "each thread's frames with their locals",
     "leakgraph threads SNAP [--json]",
     "Prints each thread with its frames, innermost first, and each suspended\n"
     "generator, coroutine and task, with their local variables, and what "
     "these retain.\n"
     "\nExample:\n  leakgraph threads run.lgs\n"},
    {"tensors", lg__verb_tensors, "VTLj", 1, 0, "every tensor's bytes, once",
     "leakgraph tensors SNAP [--device NAME] "
     "[--group storage|kind|device|dtype|shape]\n"
     "       [--limit N|all] [--json]",
     "Prints the storages of tensors, each once however many tensors look at "
     "it, with what\nthey are for (in PyTorch's words) and who holds them, "
     "the biggest first (20, or\n--limit). Tensors that only the autograd "
     "graph keeps are among them. Where a view\nkeeps more than it shows, "
     "`used` says how much it shows. --group adds them up.\n"
     "\nExample:\n  leakgraph tensors run.lgs --device cuda:0\n"
     "  leakgraph tensors run.lgs --group kind\n"},
    {"memory", lg__verb_memory, "j", 1, 0, "where the memory is, to the byte",
     "leakgraph memory SNAP [--json]",
     "Prints what the process's memory is made of, and for each GPU what "
     "PyTorch's\nallocator has reserved and allocated: how much of it objects "
     "of the snapshot have, by\nwhat it is for, and what the rest is, by the "
     "evidence there is.\n"
     "\nExample:\n  leakgraph memory run.lgs\n"},
    {"figures", lg__verb_figures, "Lj", 1, 0, "matplotlib's figures",
     "leakgraph figures SNAP [--limit N|all] [--json]",
     "Prints each figure of matplotlib, the biggest first (20, or --limit): "
     "its number, size,\naxes and artists, the pixels of its canvas, what "
     "would be freed with it, and who\nholds it: pyplot's registry of open "
     "figures, an animation, a callback, a variable.\n"
     "\nExample:\n  leakgraph figures run.lgs\n"},
    {"top", lg__verb_top, "GuLj", 1, 0, "who retains the most",
     "leakgraph top SNAP [--group object|type|module] [--by KEY]\n"
     "       [--limit N|all] [--json]",
     "Prints the objects that retain the most bytes: what would be freed if "
     "the object\nwere. --group type adds the objects of a type, or of all "
     "types of a module, up,\nno byte twice (20 lines, or --limit).\n"
     "\nExample:\n  leakgraph top run.lgs\n"
     "  leakgraph top run.lgs --group type --limit 5\n"},
    {"why", lg__verb_why, "j", 2, 0, "why an object is alive, in full",
     "leakgraph why SNAP SELECTOR [--json]",
     "Prints what keeps the object alive: the path from a root with the "
     "suspects marked,\nwho dominates it, what would be freed with it, and "
     "every reference that must be\ncut. `path` prints just a shortest "
     "path. Of several objects: their merged paths\n(see `paths`), then why "
     "the one that retains the most is alive.\n" SELECTORS
     "\nExample:\n  leakgraph why run.lgs name:train.trainer\n"
     "  leakgraph why run.lgs type:torch.Tensor\n"},
    {"paths", lg__verb_paths, "Lj", 2, 0, "how all objects of a kind are held",
     "leakgraph paths SNAP SELECTOR [--limit N|all] [--json]",
     "Prints the shortest paths from the roots to all the objects, merged "
     "into a tree\nwherever the references and types on them agree: how many "
     "objects each branch leads\nto, and what they retain. Elements of a list "
     "and values of a dict count as one. The\nbiggest 20 lines, or "
     "--limit.\n" SELECTORS
     "\nExample:\n  leakgraph paths run.lgs type:torch.Tensor+\n"},
    {"cycles", lg__verb_cycles, "HkbuLcj", 1, 0, "reference cycles",
     "leakgraph cycles SNAP [--holding TYPE] [--kind KINDS] [--min-bytes N]\n"
     "       [--by KEY] [--limit N|all] [--check] [--json]",
     "Prints the cycles with what they retain, whether the collector would "
     "free them, and\nthe reference to cut, the biggest first (20, or "
     "--limit). Without --min-bytes: all\nthat are collectable or "
     "uncollectable, and those held that retain 1 MiB, a tensor\nor a figure. "
     "Kinds:\n"
     "  collectable    garbage: the collector would free it now\n"
     "  held           alive: a module, a thread or the interpreter reaches "
     "it\n"
     "  uncollectable  neither: native code holds it, or the collector cannot "
     "see all of it\n"
     "\nWith --check the exit code is 1 if any is collectable or "
     "uncollectable: for tests.\n"
     "\nExample:\n  leakgraph cycles run.lgs --holding tensor\n"
     "  leakgraph cycles run.lgs --check --min-bytes 1MiB\n"},
    {"findings", lg__verb_findings, "cj", 1, 0,
     "known mistakes, and their fixes",
     "leakgraph findings SNAP [--check] [--json]",
     "Prints each known mistake that the snapshot shows: losses kept with "
     "their "
     "graphs,\nfigures never closed, exceptions that keep a frame's tensors "
     "and "
     "so on; who holds\nwhat, how much it retains, the cause and the fix. With "
     "--check the exit code is 1\nif there is any.\n"
     "\nExample:\n  leakgraph findings run.lgs\n"},
    {"dominators", lg__verb_dominators, "Sj", 1, 1, "who owns the bytes",
     "leakgraph dominators SNAP [SELECTOR] [--min-share F] [--json]",
     "Prints the dominator tree of the heap, or what lies below the object: "
     "each node\nowns what is below it, because every path from a root comes "
     "through it.\n" SELECTORS
     "\nExample:\n  leakgraph dominators run.lgs --min-share 5%\n"},
    {"retained", lg__verb_retained, "j", 2, 0,
     "what a set of objects keeps alive",
     "leakgraph retained SNAP SELECTOR [--json]",
     "Prints the bytes that would be freed if all the objects went together, "
     "no byte\ntwice, and how that differs from the sum of what each "
     "retains.\n" SELECTORS
     "\nExample:\n  leakgraph retained run.lgs type:torch.Tensor+\n"},
    {"render", lg__verb_render, "RBPMWCDofdmtgwyHkbuS", 1, 1, "a picture",
     "leakgraph render SNAP [SELECTOR] [--refs|--backrefs|--path|--paths|"
     "--why|\n       --dominators|--cycle N] -o FILE",
     "Draws who holds the object into a file (or what it holds, a path from a "
     "root, how the\nroots reach all objects of the selector, all that keeps "
     "the object alive, or what it\ndominates); the suffix chooses the "
     "format. --cycle needs no selector and draws a\ncycle by its number in "
     "`leakgraph cycles` with the same options; --dominators without\none "
     "draws the whole heap.\n" SELECTORS
     "\nExample:\n  leakgraph render run.lgs type:torch.Tensor -o why.svg\n"
     "  leakgraph render run.lgs name:train.trainer --why -o why.svg\n"
     "  leakgraph render run.lgs --dominators -o heap.pdf\n"
     "  leakgraph render run.lgs --cycle 1 -o cycle.png\n"},
    {"analyze", lg__verb_analyze, "oz", 1, 0,
     "a copy that needs no analysis later",
     "leakgraph analyze IN -o OUT [--compress N]",
     "Analyses the snapshot and writes it with the results, so that top, why, "
     "cycles and\nthe others answer at once.\n"
     "\nExample:\n  leakgraph analyze run.lgs -o analysed.lgs\n"},
    {"strip", lg__verb_strip, "oz", 1, 0, "a copy without the user's own texts",
     "leakgraph strip SNAP -o FILE [--compress LEVEL]",
     "Writes a copy of the snapshot without string keys and previews. Names "
     "of types,\nattributes, variables and modules stay.\n"
     "\nExample:\n  leakgraph strip run.lgs -o share.lgs\n"},
};

const lg_verb *
lg__verb_at(size_t index)
{
    return index < sizeof verbs / sizeof *verbs ? &verbs[index] : NULL;
}
