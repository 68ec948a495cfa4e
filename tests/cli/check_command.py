"""The command `leakgraph` from outside: reports, pictures, exit codes, errors.

Run by ctest as `check_command.py COMMAND MAKE_SNAPSHOT...`; standard library only.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import exports

COMMAND = ""
MAKE_SNAPSHOT: list[str] = []


class Command(unittest.TestCase):
    """Every verb on snapshots of made-up heaps."""

    folder: tempfile.TemporaryDirectory[str]
    here: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Makes one snapshot of each heap in use."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = Path(cls.folder.name)
        for shape in (
            "losses",
            "held",
            "loop",
            "names",
            "dicts",
            "family",
            "disjoint",
            "partial",
            "training",
            "figure",
            "chain",
        ):
            file = cls.here / f"{shape}.lgs"
            subprocess.run([*MAKE_SNAPSHOT, shape, str(file)], check=True)

    @classmethod
    def tearDownClass(cls) -> None:
        """Removes the snapshots."""
        cls.folder.cleanup()

    def run_command(
        self, *words: str, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs the command in the folder of the snapshots."""
        return subprocess.run(
            [COMMAND, *words],
            cwd=self.here,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def fine(self, *words: str) -> str:
        """The output of a command that has nothing to complain about."""
        done = self.run_command(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def refused(self, code: int, sentence: str, *words: str) -> None:
        """One line on standard error, this exit code and nothing else."""
        done = self.run_command(*words)
        self.assertEqual(done.returncode, code, (words, done.stderr))
        self.assertEqual(done.stdout, "", words)
        self.assertTrue(done.stderr.startswith("leakgraph: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(sentence, done.stderr)

    def test_help_and_version(self) -> None:
        help_text = self.fine("--help")
        verbs = "info types refs referrers path threads tensors memory figures top"
        verbs += " why paths cycles dominators retained waste what-if render diff"
        verbs += " report view summarize analyze export strip"
        for verb in verbs.split():
            self.assertIn(f"  {verb} ", help_text)
            own = self.fine(verb, "--help")
            self.assertRegex(own, f"^Usage: leakgraph {verb} (SNAP|IN|OLD)")
            self.assertIn("Example:", own)
            self.assertIn("--help", own)
            self.assertEqual(self.fine("help", verb), own)
            self.assertLess(max(map(len, own.splitlines())), 90, own)
        self.refused(2, "there is no verb tpo: did you mean top?", "help", "tpo")
        self.refused(2, "no verb version: did you mean --version?", "version")
        self.refused(2, "no verb vresion: did you mean --version?", "vresion")
        self.refused(2, "no verb hlep: did you mean help?", "hlep")
        self.refused(2, "there is no verb \\x1b[31m\\x0a: see", "help", "\x1b[31m\n")
        self.assertRegex(self.fine("--version"), r"^leakgraph \d+\.\d+\.\d+\n$")

    def test_info(self) -> None:
        self.assertIn("4127", self.fine("info", "losses.lgs"))
        json.loads(self.fine("info", "losses.lgs", "--json"))

    def test_json_of_all_verbs_has_rows_but_where_the_manual_says_so(self) -> None:
        snapshot, selector = "losses.lgs", "name:train.trainer.losses"
        tables = "types top cycles dominators tensors figures memory threads waste"
        rows = [(verb, snapshot) for verb in [*tables.split(), "findings"]]
        rows += [("paths", snapshot, selector), ("diff", snapshot, snapshot)]
        rows += [("what-if", snapshot, "--cut", selector[5:])]
        other: dict[tuple[str, ...], set[str]] = {
            ("info", snapshot): {"objects", "info"},
            ("retained", snapshot, selector): {"count", "retained", "own", "sum"},
            ("why", snapshot, selector): {"paths", "biggest"},
            ("questions",): {"questions"},
        }
        for verb in ("refs", "referrers", "path"):
            other[verb, snapshot, selector] = {"nodes", "edges"}
        for words in [*rows, *other]:
            said = json.loads(self.fine(*words, "--json"))
            expected = other.get(words, {"rows"})
            self.assertLessEqual(expected, {*said}, words)
            self.assertEqual("rows" in said, "rows" in expected, words)

    def test_types(self) -> None:
        table = self.fine("types", "losses.lgs", "--limit", "1")
        self.assertIn("torch.Tensor", table)
        self.assertNotIn("train.Trainer", table)
        by_name = self.fine("types", "losses.lgs", "--by=type", "--limit=all")
        self.assertLess(by_name.index("MulBackward0"), by_name.index("torch."))
        json.loads(self.fine("types", "losses.lgs", "--json"))

    def test_threads(self) -> None:
        text = self.fine("threads", "held.lgs")
        self.assertIn("MainThread  retains ", text)
        rows = json.loads(self.fine("threads", "held.lgs", "--json"))["rows"]
        kinds = [row["kind"] for row in rows[:3]]
        self.assertEqual(kinds, ["thread", "frame", "local"])
        self.assertIsNotNone(rows[2]["retained"])
        part = json.loads(self.fine("threads", "partial.lgs", "--json"))
        self.assertEqual({row["retained"] for row in part["rows"]} - {None}, set())

    def test_tensors(self) -> None:
        places = self.fine("tensors", "training.lgs")
        self.assertIn("2 more places with less than 0.1 % each: 104 B", places)
        first = self.fine("tensors", "training.lgs", "--limit", "1")
        self.assertIn("... and 5 more rows\n", first)
        text = self.fine("tensors", "training.lgs", "--group", "storage")
        self.assertIn("activation      train.losses[0].grad_fn saved", text)
        self.assertIn("\n6 storages, 3.39 MiB cuda:0 · 4 B host in all", text)
        host = self.fine("tensors", "training.lgs", "--device", "host")
        self.assertEqual(host, self.fine("tensors", "training.lgs", "--device=cpu"))
        self.assertIn("\n1 storage, 4 B in all", host)
        few = json.loads(self.fine("tensors", "training.lgs", "--limit=2", "--json"))
        self.assertEqual((len(few["rows"]), few["storages"]), (2, 6))
        every = self.fine("tensors", "training.lgs", "--limit=all", "--json")
        self.assertEqual(len(json.loads(every)["rows"]), 6)
        for key in ("kind", "device", "dtype", "shape"):
            words = ("tensors", "training.lgs", "--group", key)
            self.assertIn(f"storages  {key}", self.fine(*words))
            self.assertEqual(json.loads(self.fine(*words, "--json"))["group"], key)
        self.assertEqual(self.fine("tensors", "loop.lgs"), "There is no tensor.\n")
        self.refused(
            2,
            "the snapshot has no device 'cuda:7'; it has 'host', 'cuda:0'",
            *("tensors", "training.lgs", "--device", "cuda:7"),
        )
        self.refused(
            2,
            "--group takes place, storage, kind, device, dtype or shape, not 'type'",
            *("tensors", "training.lgs", "--group", "type"),
        )

    def test_memory(self) -> None:
        text = self.fine("memory", "training.lgs")
        self.assertRegex(text, r"(?m)^    allocated +4\.39 MiB$")
        self.assertIn("512 bytes more than its blocks", text)
        reported = json.loads(self.fine("memory", "training.lgs", "--json"))
        (gpu,) = reported["devices"]
        self.assertEqual(gpu["attributed"] + gpu["unattributed"], gpu["allocated"])
        self.assertEqual(sum(gpu["by_kind"].values()), gpu["attributed"])
        self.assertEqual(reported["host"]["mapped"], 65536)
        self.assertIn("the snapshot is partial", self.fine("memory", "partial.lgs"))

    def test_refs(self) -> None:
        text = self.fine("refs", "losses.lgs", "name:train.trainer")
        self.assertIn("[3] … [999]  997 more Tensor", text)
        shallow = self.fine("refs", "losses.lgs", "name:train.trainer", "--depth", "1")
        self.assertNotIn("Tensor", shallow)
        few = self.fine("refs", "losses.lgs", "name:train.trainer", "--limit=4")
        self.assertLessEqual(few.count("\n"), 5)
        view = json.loads(
            self.fine("refs", "losses.lgs", "name:train.trainer", "--json")
        )
        self.assertEqual(view["direction"], "refs")
        self.assertEqual(view["nodes"][0]["type"], "train.Trainer")

    def test_referrers(self) -> None:
        text = self.fine("referrers", "held.lgs", "#0")
        self.assertIn("2 references leakgraph cannot see", text)
        self.assertIn("local table", text)
        view = json.loads(self.fine("referrers", "held.lgs", "#0", "--json"))
        kinds = {node["kind"] for node in view["nodes"]}
        self.assertLessEqual({"object", "native", "group"}, kinds)

    def test_weak_references_are_asked_for(self) -> None:
        plain = self.fine("referrers", "loop.lgs", "#0")
        weak = self.fine("referrers", "loop.lgs", "#0", "--weak")
        self.assertNotIn("(weak)", plain)
        self.assertIn("(weak)", weak)

    def test_path(self) -> None:
        text = self.fine("path", "held.lgs", "#0")
        self.assertTrue(text.startswith("┬───\n│ GC root: "))
        self.assertIn("╰→ ndarray", text)
        self.assertIn("no root reaches it", self.fine("path", "loop.lgs", "#0"))
        view = json.loads(self.fine("path", "held.lgs", "#0", "--json"))
        self.assertTrue(all(e["path"] for e in view["edges"] if e["label"]))

    def test_figures(self) -> None:
        text = self.fine("figures", "figure.lgs", "--limit", "all")
        self.assertIn("1 figure: 1 closed; together 1.17 MiB", text)
        self.assertIn("640x480", text)
        report = json.loads(self.fine("figures", "figure.lgs", "--json"))
        (figure,) = report["rows"]
        self.assertEqual(figure["number"], 3)
        self.assertEqual(figure["canvas"], 1228800)
        self.assertEqual(
            figure["holders"], [{"kind": "variable", "held_by": "plot.figure"}]
        )
        self.assertIn("no figure", self.fine("figures", "family.lgs"))
        self.refused(4, "whole snapshot", "figures", "partial.lgs")

    def test_top(self) -> None:
        table = self.fine("top", "family.lgs", "--limit", "1")
        self.assertIn("list of 3", table)
        self.assertNotIn("list of 2", table)
        everything = self.fine("top", "family.lgs", "--limit", "all")
        self.assertGreater(everything.count("\n"), table.count("\n"))
        types = self.fine("top", "family.lgs", "--group", "type")
        self.assertIn("bytearray", types)
        self.assertIn("app", self.fine("top", "family.lgs", "--group=module"))
        for group in ("object", "type", "module"):
            json.loads(self.fine("top", "family.lgs", "--group", group, "--json"))
        self.refused(2, "not 'size'", "top", "family.lgs", "--group", "size")

    def test_by(self) -> None:
        for verb in ("top", "cycles"):
            plain = self.fine(verb, "family.lgs")
            for by in ("retained", "host", "cpu"):
                self.assertEqual(self.fine(verb, "family.lgs", "--by", by), plain)
            words = (verb, "family.lgs", "--by", "cuda:3")
            self.refused(2, "the snapshot has no device 'cuda:3'", *words)

    def test_why(self) -> None:
        text = self.fine("why", "disjoint.lgs", "type:bytearray")
        for way in (".last", ".cache['user-17']", ".queue[0]"):
            self.assertIn(way, text)
        self.assertIn("64.0 MiB", text)
        one = json.loads(self.fine("why", "disjoint.lgs", "#4", "--json"))
        self.assertEqual(len(one["biggest"]["cuts"]), 3)
        self.assertEqual(one["paths"]["objects"], 1)
        self.refused(2, "leakgraph: ", "why", "disjoint.lgs", "type:nothing.Such")

    def test_why_of_many(self) -> None:
        text = self.fine("why", "losses.lgs", "type:torch.Tensor")
        self.assertIn("1,000 objects retain", text)
        self.assertIn("[*]  1,000 torch.Tensor", text)
        self.assertIn("The one that retains the most:", text)
        self.assertEqual(text.count("GC root:"), 1)
        many = json.loads(self.fine("why", "losses.lgs", "type:torch.Tensor", "--json"))
        self.assertEqual(many["paths"]["objects"], 1000)
        self.assertEqual(many["biggest"]["type"], "torch.Tensor")

    def test_paths(self) -> None:
        text = self.fine("paths", "losses.lgs", "type:torch.Tensor")
        self.assertIn("1,000 objects retain", text)
        self.assertIn("[*]  1,000 torch.Tensor", text)
        few = self.fine("paths", "losses.lgs", "type:*", "--limit", "1")
        self.assertIn(" more\n", few)
        every = self.fine("paths", "losses.lgs", "type:*", "--limit", "all")
        self.assertNotIn(" more\n", every)
        paths = json.loads(self.fine("paths", "family.lgs", "type:app.Child", "--json"))
        self.assertEqual((paths["objects"], paths["unreachable"]), (6, 2))
        self.refused(2, "leakgraph: ", "paths", "disjoint.lgs", "type:nothing.Such")
        words = ["path", "disjoint.lgs", "type:list", "--limit"]
        for limit in ("-1", "9" * 20):
            self.refused(2, f"positive number or all, not '{limit}'", *words, limit)
        self.refused(4, "needs a whole snapshot", "paths", "partial.lgs", "#0")

    def test_every_line_of_a_tree(self) -> None:
        words = ("chain.lgs", "#2001", "--limit")
        self.assertIn("more objects", self.fine("path", *words, "1000"))
        whole = self.fine("path", *words, "all")
        self.assertEqual(whole.count(".next"), 2000)
        self.assertNotIn("more objects", whole)
        for verb in ("refs", "referrers"):
            self.fine(verb, *words, "all")

    def test_cycles(self) -> None:
        text = self.fine("cycles", "family.lgs")
        for word in ("held", "collectable", "native code holds", "Child.parent"):
            self.assertIn(word, text)
        words = ("cycles", "family.lgs", "--json")
        kinds = [c["kind"] for c in json.loads(self.fine(*words))["rows"]]
        self.assertEqual(kinds, ["held", "collectable", "uncollectable"])
        for extra, count in (
            (("--limit", "1"), 1),
            (("--limit", "all"), 3),
            (("--kind", "held,collectable"), 2),
            (("--min-bytes", "3MiB"), 2),
            (("--min-bytes", "3000000"), 2),
            (("--min-bytes", "9437185"), 1),
            (("--min-bytes", "1GB"), 0),
            (("--holding", "bytearray"), 3),
        ):
            done = self.run_command(*words, *extra)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(len(json.loads(done.stdout)["rows"]), count, extra)
        self.refused(2, "not 'x'", "cycles", "family.lgs", "--kind", "x")
        self.refused(2, "not 'held,'", "cycles", "family.lgs", "--kind", "held,")
        for size in ("x", "-1", "3XB", "1e30", ""):
            self.refused(2, "a size", "cycles", "family.lgs", f"--min-bytes={size}")

    def test_a_part_of_a_heap_is_not_analysed(self) -> None:
        file = "partial.lgs"
        for words in (
            ("top", file),
            ("why", file, "#0"),
            ("cycles", file, "--check"),
            ("dominators", file),
            ("retained", file, "#0"),
            ("analyze", file, "-o", "x.lgs"),
            ("render", file, "--dominators", "-o", "x.svg"),
        ):
            self.refused(4, "needs a whole snapshot", *words)
        self.fine("refs", file, "#0")

    def test_a_type_that_nothing_has_is_said(self) -> None:
        said = "knows no type app.Chidl; did you mean app.Child?"
        self.refused(2, said, "cycles", "family.lgs", "--holding", "app.Chidl")

    def test_cycles_check(self) -> None:
        for extra, code in (
            ((), 1),
            (("--limit", "1"), 1),
            (("--kind", "held"), 0),
            (("--kind", "uncollectable"), 1),
            (("--min-bytes", "4MiB"), 1),
            (("--min-bytes", "5MiB"), 0),
        ):
            done = self.run_command("cycles", "family.lgs", "--check", *extra)
            self.assertEqual((done.returncode, done.stderr), (code, ""), extra)
            self.assertIn("cycle", done.stdout)
        self.assertEqual(self.run_command("cycles", "family.lgs").returncode, 0)
        self.refused(3, "none.lgs", "cycles", "none.lgs", "--check")

    def test_what_some_modules_hold(self) -> None:
        verbs = ("types", "threads", "tensors", "figures", "top", "cycles", "findings")
        for verb in verbs:
            whole = self.fine(verb, "training.lgs", "--json")
            mine = self.fine(verb, "training.lgs", "--json", "--mine")
            self.assertLessEqual(len(mine), len(whole), verb)
            words = (verb, "training.lgs", "--module", "trian")
            self.refused(2, "no module matches 'trian'; did you mean 'train'?", *words)
            self.fine(verb, "training.lgs", "--module", "train")

    def test_what_some_modules_hold_of_trees_and_comparisons(self) -> None:
        file = "training.lgs"
        self.fine("summarize", file, "-o", "training.lgsum")
        summary = "--mine and --module need a snapshot as the last file"
        self.refused(2, summary, "diff", file, "training.lgsum", "--mine")
        for words in (
            ("dominators", file),
            ("what-if", file, "--cut", "train.losses"),
            ("diff", file, file),
            ("render", file, "--dominators", "-o", "x.dot"),
            ("render", file, "--cycle", "1", "--min-bytes", "0", "-o", "x.dot"),
            ("render", "--diff", file, file, "-o", "x.dot"),
        ):
            missing = "no module matches 'trian'; did you mean 'train'?"
            self.refused(2, missing, *words, "--module", "trian")
        whole = self.fine("dominators", file, "--min-share", "0")
        part = self.fine("dominators", file, "--min-share", "0", "--module", "train")
        self.assertIn("only what the chosen modules hold is shown", part)
        self.assertLessEqual(part.count("\n"), whole.count("\n"))
        self.fine("what-if", file, "--cut", "train.losses", "--mine")
        self.fine("diff", file, "training.lgs", "--module", "train")
        go = "--mine and --module go with --cycle, --dominators or --diff"
        self.refused(2, go, "render", file, "#0", "--mine", "-o", "x.dot")

    def test_a_baseline_of_cycles(self) -> None:
        words = ("cycles", "family.lgs", "--check", "--baseline", "known.txt")
        self.refused(3, "cannot open the baseline known.txt", *words)
        need = "--update-baseline needs a file"
        self.refused(2, need, "cycles", "family.lgs", "--update-baseline")
        said = self.fine(*words, "--update-baseline")
        self.assertTrue(said.startswith("1 cycle: 1 held; 2 more known to the"), said)
        self.assertEqual(self.fine(*words), said)
        known = (self.here / "known.txt").read_text().splitlines()
        self.assertEqual(known[0], "leakgraph baseline 1")
        self.assertRegex(known[1], "^cycle [0-9a-f]{16} collectable: Parent.children")
        self.assertRegex(known[2], "^cycle [0-9a-f]{16} uncollectable: Parent")
        (self.here / "known.txt").write_text("\n".join(known[:2]))
        done = self.run_command(*words, "--json")
        self.assertEqual(done.returncode, 1)
        found = json.loads(done.stdout)
        self.assertEqual((found["known"], found["leaks"]), (1, 1))
        self.assertIn(found["rows"][1]["key"], known[2])
        (self.here / "known.txt").write_text("{}")
        self.refused(3, "known.txt is no baseline", *words)

    def test_a_baseline_of_growth(self) -> None:
        words = ("diff", "losses.lgs", "training.lgs", "--check")
        more = ("--baseline", "grown.txt")
        self.refused(3, "cannot open the baseline grown.txt", *words, *more)
        self.refused(2, "needs a file", *words, "--update-baseline")
        whole = json.loads(self.fine(*words[:3], "--json"))
        self.assertEqual(whole["known"], 0)
        said = self.fine(*words, *more, "--update-baseline")
        self.assertIn("Nothing else grows.", said)
        self.assertIn(" that the baseline knows", said)
        self.assertEqual(self.fine(*words, *more), said)
        lines = (self.here / "grown.txt").read_text().splitlines()
        (self.here / "grown.txt").write_text("\n".join(lines[:-1]))
        done = self.run_command(*words, *more, "--json")
        self.assertEqual(done.returncode, 1)
        found = json.loads(done.stdout)
        self.assertEqual(found["known"] + 1, len(whole["rows"]))
        for row in (*found["rows"], *whole["rows"]):
            del row["lead"]  # an index among the rows that are told
        self.assertEqual(found["rows"], whole["rows"][-1:])
        self.fine("findings", "losses.lgs", *more, "--check")

    def test_dominators(self) -> None:
        text = self.fine("dominators", "family.lgs")
        self.assertIn(".children  list of 3", text)
        self.assertIn("[*]  2 x Child #", text)
        each = self.fine("dominators", "family.lgs", "--min-share", "0")
        self.assertNotIn("2 x Child", each)
        self.assertEqual(each.count("  Child #"), 4)
        below = self.fine("dominators", "family.lgs", "name:app.families")
        self.assertNotIn("module app", below)
        coarse = self.fine("dominators", "family.lgs", "--min-share", "90%")
        self.assertLess(coarse.count("\n"), text.count("\n"))
        self.assertEqual(
            coarse, self.fine("dominators", "family.lgs", "--min-share=0.9")
        )
        json.loads(self.fine("dominators", "family.lgs", "--json"))
        for share in ("2", "x", "101%", "-1", "nan"):
            words = ("dominators", "family.lgs", f"--min-share={share}")
            self.refused(2, "a share", *words)

    def test_what_if(self) -> None:
        words = ("what-if", "losses.lgs", "--cut")
        text = self.fine(*words, "train.trainer.losses[*]")
        one = json.loads(self.fine(*words, "train.trainer.losses[*]", "--json"))
        self.assertIn(f"{one['objects']:,} objects would die", text)
        self.assertEqual(one["objects"], sum(row["count"] for row in one["rows"]))
        twice = self.fine(
            *words, "train.trainer.losses[*]", "--cut", "train.trainer.losses[*]"
        )
        self.assertEqual(text, twice)
        self.refused(2, "what-if needs a reference", "what-if", "losses.lgs")
        self.refused(2, "names no reference", *words, "type:list")
        self.refused(2, "at most", "what-if", "losses.lgs", *["--cut", "a.b"] * 65)

    def test_export(self) -> None:
        info = json.loads(self.fine("info", "training.lgs", "--json"))
        for name in ("a.heapsnapshot", "a.graphml", "a.gexf", "a.folded", "a.pb"):
            self.assertEqual(self.fine("export", "training.lgs", "-o", name), "")
        self.fine("export", "training.lgs", "-o", "a.json", "--format", "speedscope")
        nodes, edges = info["objects"], info["references"]
        for name in ("a.graphml", "a.gexf"):
            self.assertEqual(exports.xml_counts(self.here / name), (nodes, edges))
        dev_tools = exports.HeapSnapshot(self.here / "a.heapsnapshot")
        self.assertEqual(len(dev_tools.nodes), nodes + 1)
        self.assertEqual(dev_tools.size, sum(info["shallow_size"].values()))
        self.assertEqual(exports.folded_bytes(self.here / "a.folded"), dev_tools.size)
        self.assertEqual(
            exports.speedscope_bytes(self.here / "a.json"), info["shallow_size"]
        )
        self.fine("export", "training.lgs", "-o", "a.pb.gz")
        for name in ("a.pb", "a.pb.gz"):
            self.assertEqual(
                exports.pprof_bytes(self.here / name), info["shallow_size"]
            )
        self.refused(2, "needs a file", "export", "losses.lgs")
        self.refused(2, "the formats are", "export", "losses.lgs", "-o", "a.doc")
        self.refused(4, "cannot", "export", "losses.lgs", "-o", "no/where.gexf")

    def test_export_without_standard_output(self) -> None:
        words = "export losses.lgs -o - --format gexf >&-"
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" {words}', COMMAND],
            cwd=self.here,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("standard output", done.stderr)
        self.assertFalse((self.here / "-").exists())

    def test_waste(self) -> None:
        text = self.fine("waste", "training.lgs")
        self.assertIn("Contents were not compared", text)
        few = json.loads(self.fine("waste", "training.lgs", "--limit=1", "--json"))
        every = json.loads(self.fine("waste", "training.lgs", "--limit=all", "--json"))
        self.assertEqual(few["total"], every["total"])
        self.assertEqual(few["rows"], every["rows"][:1])
        everything = json.loads(
            self.fine("waste", "training.lgs", "--libraries", "--json")
        )
        self.assertEqual(everything["libraries"]["host"], 0)
        self.refused(2, "nowhere", "waste", "training.lgs", "--module", "nowhere")

    def test_retained(self) -> None:
        text = self.fine("retained", "family.lgs", "type:bytearray")
        self.assertIn("6 objects retain 14.0 MiB", text)
        self.assertIn("the same", text)
        words = ("retained", "losses.lgs")
        self.assertIn("counts twice", self.fine(*words, "type:*"))
        one = json.loads(self.fine(*words, "name:train.trainer.losses", "--json"))
        self.assertEqual(one["count"], 1)
        self.assertEqual(one["retained"], one["sum"])
        self.assertEqual(one["own"]["host"], 8056)
        shared = json.loads(self.fine("retained", "disjoint.lgs", "type:*", "--json"))
        self.assertGreater(shared["sum"]["host"], shared["retained"]["host"])

    def test_a_set_retains_what_its_members_share(self) -> None:
        self.fine("retained", "held.lgs", "type:report.Page")
        several = ("type:app.Service", "type:app.Service", "type:bytearray")
        both = json.loads(self.fine("retained", "disjoint.lgs", *several, "--json"))
        first = json.loads(self.fine("retained", "disjoint.lgs", several[0], "--json"))
        last = json.loads(self.fine("retained", "disjoint.lgs", several[2], "--json"))
        self.assertEqual(both["count"], first["count"] + last["count"])
        text = self.fine("retained", "disjoint.lgs", "type:app.Service")
        self.assertIn("1 object retains 64.0 MiB", text)

    def check_growth(self, said: dict, *words: str) -> None:
        """Of a check: the exit code, which places failed, and by how much."""
        rows = said["rows"]
        failed = self.run_command(*words)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("Check failed: +", failed.stdout)
        self.assertNotRegex(failed.stdout, r"\d  [0-9a-f]{16}", "bytes have a unit")
        self.assertIsNone(said["check"])
        for row in rows:
            self.assertIn(f"{row['place']}  {row['held_by']}", failed.stdout)
        gained = sum(row["gained"] for row in rows)
        most = f"{gained - 1000}B"
        done = self.run_command(*words, "--json", "--limit", "1", "--max-growth", most)
        self.assertEqual(done.returncode, 1)
        check = json.loads(done.stdout)["check"]
        keys = ("gained", "place", "held_by")
        places = [{key: row[key] for key in keys} for row in rows]
        self.assertEqual(check.pop("failed"), places)
        self.assertEqual(
            check,
            {
                "passed": False,
                "max_growth": gained - 1000,
                "gained": gained,
                "over": 1000,
            },
        )
        passed = self.fine(*words, "--max-growth", f"{gained}B")
        self.assertIn("Check passed: +", passed)
        check = json.loads(self.fine(*words, "--max-growth", "1TiB", "--json"))["check"]
        self.assertTrue(check["passed"])
        self.assertEqual((check["over"], check["failed"]), (0, []))

    def test_diff(self) -> None:
        one, two = "losses.lgs", "training.lgs"
        same = self.fine("diff", one, one)
        self.assertIn("Nothing grows.", same)
        grown = self.fine("diff", one, two)
        self.assertIn("two snapshots cannot tell a leak", grown)
        self.assertIn(" in  ", grown)
        said = json.loads(self.fine("diff", one, two, "--json", "--limit", "all"))
        self.assertTrue(said["is_growing"])
        self.assertEqual(said["snapshots"], 2)
        rates = json.loads(self.fine("diff", one, two, "--steps", "1,11", "--json"))
        row = rates["rows"][0]
        self.assertAlmostEqual(row["per_step"], row["gained"] / 10)
        self.check_growth(said, "diff", one, two, "--check")
        self.fine("diff", one, one, "--check", "--settled")
        few = self.fine("diff", one, two, "--min-bytes", "1TiB")
        self.assertIn("Nothing grows.", few)
        self.refused(2, "diff needs OLD NEW [NEWER ...]", "diff", one)
        for steps in ("1", "1,2,3", "1,", "a,b", "1,2,"):
            words = ("diff", one, two, "--steps", steps)
            self.refused(2, "--steps takes 2 numbers", *words)
        self.refused(2, "must ascend", "diff", one, two, "--steps", "2,1")
        self.refused(2, "--max-growth takes a size", "diff", one, two, "--max-growth=x")
        self.refused(3, "missing.lgs", "diff", one, "missing.lgs")

    def test_summarize(self) -> None:
        for name in ("losses", "training"):
            self.fine("summarize", f"{name}.lgs", "-o", f"{name}.lgsum")
        whole = json.loads(self.fine("diff", "losses.lgs", "training.lgs", "--json"))
        for one in ("losses.lgs", "losses.lgsum"):
            said = json.loads(self.fine("diff", one, "training.lgsum", "--json"))
            for row, other in zip(said["rows"], whole["rows"]):
                self.assertEqual(row["place"], other["place"])
                self.assertEqual(row["bytes"], other["bytes"])
        self.refused(2, "give -o", "summarize", "losses.lgs")
        words = ("summarize", "losses.lgs", "-o", "no/such/x.lgsum")
        self.refused(4, "x.lgsum", *words)
        damaged = self.here / "damaged.lgsum"
        damaged.write_bytes((self.here / "losses.lgsum").read_bytes()[:-1])
        self.refused(3, "damaged", "diff", "losses.lgsum", "damaged.lgsum")

    def test_report(self) -> None:
        self.assertEqual(self.fine("report", "family.lgs", "-o", "one.html"), "")
        one = (self.here / "one.html").read_text()
        self.assertEqual(self.fine("report", "family.lgs", "-o", "-"), one)
        self.assertIn("<title>family.lgs", one)
        self.assertNotIn('id="growth"', one)
        self.fine("summarize", "losses.lgs", "-o", "losses.lgsum")
        grown = ("losses.lgsum", "training.lgs", "--steps", "1,2")
        self.fine("report", *grown, "-o", "two.html")
        self.assertIn('id="growth"', (self.here / "two.html").read_text())
        self.fine("strip", "held.lgs", "-o", "stripped.lgs")
        keyed = self.fine("report", "held.lgs", "-o", "-")
        stripped = self.fine("report", "stripped.lgs", "-o", "-")
        self.assertIn("2024-05", keyed)
        self.assertNotIn("2024-05", stripped)
        self.refused(2, "give -o", "report", "family.lgs")
        self.refused(2, "takes 2 numbers", "report", *grown[:3], "1", "-o", "x.html")
        last = ("family.lgs", "losses.lgsum", "-o", "x.html")
        self.refused(2, "the last of several must be a snapshot", "report", *last)
        self.refused(3, "missing.lgs", "report", "missing.lgs", "-o", "x.html")
        self.refused(4, "x.html", "report", "family.lgs", "-o", "no/such/x.html")
        self.assertFalse((self.here / "x.html").exists())

    def test_analyze(self) -> None:
        self.fine("analyze", "family.lgs", "-o", "analysed.lgs")
        self.fine("analyze", "family.lgs", "-o", "small.lgs", "--compress", "9")
        for verb in ("top", "cycles", "dominators"):
            for file in ("analysed.lgs", "small.lgs"):
                self.assertEqual(self.fine(verb, file), self.fine(verb, "family.lgs"))
        words = ("refs", "analysed.lgs", "name:app.families")
        self.assertIn("Parent · app.Parent  9.00 MiB", self.fine(*words))
        self.refused(2, "give -o", "analyze", "family.lgs")
        words = ("analyze", "family.lgs", "-o", "x.lgs", "--compress")
        self.refused(2, "from 1 to 19", *words, "20")
        self.refused(4, "x.lgs", "analyze", "family.lgs", "-o", "no/such/x.lgs")

    def test_render_analysed(self) -> None:
        for words in (
            ("--cycle", "1"),
            ("--cycle=2", "--kind", "held,uncollectable"),
            ("--dominators",),
            ("#0", "--dominators", "--max-nodes", "5"),
            ("#1", "--why"),
        ):
            self.fine("render", "family.lgs", *words, "-o", "picture.svg")
            dot = self.fine("render", "family.lgs", *words, "-f", "dot", "-o", "-")
            self.assertIn("digraph", dot)
        no_file = ("render", "family.lgs", "-o", "x.svg")
        self.refused(2, "needs a selector", *no_file)
        self.refused(2, "needs a selector", *no_file, "--why")
        self.refused(2, "no cycle 9, only 3", *no_file, "--cycle", "9")
        self.refused(2, "takes no selector", *no_file, "#1", "--cycle", "1")
        self.assertFalse((self.here / "x.svg").exists())

    def test_many_matches_draw_the_first(self) -> None:
        done = self.run_command("refs", "losses.lgs", "type:torch.Tensor")
        self.assertEqual(done.returncode, 0)
        self.assertIn("matches 1,000 objects", done.stderr)
        self.assertIn("first 8", done.stderr)

    def test_render(self) -> None:
        starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
        for suffix, start in starts.items():
            for direction in ("--refs", "--backrefs", "--path"):
                name = f"why.{suffix}"
                self.fine("render", "held.lgs", "#0", direction, "-o", name)
                data = (self.here / name).read_bytes()
                self.assertTrue(data.startswith(start), name)
        left = [p.name for p in self.here.iterdir() if "tmp" in p.name]
        self.assertEqual(left, [])

    def test_render_to_standard_output(self) -> None:
        words = ("render", "held.lgs", "#0", "-o", "-")
        dot = self.fine(*words, "--format", "dot", "--title", "who & why")
        self.assertIn("who &amp; why", dot)
        self.assertTrue(self.fine(*words, "-f", "svg").startswith("<?xml"))
        self.refused(2, "name the format", *words)

    def pretend(self, script: str) -> dict[str, str]:
        """An environment in which a shell script draws."""
        renderer = self.here / "renderer"
        renderer.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        renderer.chmod(0o755)
        return {"LEAKGRAPH_RENDERER": str(renderer)}

    def test_render_that_fails(self) -> None:
        words = ("render", "held.lgs", "#0", "--path", "-f", "svg", "-o")
        tree = self.fine("path", "held.lgs", "#0")
        sentence = "leakgraph: the renderer gave up with exit code 3 and no picture"
        environment = self.pretend("exit 3")
        done = self.run_command(*words, "failed.svg", env=environment)
        self.assertEqual((done.returncode, done.stdout), (4, tree))
        self.assertIn(sentence, done.stderr)
        self.assertFalse((self.here / "failed.svg").exists())
        done = self.run_command(*words, "-", env=environment)
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn(sentence, done.stderr)
        self.assertTrue(done.stderr.endswith(tree))

    def test_render_interrupted(self) -> None:
        ask = "dd bs=1 count=1 >/dev/null 2>&1; kill -INT $PPID; exec sleep 1000"
        environment = self.pretend(ask)
        words = ("render", "held.lgs", "#0", "-o", "late.svg")
        done = self.run_command(*words, env=environment)
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertEqual(done.stderr, "leakgraph: drawing was stopped\n")
        self.assertFalse((self.here / "late.svg").exists())

    def test_render_needs_a_file(self) -> None:
        self.refused(2, "give -o", "render", "held.lgs", "#0")
        self.refused(2, "no suffix", "render", "held.lgs", "#0", "-o", "why")
        self.refused(2, "svg", "render", "held.lgs", "#0", "-o", "why.docx")

    def test_strip(self) -> None:
        self.fine("strip", "dicts.lgs", "-o", "share.lgs")
        self.assertIn("optimizer", self.fine("refs", "dicts.lgs", "#0"))
        self.assertIn(b"optimizer", (self.here / "dicts.lgs").read_bytes())
        self.assertNotIn(b"optimizer", (self.here / "share.lgs").read_bytes())
        self.assertNotIn("optimizer", self.fine("refs", "share.lgs", "#0"))
        self.fine("info", "share.lgs")
        self.fine("strip", "dicts.lgs", "-o", "small.lgs", "--compress", "19")
        self.assertIn("<str>", self.fine("refs", "small.lgs", "#0"))
        self.refused(
            2, "not '20'", "strip", "dicts.lgs", "-o", "x.lgs", "--compress=20"
        )
        self.refused(2, "give -o", "strip", "dicts.lgs")

    def test_usage_errors(self) -> None:
        self.refused(2, "a verb is missing")
        self.refused(2, "did you mean refs", "ref", "held.lgs", "#0")
        self.refused(2, "see leakgraph --help", "xyzzyxyzzy")
        self.refused(2, "did you mean --json", "info", "held.lgs", "--jsno")
        self.refused(2, "no option --by", "info", "held.lgs", "--by=name")
        self.refused(2, "needs a value", "types", "held.lgs", "--limit")
        self.refused(2, "not 'x'", "types", "held.lgs", "--limit", "x")
        self.refused(2, "not '0'", "refs", "held.lgs", "#0", "--depth", "0")
        self.refused(2, "not 'name'", "types", "held.lgs", "--by", "name")
        self.refused(2, "refs needs SNAP SELECTOR", "refs", "held.lgs")
        self.refused(2, "top takes only SNAP, not b", "top", "held.lgs", "b")
        self.refused(2, "paths needs SNAP SELECTOR ...", "paths", "held.lgs")
        self.refused(2, "only SNAP [SELECTOR], not c", "render", "a", "b", "c")
        self.refused(2, "questions takes nothing, not a", "questions", "a")
        self.refused(2, "no option -x", "info", "-x", "held.lgs")
        self.refused(2, "number or all, not 'x'", "top", "held.lgs", "--limit", "x")
        two = ("render", "held.lgs", "#0", "--refs", "--path", "-o", "a.svg")
        self.refused(2, "--refs and --path are two pictures", *two)

    def test_selectors(self) -> None:
        self.refused(2, "leakgraph: ", "refs", "held.lgs", "type:numpy.ndaray")
        self.refused(2, "leakgraph: ", "refs", "held.lgs", "what is this")
        self.refused(2, "leakgraph: ", "refs", "held.lgs", "node:999999")

    def interrupt(self, file: str) -> tuple[int, str, str]:
        """Presses Ctrl-C once the analysis is at its hardest part."""
        process = subprocess.Popen(
            [COMMAND, "cycles", file],
            cwd=self.here,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        maps = Path(f"/proc/{process.pid}/maps")
        while process.poll() is None and "leakgraph-igraph" not in maps.read_text():
            pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        return process.returncode, out, err

    def test_ctrl_c_stops_an_analysis(self) -> None:
        """The whole answer, if it was too late, or none: never a part of it."""
        file = self.here / "big.lgs"
        subprocess.run([*MAKE_SNAPSHOT, "400000", str(file)], check=True)
        for _ in range(9):
            code, out, err = self.interrupt("big.lgs")
            if code != 0:
                break
        self.assertEqual((code, out), (4, ""), err)
        self.assertRegex(err, "^leakgraph: cancelled while [a-z ]+\n$")
        file.unlink()

    def test_unreadable_files(self) -> None:
        whole = (self.here / "held.lgs").read_bytes()
        (self.here / "short.lgs").write_bytes(whole[: len(whole) // 2])
        (self.here / "text.lgs").write_text("not a snapshot\n")
        (self.here / "empty.lgs").write_bytes(b"")
        for name in ("short.lgs", "text.lgs", "empty.lgs", "none.lgs", "."):
            self.refused(3, name, "info", name)

    def test_a_closed_pipe_is_no_error(self) -> None:
        script = '"$0" refs held.lgs "#0" | true'
        done = subprocess.run(
            ["sh", "-c", script, COMMAND],
            cwd=self.here,
            capture_output=True,
            check=False,
        )
        self.assertEqual(done.stderr, b"")

    def test_run_hands_over_to_python(self) -> None:
        fake = self.here / "python"
        fake.write_text('#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n')
        fake.chmod(0o755)
        env = {"LEAKGRAPH_PYTHON": str(fake)}
        done = self.run_command("run", "--at-exit", "a b.lgs", "x.py", env=env)
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout, "-m|leakgraph|run|--at-exit|a b.lgs|x.py|")
        done = self.run_command("help", "run", env=env)
        self.assertEqual(done.stdout, "-m|leakgraph|run|--help|")
        done = self.run_command("sql", "a.lgs", "from types", env=env)
        self.assertEqual(done.stdout, "-m|leakgraph|sql|a.lgs|from types|")
        done = self.run_command("export", "-a.lgs", "--parquet", "b", env=env)
        self.assertEqual(done.returncode, 2)
        done = self.run_command("export", "--parquet=b", "--", "-a.lgs", env=env)
        self.assertEqual(done.stdout, "-m|leakgraph|export|--parquet|b|--|-a.lgs|")
        self.refused(2, "give --parquet or -o", "export", "x", "--parquet=b", "-o", "c")
        env = {"LEAKGRAPH_PYTHON": str(self.here / "nowhere")}
        done = self.run_command("run", "x.py", env=env)
        self.assertEqual(done.returncode, 2)
        self.assertIn("LEAKGRAPH_PYTHON", done.stderr)

    def test_hostile_names_reach_no_terminal(self) -> None:
        text = self.fine("refs", "names.lgs", "#0")
        for character in "\x01\x1b\t\u202e":
            self.assertNotIn(character, text)


if __name__ == "__main__":
    COMMAND, *MAKE_SNAPSHOT = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
