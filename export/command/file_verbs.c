// The verbs that compare snapshots or make files of them: what each takes, and
// its help.

#include "command/file_verbs.h"

static const lg_verb verbs[] = {
    {"diff", lg__verb_diff, "pnLexcKUj", 2, ANY_WORDS,
     "what grows from snapshot to snapshot, and who holds it",
     "leakgraph diff OLD NEW [NEWER ...] [--steps A,B,...] [--min-bytes N]\n"
     "       [--settled] [--limit N|all] [--check [--max-growth N]]\n"
     "       [--baseline FILE [--update-baseline]] [--json]",
     "Compares snapshots of one program, or their summaries, the oldest\n"
     "first, and prints what there is more of, who holds it, and how fast it\n"
     "grows, the most bytes gained first (20 rows, or --limit). Three or more\n"
     "can tell a leak from what is made once, what goes up and down, and what\n"
     "is filled up to a limit. With --check the exit code is 1 if the rows\n"
     "gained more than --max-growth together. --baseline leaves out the "
     "places\n"
     "that the file lists; --update-baseline adds the others to it.\n"
     "\n"
     "Example:\n"
     "  leakgraph diff step-100.lgs step-200.lgs step-300.lgs --steps "
     "100,200,300\n"
     "  leakgraph diff a.lgsum b.lgsum c.lgsum --check --max-growth 64KiB\n"},
    {"ranks", lg__verb_ranks, "nLoj", 2, ANY_WORDS,
     "how the processes of one job differ, and what they all repeat",
     "leakgraph ranks SNAP SNAP [...] [--min-bytes N] [--limit N|all]\n"
     "       [--json | -o FILE.html]",
     "Compares the processes of one job, such as the ranks of a training run, "
     "by their\n"
     "snapshots or summaries of the same moment, and prints the places where "
     "one has\n"
     "--min-bytes (1 MiB) more or less than the others usually have, the "
     "furthest first\n"
     "(20 rows, or --limit). Below stand what every process has, and the "
     "processes.\n"
     "Devices of one kind are one: rank 3 does on cuda:3 what rank 0 does on "
     "cuda:0.\n"
     "With -o it writes a web page instead, with the ranks side by side.\n"
     "\n"
     "Example:\n"
     "  leakgraph ranks rank-*.lgs\n"
     "  leakgraph ranks rank-*.lgs -o ranks.html\n"
     "  leakgraph ranks rank-*.lgsum --min-bytes 64MiB\n"},
    {"report", lg__verb_report, "op", 1, ANY_WORDS,
     "write a web page with all answers, to look at and to share",
     "leakgraph report SNAP -o FILE.html\n"
     "       leakgraph report OLD [NEWER ...] NEWEST -o FILE.html "
     "[--steps A,B,...]",
     "Writes one HTML file that needs no network: what is worth doing first, "
     "who owns\n"
     "the bytes as areas to look around in, and the tables of all answers. Of "
     "several\n"
     "snapshots of one program, or summaries and then a snapshot, the oldest "
     "first, the\n"
     "page also shows what grows. It shows names that are in the snapshot: "
     "`strip` the\n"
     "snapshot before you share the page with strangers.\n"
     "\n"
     "Example:\n"
     "  leakgraph report run.lgs -o run.html\n"
     "  leakgraph report a.lgs b.lgs c.lgs -o growth.html\n"},
    {"view", lg__verb_view, "NO", 1, 0,
     "look around in a browser: every object has a page",
     "leakgraph view SNAP [--no-browser] [--port N]",
     "Serves pages about the snapshot to the browser of this machine, and "
     "opens "
     "it:\n"
     "the page of `report`, search by selector, a page for each object with "
     "all "
     "that\n"
     "refers to it and all that it refers to, tables to group and filter, and "
     "what\n"
     "would die if references were cut. The address contains a secret, and the "
     "server\n"
     "answers only those who know it, on this machine. To open the pages on "
     "another\n"
     "machine, forward the port: ssh -L 8000:127.0.0.1:8000. Ctrl-C ends the "
     "server.\n"
     "\n"
     "Example:\n"
     "  leakgraph view run.lgs\n"
     "  leakgraph view run.lgs --no-browser --port 8000\n"},
    {"summarize", lg__verb_summarize, "o", 1, 0,
     "write a small file that diff and ranks read",
     "leakgraph summarize SNAP -o FILE",
     "Writes a summary of the snapshot: its places, types and accounts, "
     "without its\n"
     "objects. The file usually has less than 200 KB, and `diff` and `ranks` "
     "read it\n"
     "like a snapshot.\n"
     "\n"
     "Example:\n"
     "  leakgraph summarize run.lgs -o run.lgsum\n"},
    {"analyze", lg__verb_analyze, "oz", 1, 0, "write a copy with the analysis",
     "leakgraph analyze IN -o OUT [--compress N]",
     "Analyses the snapshot and writes a copy with the results, so that top, "
     "why,\n"
     "cycles and the others answer at once.\n"
     "\n"
     "Example:\n"
     "  leakgraph analyze run.lgs -o analysed.lgs\n"},
    {"export", lg__verb_export, "ofQ", 1, 0,
     "write the snapshot for another tool",
     "leakgraph export SNAP -o FILE [--format NAME]\n"
     "       leakgraph export SNAP --parquet DIR",
     "Writes the snapshot in the format of another tool, which the suffix of "
     "the "
     "file or\n"
     "--format chooses:\n"
     "  .heapsnapshot       Chrome DevTools, the Memory panel\n"
     "  .graphml            networkx, igraph, yEd\n"
     "  .gexf               Gephi\n"
     "  .folded             flame graphs\n"
     "  .speedscope.json    speedscope\n"
     "  .pb, .pb.gz         pprof (format pprof), compressed\n"
     "The first three have all objects and references, the others the bytes of "
     "each\n"
     "place in the dominator tree. --parquet starts Python, which writes the "
     "tables\n"
     "nodes, edges and types with pyarrow.\n"
     "\n"
     "Example:\n"
     "  leakgraph export run.lgs -o run.heapsnapshot\n"
     "  leakgraph export run.lgs -o run.pb && go tool pprof -top run.pb\n"},
    {"strip", lg__verb_strip, "oz", 1, 0,
     "write a copy without string keys and previews",
     "leakgraph strip SNAP -o FILE [--compress LEVEL]",
     "Writes a copy of the snapshot without string keys and previews, to "
     "share. The\n"
     "names of types, attributes, variables and modules stay.\n"
     "\n"
     "Example:\n"
     "  leakgraph strip run.lgs -o share.lgs\n"},
};

const lg_verb *
lg__file_verb_at(size_t index)
{
    return index < sizeof verbs / sizeof *verbs ? &verbs[index] : NULL;
}
