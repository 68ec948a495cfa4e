"""Tries attach with the Linux of Debian's releases, each in a virtual machine.

    make kernels
    make kernels KERNELS="--suite trixie"       only this release; may be repeated

Prints a row of docs/attach.md's table for each. apt downloads a release's newest
kernel into build/kernels/SUITE; this machine must be a Debian, and MIRROR names another
source than that of its own packages. QEMU emulates a processor with two cores, so this
needs no rights and no virtualisation, and works within a virtual machine. This takes
about ten minutes a kernel, or twenty on a busy machine. The whole root file system lies
in memory, made of this machine's Python, leakgraph, pytest and the torture; its first
program is release/kernels_init.py.

What the machine prints goes to build/kernels/SUITE.log. The exit status is 1 if a
kernel did not end, or if a test or the torture failed.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import attach_torture
import tracked

SUITES = ("bullseye", "bookworm", "trixie", "sid")
FOLDER = tracked.ROOT / "build/kernels"
PYTHON = Path(sys.executable).resolve()
STDLIB = Path(sysconfig.get_path("stdlib"))
#: What the tests and the torture need of the checkout.
PARTS = ("build/make/bin", "build/make/python", "tests/py", "tools", "pyproject.toml")
#: What pytest imports.
MODULES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")
#: What it also imports before CPython 3.11.
OLDER_MODULES = ("exceptiongroup", "tomli", "typing_extensions")
PROGRAMS = ("sh", "cat")
#: What makes and runs the machine.
NEEDED = ("apt-get", "dpkg-deb", "cpio", "qemu-system-x86_64")
#: What no program in the machine needs.
LEFT_OUT = ("__pycache__", "site-packages", "test", "idlelib", "ensurepip", "config-*")
MEGABYTES = 2048
#: Until a machine counts as hanging: emulation takes ten times as long, and this
#: machine may have much else to do.
SECONDS = 5400
NEXT = re.compile(r"^Depends: .*?\b(linux-(?:image|binary)-[\w.+-]+)", re.MULTILINE)
ENDS = {
    "kernel": re.compile(r"^kernel (\S+)", re.MULTILINE),
    "tests": re.compile(
        r"^(\d+ (?:passed|failed).*?)(?:, \d+ deselected)? in [\d.]+s", re.MULTILINE
    ),
    "torture": re.compile(r"^(\d+ runs, \d+ with harm)", re.MULTILINE),
}
HEAD = """\
| Linux | of Debian | tests of attach | torture | date |
| --- | --- | --- | --- | --- |"""


def run(*words: str | Path, folder: Path = tracked.ROOT) -> str:
    """Run a program that must succeed and tells its errors; return what it prints."""
    command = [str(word) for word in words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    if done.returncode != 0:
        raise SystemExit(f"make kernels: {command[0]} ends with {done.returncode}")
    return done.stdout


class Release:
    """A release of Debian, whose packages this machine's apt reads."""

    def __init__(self, suite: str, folder: Path) -> None:
        self.folder = folder
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        source = run("bash", "-c", ". release/root.sh && mirror").strip()
        self.sources = folder / "sources.list"
        self.sources.write_text(f"deb {source} {suite} main\n")
        self.apt("get", "-qq", "update")

    def apt(self, program: str, *words: str) -> str:
        """Run one of apt's programs with this release alone, and nothing installed."""
        settings = {
            "Dir::Etc::sourcelist": self.sources,
            "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": self.folder / "lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": self.folder / "cache",
            "APT::Sandbox::User": "",
        }
        options = [
            word for key in settings for word in ("-o", f"{key}={settings[key]}")
        ]
        return run(f"apt-{program}", *options, *words, folder=self.folder)

    def kernel(self) -> Path:
        """Download the newest kernel; return its file. Packages lead to each other."""
        package = "linux-image-amd64"
        while found := NEXT.search(
            self.apt("cache", "--no-all-versions", "show", package)
        ):
            package = found[1]
        for old in (*self.folder.glob("*.deb"), *self.folder.rglob("vmlinuz*")):
            old.unlink()
        self.apt("get", "-qq", "download", package)
        (archive,) = self.folder.glob("*.deb")
        run("dpkg-deb", "-x", archive, self.folder)
        archive.unlink()
        (kernel,) = self.folder.rglob("vmlinuz*")
        return kernel


def libraries(files: Iterable[Path]) -> Iterator[Path]:
    """List what the loader finds for these programs and libraries."""
    for file in files:
        done = subprocess.run(["ldd", file], capture_output=True, text=True)
        for path in re.findall(r"(?:=> |^\t)(/\S+) \(0x", done.stdout, re.MULTILINE):
            yield Path(path)


def copy(path: Path, root: Path) -> None:
    """Copy a file or a folder, to the place in the root that it has outside."""
    place = root / path.relative_to("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        left_out = shutil.ignore_patterns(*LEFT_OUT)
        shutil.copytree(path, place, dirs_exist_ok=True, ignore=left_out)
    elif not place.exists():
        shutil.copy(path, place)


def modules() -> tuple[str, ...]:
    """Return what pytest imports with this Python."""
    return MODULES + (OLDER_MODULES if sys.version_info < (3, 11) else ())


def module_path(name: str) -> Path:
    """Find the file or the folder of a module."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"make kernels needs the module {name}")
    path = Path(spec.origin)
    return path.parent if path.name == "__init__.py" else path


def make_root(root: Path) -> None:
    """Collect the files of the machine."""
    shutil.rmtree(root, ignore_errors=True)
    for name in ("proc", "sys", "dev", "tmp", "torture"):
        (root / name).mkdir(parents=True)
    programs = [Path(shutil.which(name) or name) for name in PROGRAMS]
    for path in (PYTHON, STDLIB, *(tracked.ROOT / part for part in PARTS)):
        copy(path, root)
    for program in programs:
        copy(program, root)
    for name in modules():
        path = module_path(name)
        where = root / (tracked.ROOT / "tools" / path.name).relative_to("/")
        (shutil.copytree if path.is_dir() else shutil.copy)(path, where)
    attach_torture.build(root / "torture")
    loaded = [PYTHON, *programs, *(tracked.ROOT / "build/make").rglob("*.so*")]
    for path in set(libraries([*loaded, *STDLIB.rglob("*.so")])):
        copy(path, root)
    text = Path(__file__).with_name("kernels_init.py").read_text()
    (root / "init").write_text(f"#!{PYTHON}\n{text}")
    (root / "init").chmod(0o755)


def pack(root: Path) -> Path:
    """Put the files of the machine into one, as the kernel unpacks it."""
    packed = root.with_suffix(".cpio")
    command = f"find . | cpio --quiet -o -H newc >'{packed}'"
    run("sh", "-c", command, folder=root)
    return packed


def boot(kernel: Path, packed: Path, log: Path) -> str:
    """Run the machine to its end; return what it has printed."""
    words = f"console=ttyS0 quiet panic=-1 -- {tracked.ROOT}"
    machine = ["-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", str(MEGABYTES)]
    machine += ["-nographic", "-no-reboot", "-net", "none"]
    command = ["qemu-system-x86_64", *machine, "-kernel", str(kernel)]
    command += ["-initrd", str(packed), "-append", words]
    with log.open("wb") as out:
        try:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=out, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            print(f"{kernel.name} does not end within {SECONDS} s")
    return log.read_text(errors="replace").replace("\r", "")


def row_of(suite: str, printed: str) -> str:
    """Write what a machine has printed as a row in Markdown."""
    found = {name: end.search(printed) for name, end in ENDS.items()}
    cells = [one[1] if one else "did not end" for one in found.values()]
    return "| " + " | ".join([cells[0], suite, *cells[1:]]) + f" | {today()} |"


def today() -> str:
    """Return the date."""
    return time.strftime("%Y-%m-%d")


def is_fine(printed: str) -> bool:
    """Whether the tests and the torture have succeeded."""
    return "\nboth end with 0, 0\n" in printed


def main(words: list[str]) -> int:
    """Try the kernels, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", choices=SUITES)
    suites = parser.parse_args(words).suite or SUITES
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        raise SystemExit(f"make kernels needs {', '.join(missing)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    make_root(FOLDER / "root")
    packed = pack(FOLDER / "root")
    print(HEAD, flush=True)
    fine = True
    for suite in suites:
        kernel = Release(suite, FOLDER / suite).kernel()
        printed = boot(kernel, packed, FOLDER / f"{suite}.log")
        print(row_of(suite, printed), flush=True)
        fine = fine and is_fine(printed)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
