"""How `make kernels` finds a kernel and reads what its machine prints."""

import shutil
import subprocess
import sys
from pathlib import Path

import kernels
import pytest

#: A package of a release, and the same one as dpkg knows it here.
OFFERED = """\
Package: linux-image-amd64
Version: 5.10
Architecture: amd64
Depends: linux-image-5.10-amd64 (= 5.10)
Filename: pool/linux.deb
Size: 1
SHA256: 00
"""
INSTALLED = """\
Package: linux-image-amd64
Status: install ok installed
Version: 6.12
Architecture: amd64
Depends: linux-image-6.12-amd64 (= 6.12)
"""
#: Prints what pytest imports beside the standard library.
IMPORTED = """\
import sys
before = set(sys.modules)
from _pytest.config import get_config
get_config()
for name in set(sys.modules) - before:
    if "-packages/" in (getattr(sys.modules[name], "__file__", None) or ""):
        print(name.partition(".")[0])
"""

PRINTED = """\
SeaBIOS

kernel 6.1.0-50-amd64
....s... [100%]
42 passed, 6 skipped, 44 deselected in 227.11s (0:03:47)
registers   leakgraph killed, each call   26 runs, ends {'-9': 26}: no harm; 9 s
28 runs, 0 with harm

both end with 0, 0
[  289.073440] reboot: Power down
"""


def test_a_machine_that_is_well():
    assert kernels.is_fine(PRINTED)
    row = kernels.row_of("bookworm", PRINTED)
    assert row.startswith(
        "| 6.1.0-50-amd64 | bookworm | 42 passed, 6 skipped | 28 runs, 0 with harm | 20"
    )
    assert row.count("|") == kernels.HEAD.splitlines()[0].count("|")


def test_a_machine_in_which_something_fails():
    assert not kernels.is_fine(PRINTED.replace("with 0, 0", "with 0, 1"))
    failed = PRINTED.replace("42 passed", "2 failed, 40 passed")
    assert "| 2 failed, 40 passed, 6 skipped |" in kernels.row_of("sid", failed)


def test_a_machine_that_does_not_end():
    printed = PRINTED[: PRINTED.index("registers")]
    assert not kernels.is_fine(printed)
    assert "| did not end |" in kernels.row_of("sid", printed)
    assert not kernels.is_fine("")


def test_packages_that_lead_to_a_kernel():
    depends = "Package: x\nDepends: {}\nDescription: for linux-image-0\n"
    leads = depends.format(
        "dracut | initramfs-tools, linux-binary-7.2+deb14-amd64 (= 7)"
    )
    assert kernels.NEXT.search(leads)[1] == "linux-binary-7.2+deb14-amd64"
    assert kernels.NEXT.search(depends.format("kmod, linux-base (>= 4.3)")) is None


@pytest.mark.skipif(not shutil.which("apt-get"), reason="this is no Debian")
def test_a_kernel_that_this_machine_has_itself(tmp_path, monkeypatch):
    """The release's package counts, though the installed one is newer."""
    index = tmp_path / "source/dists/sid/main/binary-amd64/Packages"
    index.parent.mkdir(parents=True)
    index.write_text(OFFERED)
    (tmp_path / "status").write_text(INSTALLED)
    settings = f'Dir::State::status "{tmp_path}/status"; APT::Architecture "amd64";'
    (tmp_path / "apt.conf").write_text(settings)
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    monkeypatch.setenv("MIRROR", f"[trusted=yes] file:{tmp_path}/source")
    release = kernels.Release("sid", tmp_path / "release")
    shown = release.apt("cache", "--no-all-versions", "show", "linux-image-amd64")
    assert kernels.NEXT.search(shown)[1] == "linux-image-5.10-amd64"


def test_a_program_that_fails():
    with pytest.raises(SystemExit, match=r"^make kernels: sh ends with 3$"):
        kernels.run("sh", "-c", "exit 3")


def test_a_machine_that_lacks_a_program(monkeypatch):
    monkeypatch.setattr(kernels, "NEEDED", ("sh", "no-such-program"))
    monkeypatch.setattr(kernels, "make_root", pytest.fail)
    with pytest.raises(SystemExit, match=r"^make kernels needs no-such-program$"):
        kernels.main([])


def test_the_machine_has_what_pytest_imports():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], check=True, capture_output=True, text=True
    )
    assert set(done.stdout.split()) - set(kernels.modules()) == set()


def test_the_libraries_of_a_program():
    found = {path.name for path in kernels.libraries([kernels.PYTHON])}
    assert "libc.so.6" in found
    assert all(path.is_absolute() for path in kernels.libraries([kernels.PYTHON]))


def test_files_keep_their_places(tmp_path):
    source = tmp_path / "source"
    (source / "package/__pycache__").mkdir(parents=True)
    (source / "package/one.py").write_text("1")
    root = tmp_path / "root"
    kernels.copy(source / "package", root)
    kernels.copy(source / "package/one.py", root)
    place = root / source.relative_to("/") / "package"
    assert [path.name for path in place.iterdir()] == ["one.py"]


def test_the_page_has_the_table():
    page = Path(kernels.tracked.ROOT / "docs/attach.md").read_text(encoding="utf-8")
    assert kernels.HEAD in page
