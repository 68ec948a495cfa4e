"""How `make kernels` finds a kernel and reads what its machine prints."""

from pathlib import Path

import kernels

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
