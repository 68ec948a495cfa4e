// Lists the verbs that compare snapshots or make files of them, with their
// options and help.

#include "command/file_verbs.h"

static const lg__verb verbs[] = {
    {"diff", lg__verb_diff, "pniELeFxcKUj", 2, LG__ANY_WORDS,
     "see what grows from snapshot to snapshot, and who holds it",
     "leakgraph diff OLD NEW [NEWER ...] [--steps A,B,...] [--min-bytes N]\n"
     "       [--mine] [--module GLOB] [--settled] [--limit N|all]\n"
     "       [--other-programs] [--check [--max-growth N]]\n"
     "       [--baseline FILE [--update-baseline]] [--json]",
     "Compares snapshots of one program, or their summaries, the oldest "
     "first.\n"
     "Prints what grows, who holds it, and how fast it grows, the\n"
     "most bytes gained first. Three snapshots or more tell a leak from "
     "memory\n"
     "that is allocated once, that goes up and down, or that fills up to a\n"
     "limit. With --mine and --module, only what the modules hold in the "
     "newest\n"
     "snapshot has rows. With --check, the exit code is 1 if the rows "
     "together\n"
     "gained more than --max-growth.\n"
     "\n"
     "Example:\n"
     "  leakgraph diff step-100.lgs step-200.lgs step-300.lgs --steps "
     "100,200,300\n"
     "  leakgraph diff a.lgsum b.lgsum c.lgsum --check --max-growth 64KiB\n"},
    {"ranks", lg__verb_ranks, "nLoj", 2, LG__ANY_WORDS,
     "compare the processes of a job",
     "leakgraph ranks SNAP SNAP [...] [--min-bytes N] [--limit N|all]\n"
     "       [--json | -o FILE.html]",
     "Compares the processes of one job, such as the ranks of a training run.\n"
     "Takes a snapshot or summary of each, all from the same moment. Prints "
     "the\n"
     "places where one has --min-bytes (1 MiB) more or less than the others\n"
     "usually have, the biggest difference first, then what every process "
     "has,\n"
     "and the processes. Devices of one kind count as one: cuda:3 of rank 3\n"
     "compares with cuda:0 of rank 0. With -o, writes a web page instead.\n"
     "\n"
     "Example:\n"
     "  leakgraph ranks rank-*.lgs\n"
     "  leakgraph ranks rank-*.lgs -o ranks.html\n"
     "  leakgraph ranks rank-*.lgsum --min-bytes 64MiB\n"},
    {"report", lg__verb_report, "opa", 1, LG__ANY_WORDS,
     "write one web page with all answers",
     "leakgraph report SNAP -o FILE.html\n"
     "       leakgraph report OLD [NEWER ...] NEWEST -o FILE.html "
     "[--steps A,B,...]\n"
     "                        [--samples FILE]",
     "Writes one HTML file that needs no network: what to do first, a map of\n"
     "who owns the bytes, and the tables of all answers. With several\n"
     "snapshots of one program, the oldest first, the page also shows what\n"
     "grows; all but the last may be summaries. With --samples, it shows\n"
     "memory over time, as watch() or attach wrote it. The page shows names\n"
     "from the snapshot, so `strip` the snapshot before you share the page\n"
     "with strangers.\n"
     "\n"
     "Example:\n"
     "  leakgraph report run.lgs -o run.html\n"
     "  leakgraph report a.lgs b.lgs c.lgs -o growth.html\n"},
    {"view", lg__verb_view, "NOp", 1, LG__ANY_WORDS,
     "browse snapshots, with a page for each object",
     "leakgraph view SNAP [NEWER ...] [--steps A,B,...] [--no-browser]\n"
     "       [--port N]",
     "Serves pages about the snapshot to the browser of this machine, and\n"
     "opens it: the page of `report`, a search by words or selectors, a page\n"
     "for each object with all references to it and from it, tables to group\n"
     "and filter, and what would die if you cut references. With several\n"
     "snapshots of one program, or their summaries, the pages are about the\n"
     "newest, and say what has grown since the first. The address contains\n"
     "a secret, and the server answers only requests from this machine that\n"
     "know it. To open the pages elsewhere, forward the port with\n"
     "ssh -L 8000:127.0.0.1:8000. Ctrl-C ends the server.\n"
     "\n"
     "Example:\n"
     "  leakgraph view run.lgs\n"
     "  leakgraph view a.lgs b.lgs c.lgs --steps 100,200,300\n"
     "  leakgraph view run.lgs --no-browser --port 8000\n"},
    {"summarize", lg__verb_summarize, "o", 1, 0,
     "write a small file that diff and ranks read",
     "leakgraph summarize SNAP -o FILE",
     "Writes a summary of the snapshot: its places, types and accounts,\n"
     "without its objects. The file is usually smaller than 200 KB, and "
     "`diff`\n"
     "and `ranks` read it like a snapshot.\n"
     "\n"
     "Example:\n"
     "  leakgraph summarize run.lgs -o run.lgsum\n"},
    {"analyze", lg__verb_analyze, "oz", 1, 0,
     "write a copy that answers at once",
     "leakgraph analyze IN -o OUT [--compress N]",
     "Analyses the snapshot and writes a copy with the results, from which\n"
     "`top`, `why`, `cycles` and the others answer at once.\n"
     "\n"
     "Example:\n"
     "  leakgraph analyze run.lgs -o analysed.lgs\n"},
    {"export", lg__verb_export, "ofQ", 1, 0,
     "write the snapshot for another tool",
     "leakgraph export SNAP -o FILE [--format NAME]\n"
     "       leakgraph export SNAP --parquet DIR",
     "Writes the snapshot in the format of another tool. The suffix of the "
     "file\n"
     "chooses the format, or --format does:\n"
     "  .heapsnapshot       Chrome DevTools, the Memory panel\n"
     "  .graphml            networkx, igraph, yEd\n"
     "  .gexf               Gephi\n"
     "  .folded             flame graphs\n"
     "  .speedscope.json    speedscope\n"
     "  .pb, .pb.gz         pprof (format pprof), compressed\n"
     "  .allocations.folded the lines that allocated, and who holds\n"
     "The first three have all objects and references, the others the bytes "
     "of\n"
     "each place in the dominator tree. --parquet writes the tables nodes,\n"
     "edges and types, for which it starts Python with pyarrow.\n"
     "\n"
     "Example:\n"
     "  leakgraph export run.lgs -o run.heapsnapshot\n"
     "  leakgraph export run.lgs -o run.pb && go tool pprof -top run.pb\n"},
    {"strip", lg__verb_strip, "oz", 1, 0,
     "write a copy without string keys and previews",
     "leakgraph strip SNAP -o FILE [--compress LEVEL]",
     "Writes a copy of the snapshot without string keys, previews, and what "
     "is\n"
     "known about equal contents. The names of types, attributes, variables "
     "and\n"
     "modules stay.\n"
     "\n"
     "Example:\n"
     "  leakgraph strip run.lgs -o share.lgs\n"},
    {"completion", lg__verb_completion, "", 1, 0,
     "complete command lines in bash, zsh or fish",
     "leakgraph completion bash|zsh|fish",
     "Prints a script with which the shell completes verbs, options and their\n"
     "words, files, and selectors, which it takes from the snapshot.\n"
     "\n"
     "Example:\n"
     "  source <(leakgraph completion bash)\n"
     "  leakgraph completion fish > "
     "~/.config/fish/completions/leakgraph.fish\n"},
};

const lg__verb *
lg__file_verb_at(size_t index)
{
    return index < sizeof verbs / sizeof *verbs ? &verbs[index] : NULL;
}
