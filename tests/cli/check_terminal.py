"""The command at a terminal: width, colours, pager, completion, the first question.

Run by ctest as `check_terminal.py COMMAND MAKE_SNAPSHOT...`; standard library only.
With GOLDEN=write in the environment, it writes the goldens of what each verb prints.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
import unittest
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"
COMMAND = ""
MAKE_SNAPSHOT: list[str] = []
# What each verb that prints an answer is asked, a line each.
QUESTIONS = """\
names.lgs
top training.lgs
top training.lgs --group type
types training.lgs
tensors training.lgs
figures figure.lgs
waste losses.lgs
threads training.lgs
native training.lgs
allocations training.lgs
search training.lgs train
info training.lgs
questions
refs names.lgs #0
refs training.lgs #5
referrers losses.lgs type:torch.Tensor
path chain.lgs #9
memory training.lgs
why losses.lgs type:torch.Tensor
why held.lgs #0
paths losses.lgs type:torch.Tensor
cycles training.lgs --min-bytes 0
findings losses.lgs
dominators training.lgs --min-share 0
retained losses.lgs type:torch.Tensor+
what-if losses.lgs --cut train.trainer
diff held.lgs losses.lgs training.lgs
ranks held.lgs losses.lgs training.lgs
"""
# These write files, serve pages, or run Python.
MAKERS = ("report", "view", "summarize", "analyze", "export", "strip", "completion")
OTHERS = {"run", "watch", "attach", "tree", "render", "sql", "mcp", *MAKERS}
PLAIN = {"TERM": "xterm", "NO_COLOR": "", "PAGER": "cat"}


def width(line: str) -> int:
    """Return how many columns a line takes."""
    return sum(
        0
        if unicodedata.combining(character)
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in line
    )


class Terminal(unittest.TestCase):
    """Snapshots of made-up heaps, asked by somebody at a terminal."""

    folder: tempfile.TemporaryDirectory[str]
    here: Path
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        """Makes the snapshots."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = Path(cls.folder.name)
        for shape in ("losses", "held", "names", "training", "figure", "chain"):
            file = cls.here / f"{shape}.lgs"
            subprocess.run([*MAKE_SNAPSHOT, shape, str(file)], check=True)

    @classmethod
    def tearDownClass(cls) -> None:
        """Removes them."""
        cls.folder.cleanup()

    def run_command(
        self, *words: str, stdin: str | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs the command with its output in a pipe."""
        inherited = {
            k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")
        }
        with open(self.here / stdin if stdin else os.devnull, "rb") as source:
            return subprocess.run(
                [COMMAND, *words],
                cwd=self.here,
                env={**inherited, **env},
                stdin=source,
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )

    def at_terminal(
        self, columns: int, *words: str, rows: int = 200, **env: str
    ) -> str:
        """Runs the command at a terminal, and returns what it shows."""
        try:
            child, terminal = pty.fork()
        except OSError as error:
            self.skipTest(f"no terminal can be made here: {error}")
        if child == 0:
            os.read(0, 1)  # until the terminal has its size
            os.chdir(self.here)
            inherited = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
            os.execve(COMMAND, [COMMAND, *words], {**inherited, **PLAIN, **env})
        fcntl.ioctl(
            terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0)
        )
        os.write(terminal, b"\n")
        shown = b""
        while True:
            try:
                more = os.read(terminal, 65536)
            except OSError:
                break
            if not more:
                break
            shown += more
        os.waitpid(child, 0)
        os.close(terminal)
        text = shown.decode().replace("\r\n", "\n")
        return text[1:] if text.startswith("\n") else text

    def test_no_line_is_wider_than_the_terminal(self) -> None:
        asked = [
            [verb, f"{heap}.lgs"]
            for heap in ("losses", "names", "training", "figure")
            for verb in (
                "top",
                "findings",
                "dominators",
                "cycles",
                "tensors",
                "waste",
                "memory",
            )
        ]
        asked += [
            ["why", "names.lgs", "#4"],
            ["why", "chain.lgs", "#9"],
            ["training.lgs"],
        ]
        asked += [["paths", "losses.lgs", "type:*"], ["refs", "names.lgs", "#0"]]
        for words in asked:
            for columns in (40, 80, 120):
                done = self.run_command(*words, COLUMNS=str(columns))
                self.assertEqual(done.returncode, 0, (words, done.stderr))
                widest = max(map(width, done.stdout.splitlines()))
                self.assertLessEqual(widest, columns, (words, done.stdout))

    def test_what_each_verb_prints(self) -> None:
        asked = {line.split()[0] for line in QUESTIONS.splitlines()}
        listed = self.run_command("--help").stdout.split("Take a snapshot:")[1]
        verbs = set(re.findall(r"^  ([a-z-]+) +[a-z]", listed, re.MULTILINE))
        self.assertEqual(verbs - {"leakgraph"}, asked - {"names.lgs"} | OTHERS)
        for columns in (80, 120):
            shown = ""
            for line in QUESTIONS.splitlines():
                done = self.run_command(*line.split(), COLUMNS=str(columns))
                self.assertEqual(done.returncode, 0, (line, done.stderr))
                self.assertLessEqual(
                    max(map(width, done.stdout.splitlines())), columns, line
                )
                shown += f"$ leakgraph {line}\n{done.stdout}\n"
            golden = GOLDEN / f"terminal-{columns}.txt"
            if os.environ.get("GOLDEN") == "write":
                golden.write_text(shown, encoding="utf-8")
            self.assertEqual(golden.read_text(encoding="utf-8"), shown)

    def test_a_verb_that_writes_a_file_says_so(self) -> None:
        for verb, file in (
            ("report", "told.html"),
            ("strip", "told.lgs"),
            ("summarize", "told.lgsum"),
            ("export", "told.heapsnapshot"),
        ):
            shown = self.at_terminal(80, verb, "losses.lgs", "-o", file)
            self.assertEqual(shown, f"leakgraph: wrote {file}\n")
            self.assertTrue((self.here / file).stat().st_size)
        piped = self.run_command("strip", "losses.lgs", "-o", "told.lgs")
        self.assertEqual((piped.stdout, piped.stderr), ("", ""))

    def test_a_pipe_gets_whole_lines(self) -> None:
        whole = self.run_command("top", "names.lgs").stdout
        self.assertNotIn("…", whole)
        self.assertEqual(
            whole, self.run_command("top", "names.lgs", COLUMNS="0").stdout
        )
        data = self.run_command("top", "names.lgs", "--json").stdout
        narrow = self.run_command(
            "--color", "always", "top", "names.lgs", "--json", COLUMNS="40"
        )
        self.assertEqual(narrow.stdout, data)

    def test_the_terminal_says_how_wide_it_is(self) -> None:
        for columns in (80, 120):
            shown = self.at_terminal(columns, "top", "training.lgs")
            piped = self.run_command(
                "top", "training.lgs", "--color=always", COLUMNS=str(columns)
            ).stdout
            self.assertEqual(shown, piped)

    def test_colours(self) -> None:
        plain = self.run_command("top", "training.lgs", COLUMNS="80").stdout
        self.assertNotIn("\x1b", plain)
        self.assertNotIn(
            "\x1b", self.at_terminal(80, "top", "training.lgs", NO_COLOR="1")
        )
        self.assertNotIn(
            "\x1b", self.at_terminal(80, "top", "training.lgs", TERM="dumb")
        )
        self.assertNotIn(
            "\x1b", self.at_terminal(80, "top", "training.lgs", "--color=never")
        )
        self.assertIn("\x1b[1m", self.at_terminal(80, "top", "training.lgs"))
        painted = self.run_command(
            "top", "training.lgs", "--color", "always", NO_COLOR="1"
        )
        self.assertIn("\x1b[36m", painted.stdout)
        for words in (["top", "training.lgs", "--color=blue"], ["top", "--color"]):
            done = self.run_command(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--color takes auto, always or never, not '", done.stderr)

    def make(self, shape: str) -> str:
        """Makes a snapshot for one test, and returns its name."""
        file = self.here / f"{shape.replace(':', '-')}.lgs"
        subprocess.run([*MAKE_SNAPSHOT, shape, str(file)], check=True)
        self.addCleanup(file.unlink)
        return file.name

    def test_a_reader_who_waits_is_told_the_path(self) -> None:
        big, small = self.make("list:1000000"), self.make("list:999990")
        for asked in ("#9", "app.items[7]"):
            told = self.at_terminal(80, "why", big, asked, "--color=never")
            answer = self.run_command("why", big, asked, COLUMNS="80")
            self.assertEqual(answer.stderr, "")
            self.assertIn("│    ↓ .items\n│      ~~~~~~\n", answer.stdout)
            self.assertIn("│    ↓ [7]\n", answer.stdout)
            lines, clear, rest = told.rpartition("\r\x1b[K")
            self.assertTrue(clear)
            self.assertIn(
                "held by  app.items[7]\n\ncomputing what each of these retains", lines
            )
            self.assertEqual(rest, answer.stdout)
        for words in ([big, "#0"], [big, "type:app.Item"], [small, "#9"]):
            told = self.at_terminal(80, "why", *words)
            self.assertNotIn("held by", told)
            self.assertNotIn("computing", told)

    def test_a_path_that_is_told_fits(self) -> None:
        told = self.at_terminal(20, "why", self.make("list:1000000"), "#999999")
        self.assertIn("held by\napp.items[999997]\n\ncomputing", told)

    def test_a_pager_shows_long_answers_only(self) -> None:
        pager = "sed 's/^/| /'"
        paged = self.at_terminal(80, "top", "training.lgs", rows=5, PAGER=pager)
        self.assertTrue(paged.startswith("| "), paged)
        for rows, chosen in ((200, pager), (5, ""), (5, "cat")):
            shown = self.at_terminal(80, "top", "training.lgs", rows=rows, PAGER=chosen)
            self.assertNotIn("| ", shown)
        missing = self.at_terminal(
            80, "top", "training.lgs", rows=5, PAGER="no-such-pager"
        )
        self.assertIn("each byte counted once", missing.replace("\x1b", ""))

    def test_a_file_alone_is_looked_over(self) -> None:
        done = self.run_command("training.lgs")
        self.assertEqual(done.returncode, 0, done.stderr)
        findings = self.run_command("findings", "training.lgs").stdout
        top = self.run_command("top", "training.lgs").stdout
        self.assertTrue(
            done.stdout.startswith(f"{findings}\n{top}\nNext:\n"), done.stdout
        )
        for line in done.stdout.split("\nNext:\n")[1].splitlines():
            if line.startswith("  leakgraph why"):
                again = self.run_command("why", "training.lgs", line.split("'")[1])
                self.assertEqual(again.returncode, 0, again.stderr)
        done = self.run_command("no.lgs")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no.lgs", done.stderr)
        self.assertEqual(self.run_command("tup").stderr.count("did you mean top?"), 1)

    def test_standard_input(self) -> None:
        for words in (
            ["-"],
            ["top", "-"],
            ["why", "-", "#1"],
            ["dominators", "-"],
            ["info", "-"],
            ["diff", "losses.lgs", "-"],
            ["diff", "-", "losses.lgs"],
            ["ranks", "losses.lgs", "-", "-"],
            ["retained", "-", "type:*"],
            ["what-if", "-", "--cut", "report.TABLE"],
        ):
            named = [
                word.replace("-", "held.lgs") if word == "-" else word for word in words
            ]
            piped = self.run_command(*words, stdin="held.lgs")
            self.assertEqual(piped.returncode, 0, piped.stderr)
            if words != ["-"]:
                self.assertEqual(piped.stdout, self.run_command(*named).stdout)
        for verb in ("top", "info", "strip", "render", "report"):
            rest = {"strip": ["-o", "-"], "render": ["#0", "-o", "x.svg"]}.get(verb, [])
            done = self.run_command(verb, "-", *rest, *["-o", "x"] * (verb == "report"))
            self.assertEqual(done.returncode, 3)
            self.assertEqual(
                done.stderr,
                "leakgraph: standard input is too short for a leakgraph snapshot\n",
            )
        self.run_command("report", "-", "-o", "page.html", stdin="held.lgs")
        page = (self.here / "page.html").read_text()
        self.assertIn("<title>standard input", page)
        self.assertNotIn("/proc/self", page)

    def test_options(self) -> None:
        self.assertEqual(
            self.run_command("-V").stdout, self.run_command("--version").stdout
        )
        for verb in ("top", "why", "cycles"):
            for words in (["-n", "2"], ["-nx"]):
                done = self.run_command(verb, "held.lgs", *words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{verb} has no option -n", done.stderr)
            done = self.run_command(verb, "--jsn", "held.lgs")
            self.assertIn(
                f"{verb} has no option --jsn: did you mean --json?", done.stderr
            )
        for size in ("1kib", "1KiB", "1K", "1024b"):
            done = self.run_command("cycles", "held.lgs", "--min-bytes", size)
            self.assertEqual(done.returncode, 0, done.stderr)
        text = self.run_command("--help").stdout
        self.assertIn("0 fine, whether or not leaks are found", text)

    def completed(self, line: str) -> list[str]:
        """Return what the last word of a command line may become."""
        return self.run_command("completion", "--line", line).stdout.splitlines()

    def test_completion(self) -> None:
        verbs = self.completed("leakgraph ")
        self.assertLessEqual({"top", "why", "attach", "help", "held.lgs"}, set(verbs))
        options = ["--help", "--version", "--color"]
        self.assertEqual(self.completed("leakgraph -"), options)
        for verb in set(verbs) - {"help", *options}:
            self.assertTrue(
                verb.endswith(".lgs")
                or f"\n  {verb} " in self.run_command("--help").stdout,
                verb,
            )
        self.assertEqual(self.completed("leakgraph domi"), ["dominators"])
        self.assertEqual(self.completed("leakgraph top --gr"), ["--group"])
        self.assertEqual(
            self.completed("leakgraph top --group "), ["object", "type", "module"]
        )
        self.assertEqual(self.completed("leakgraph top 'hel"), ["held.lgs"])
        self.assertEqual(
            self.completed("leakgraph completion "), ["bash", "zsh", "fish"]
        )
        self.assertEqual(
            self.completed("leakgraph attach --method "),
            ["auto", "remote-exec", "ptrace"],
        )
        self.assertEqual(self.completed("leakgraph tree 4711 --min"), ["--min-bytes"])
        self.assertIn("held.lgs", self.completed("leakgraph attach -o "))
        both = ["--at-exit", "--at-return"]
        self.assertEqual(self.completed("leakgraph run --at"), both)
        self.assertEqual(self.completed("leakgraph run --at-exit x --ar"), ["--arm"])
        # What follows a script is the script's.
        for begun in ("train.py", "-m train", "--at-exit x train.py"):
            self.assertEqual(self.completed(f"leakgraph run {begun} --at"), [])
        types = self.completed("leakgraph why losses.lgs type:")
        self.assertTrue(types and all(word.startswith("type:") for word in types))
        self.assertEqual(self.completed("leakgraph why no.lgs type:"), [])
        cut = self.completed("leakgraph what-if losses.lgs --cut train.t")
        self.assertEqual(cut, ["train.trainer", "type:train.Trainer"])
        self.assertEqual(self.completed(""), [])
        self.assertEqual(self.run_command("completion", "tcsh").returncode, 2)

    def test_nothing_may_complete(self) -> None:
        for word in ("type:no.such", "zzz", "'#", "", "name:"):
            for verb in ("why", "paths", "what-if losses.lgs --cut"):
                line = f"leakgraph {verb} losses.lgs {word}"
                done = self.run_command("completion", "--line", line)
                self.assertEqual((done.returncode, done.stderr), (0, ""), line)

    def test_colour_completes(self) -> None:
        words = ["auto", "always", "never"]
        for begun in ("", "top ", "top losses.lgs ", "run ", "why losses.lgs "):
            self.assertEqual(self.completed(f"leakgraph {begun}--color "), words)
            self.assertEqual(self.completed(f"leakgraph {begun}--col"), ["--color"])
        self.assertEqual(self.completed("leakgraph --color never domi"), ["dominators"])

    def test_an_option_of_a_script_is_the_scripts(self) -> None:
        python = self.here / "python"
        python.write_text('#!/bin/sh\nshift 2\necho "$@"\n')
        python.chmod(0o755)
        for line, taken in (
            ("run x.py --color=red", "run x.py --color=red"),
            ("watch --every 9 x.py --color red", "watch --every 9 x.py --color red"),
            ("run -m x --color", "run -m x --color"),
            ("--color never run --arm x x.py --color", "run --arm x x.py --color"),
            ("run --color never x.py -- --color", "run x.py -- --color"),
            ("attach 1 --color never", "attach 1"),
        ):
            done = self.run_command(*line.split(), LEAKGRAPH_PYTHON=str(python))
            self.assertEqual((done.stdout, done.stderr), (f"{taken}\n", ""))

    def in_shell(self, shell: str, script: str) -> list[str]:
        """Runs a script in a shell that finds the command, and returns its lines."""
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")
        path = f"{Path(COMMAND).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            [
                shell,
                *({"bash": ["--norc"], "zsh": ["-f"]}.get(shell, [])),
                "-c",
                script,
            ],
            cwd=self.here,
            env={**os.environ, "PATH": path, "HOME": str(self.here)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_bash_completes(self) -> None:
        script = (
            "source <(leakgraph completion bash); COMP_LINE='leakgraph {line}'; "
            "COMP_POINT=${{#COMP_LINE}}; _leakgraph; "
            "printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        self.assertEqual(
            self.in_shell("bash", script.format(line="domi")), ["dominators"]
        )
        # bash replaces only what stands behind a colon.
        types = self.in_shell("bash", script.format(line="why losses.lgs type:"))
        whole = self.completed("leakgraph why losses.lgs type:")
        self.assertEqual(types, [word[len("type:") :] for word in whole])

    def test_zsh_completes(self) -> None:
        script = (
            'compdef() {{ }}; compadd() {{ shift 3; print -l -- "$@" }}; '
            "LBUFFER='leakgraph {line}'; source <(leakgraph completion zsh); _leakgraph"
        )
        self.assertEqual(
            self.in_shell("zsh", script.format(line="domi")), ["dominators"]
        )
        types = self.in_shell("zsh", script.format(line="why losses.lgs type:"))
        self.assertEqual(types, self.completed("leakgraph why losses.lgs type:"))

    def test_fish_completes(self) -> None:
        script = "leakgraph completion fish | source; complete -C 'leakgraph {line}'"
        self.assertEqual(
            self.in_shell("fish", script.format(line="domi")), ["dominators"]
        )
        types = self.in_shell("fish", script.format(line="why losses.lgs type:"))
        self.assertEqual(
            sorted(types), sorted(self.completed("leakgraph why losses.lgs type:"))
        )
        # fish drops what does not begin like the word.
        names = self.in_shell("fish", script.format(line="why losses.lgs name:train.t"))
        self.assertEqual(names, ["name:train.trainer"])

    def test_verbs_of_sets_complete_selectors(self) -> None:
        for verb in ("retained", "paths"):
            found = self.completed(f"leakgraph {verb} losses.lgs train.t")
            self.assertIn("train.trainer", found, verb)


if __name__ == "__main__":
    COMMAND, *MAKE_SNAPSHOT = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
