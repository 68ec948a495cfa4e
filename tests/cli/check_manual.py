"""The manual pages: each verb has one, which lists its options and renders.

Run by ctest as `check_manual.py COMMAND`; standard library only.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = ""
RUNS_PYTHON = ("run", "watch", "attach", "tree", "sql", "mcp")


class Manual(unittest.TestCase):
    """The pages as the build makes them."""

    folder: tempfile.TemporaryDirectory[str]
    pages: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        """Makes the pages."""
        cls.folder = tempfile.TemporaryDirectory()
        made = (COMMAND, str(ROOT / "pyext" / "leakgraph"), "1.2.3", cls.folder.name)
        script = str(ROOT / "cmake" / "manual.py")
        subprocess.run([sys.executable, script, *made], check=True)
        files = sorted(Path(cls.folder.name).iterdir())
        cls.pages = {file.name: file.read_text("utf-8") for file in files}

    @classmethod
    def tearDownClass(cls) -> None:
        """Removes them."""
        cls.folder.cleanup()

    def answer(self, *words: str) -> str:
        """Return what the command prints."""
        return subprocess.run(
            [COMMAND, *words], check=True, capture_output=True, text=True
        ).stdout

    def test_each_verb_has_a_page(self) -> None:
        listed = self.answer("--help").split("Take a snapshot:")[1]
        verbs = re.findall(r"^  ([a-z-]+) +[a-z]", listed, re.MULTILINE)
        wanted = {"leakgraph.1"} | {f"leakgraph-{v}.1" for v in verbs} - {
            "leakgraph-leakgraph.1"
        }
        self.assertEqual(set(self.pages), wanted)
        for name, page in self.pages.items():
            self.assertTrue(page.startswith(".TH LEAKGRAPH"), name)
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION"):
                self.assertIn(f"\n.SH {section}\n", page, name)
            verb = name[len("leakgraph-") : -len(".1")].replace("-", "\\-")
            if name != "leakgraph.1":
                self.assertIn(f"leakgraph\\-{verb}", self.pages["leakgraph.1"])

    def test_a_page_lists_the_options_that_complete(self) -> None:
        for name, page in self.pages.items():
            verb = name[len("leakgraph-") : -len(".1")]
            if name == "leakgraph.1":
                continue
            options = self.answer("completion", "--line", f"leakgraph {verb} -")
            missing = {"--color"} | ({"--help"} if verb in RUNS_PYTHON else set())
            bold = " ".join(re.findall(r"^\.B (.*)$", page, re.MULTILINE))
            listed = set(re.findall(r"(?<!\w)--?[a-z][a-z-]*", bold.replace("\\", "")))
            if "--output" in listed:
                listed.discard("-o")
            short = {"-f", "-h"}
            self.assertEqual(set(options.split()) - missing, listed - short, verb)

    def test_pages_render_without_warnings(self) -> None:
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        done = subprocess.run(
            ["groff", "-ww", "-man", "-Kutf8", "-Tutf8", "-P-cbou", *self.pages],
            cwd=self.folder.name,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("SYNOPSIS"), len(self.pages))


if __name__ == "__main__":
    COMMAND = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
