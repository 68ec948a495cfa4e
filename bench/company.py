"""Compares, in many orders, what objects of libraries claim of native memory.

    python bench/company.py [--orders 10] [--jobs 1] [--folder build/company]

What an object of C code keeps lies beside what other libraries have left behind, and
their words may look like pointers into it. So one process keeps an object of each
library of release/claims.txt, in every order anew: first as they are listed, then
reversed, then shuffled. The truth is what the allocators get back when the program lets
go of an object. Each object has a process of its own first; one that cannot be made
there, mostly because its library is not installed, is left out.

Prints a Markdown table, and fails if too many claims are wrong. `make packages` makes
the same table in an environment with all these libraries. This takes those of the
Python that runs it. An interrupted run goes on where it stopped, unless a source has
changed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "release"), str(ROOT / "tools")]

import claims  # noqa: E402
import matrix  # noqa: E402

import leakgraph  # noqa: E402


def prepared(folder: Path) -> claims.Run:
    """Make the folder of results, in which this Python finds this leakgraph."""
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    (folder / "leakgraph").mkdir(exist_ok=True)
    link = folder / "leakgraph/python"
    link.unlink(missing_ok=True)
    link.symlink_to(Path(leakgraph.__file__).parents[1], target_is_directory=True)
    return claims.Run(folder, Path(sys.executable), matrix.sources())


def main() -> int:
    """Print the table, and what is left out."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--orders", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / "build/company")
    asked = parser.parse_args()
    run = prepared(asked.folder.resolve() / "{}.{}.{}".format(*sys.version_info[:3]))
    listed = claims.listed(claims.LIST.read_text(encoding="utf-8"))
    good = claims.measure_all(run, listed, asked.jobs, asked.orders)
    table, too_many_wrong = claims.section(run.folder, good)
    print(table)
    for claim in listed:
        if claim not in good:
            error = claims.result(run.folder, claim.file)["error"]
            print(f"left out: {claim.name}: {error}")
    return too_many_wrong


if __name__ == "__main__":
    sys.exit(main())
