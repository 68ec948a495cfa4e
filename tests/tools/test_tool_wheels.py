"""Which wheels `make wheels` builds, from which sources; what it says is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import bundle
import pytest
import pythons
import wheels

RELEASE = Path(__file__).parents[2] / "release"
TOOLS = RELEASE.parent / "tools"
LISTED = "Version: 3.14.9-1\nVersion: 3.14.10-1\nVersion: 3.14.7-1\n"


@pytest.fixture
def machine(tmp_path):
    """Run a script where some commands are others."""
    stubs = tmp_path / "stubs"
    stubs.mkdir()

    def run(*command, **commands):
        for name, text in commands.items():
            stub = stubs / name.replace("_", "-")
            stub.write_text(f"#!/bin/sh\n{text}\n")
            stub.chmod(0o755)
        return subprocess.run(
            [str(word) for word in command],
            env={"PATH": f"{stubs}:{os.environ['PATH']}", "MIRROR": "mirror"},
            capture_output=True,
            text=True,
        )

    return run


def pretended(version, free_threaded=False):
    return pythons.Interpreter(version, free_threaded, "python")


def test_the_newest_of_each_version_gets_a_wheel(monkeypatch):
    found = [
        pretended((3, 13, 0)),
        pretended((3, 13, 0), True),
        pretended((3, 14, 4)),
        pretended((3, 14, 10)),
    ]
    monkeypatch.setattr(pythons, "installed", lambda *made: found)
    newest = {name: one.name for name, one in wheels.newest().items()}
    assert newest == {"3.13": "3.13.0", "3.13t": "3.13.0t", "3.14": "3.14.10"}


def test_versions_without_an_interpreter_are_listed(monkeypatch, capsys):
    found = [pretended((3, minor, 0)) for minor in range(9, 16)]
    monkeypatch.setattr(pythons, "installed", lambda *made: found)
    monkeypatch.setattr(sys, "argv", ["wheels.py", "--missing"])
    assert wheels.main() == 0
    assert capsys.readouterr().out == "3.13t 3.14t 3.15t\n"


def test_a_newer_debian_builds_for_its_own_pythons(monkeypatch):
    found = {f"3.{minor}" for minor in range(9, 14)}
    assert wheels.of_newer(found) == ["3.14", "3.15"]
    assert wheels.of_newer({*found, "3.14"}) == ["3.15"]
    assert wheels.missing(found) == ["3.13t", "3.14t", "3.15t"]
    monkeypatch.setattr(wheels, "MACHINE", "m68k")
    assert wheels.missing(found) == ["3.13t", "3.14", "3.14t", "3.15", "3.15t"]


def test_versions_are_left_out_by_name(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(wheels, "FOLDER", tmp_path)
    found = {f"3.{minor}" for minor in range(9, 14)}
    monkeypatch.setenv("WITHOUT", "3.15t 3.14")
    assert wheels.missing(found) == ["3.13t", "3.14t"]
    assert wheels.of_newer(found) == ["3.15"]
    for tag in ("cp39-cp39", "cp313-cp313t", "cp314-cp314t", "cp315-cp315"):
        name = f"leakgraph-0.1.0-{tag}-manylinux_2_31_{wheels.MACHINE}.whl"
        (tmp_path / name).touch()
    assert wheels.unmade() == ["3.10", "3.11", "3.12", "3.13"]
    assert list(wheels.problems([])) == []
    assert (
        "left out, as WITHOUT asks: CPython 3.15t and 3.14" in capsys.readouterr().out
    )
    monkeypatch.setenv("WITHOUT", "3.15t 3.14f")
    with pytest.raises(SystemExit, match=r"WITHOUT names 3\.14f, but the versions are"):
        wheels.missing(found)


def test_its_compiler_finds_the_settings_of_python(monkeypatch, tmp_path):
    monkeypatch.setattr(wheels, "FOLDER", tmp_path)
    for _ in range(2):
        lent = Path(wheels.lent_headers())
        assert [path.name for path in lent.iterdir()] == [f"{wheels.HERE}-linux-gnu"]


def test_the_manual_is_for_machines_that_run_the_command(monkeypatch):
    built = "build.targets=leakgraph_core;leakgraph_command"
    assert f"{built};leakgraph_manual" in wheels.settings()
    monkeypatch.setattr(wheels, "MACHINE", "m68k")
    assert built in wheels.settings()


def test_what_is_wrong_with_the_wheels(monkeypatch, tmp_path):
    monkeypatch.setattr(wheels, "FOLDER", tmp_path)
    for name, size in {"small": 1, "large": wheels.MOST_BYTES + 1}.items():
        with (tmp_path / f"{name}_{wheels.MACHINE}.whl").open("wb") as file:
            file.truncate(size)
    large, missing = wheels.problems(["3.13t", "3.14t"])
    assert large == f"large_{wheels.MACHINE}.whl has over 15 MB"
    assert missing.startswith("no wheel for CPython 3.13t and 3.14t: no such inter")
    assert "python3.14_VERSION.orig.tar.xz into build/wheels/sources" in missing
    assert missing.endswith("leave them out: make wheels WITHOUT='3.13t 3.14t'")


def test_files_for_another_machine_have_its_names(monkeypatch):
    assert "_PYTHON_HOST_PLATFORM" not in wheels.environment(pretended((3, 13, 0)))
    monkeypatch.setattr(wheels, "MACHINE", "m68k")
    found = wheels.environment(pretended((3, 13, 0), True))
    assert found["SETUPTOOLS_EXT_SUFFIX"] == ".cpython-313t-m68k-linux-gnu.so"
    assert found["_PYTHON_HOST_PLATFORM"] == "linux-m68k"
    assert any(word.endswith("/root-m68k") for word in wheels.settings())


def test_a_root_of_another_machine_is_unpacked_and_known(machine, tmp_path):
    root, deb = tmp_path / "root", tmp_path / "deb"
    (deb / "DEBIAN").mkdir(parents=True)
    (deb / "lib").mkdir()
    (deb / "lib/a.so").touch()
    control = "Package: a\nVersion: 1\nArchitecture: m68k\n"
    control += "Maintainer: a <a@example.org>\nDescription: a\n"
    (deb / "DEBIAN/control").write_text(control)
    archives = root / "var/cache/apt/archives"
    made = f"mkdir -p {archives} {root}/usr/lib {root}/var/lib/dpkg/info"
    made += f"; ln -s usr/lib {root}/lib; dpkg-deb --build {deb} {archives}/a.deb"
    script = f". {RELEASE}/root.sh; unpack_foreign sid {root} a m68k"
    done = machine("bash", "-ec", script, debootstrap=made)
    assert done.returncode == 0, done.stderr
    assert (root / "lib").is_symlink()
    assert (root / "usr/lib/a.so").exists()
    assert bundle.packages(root) == {"a": ("a", "1")}
    assert bundle.owners(root) == {"a.so": "a"}


def test_a_machine_that_is_not_emulated_is_told(machine):
    script = f"MACHINE=m68k {RELEASE}/wheels_try.sh"
    done = machine("bash", "-c", script)
    assert done.stdout.startswith("wheels for m68k not tried: this machine does not")


def test_what_a_root_needs_and_the_machine_lacks_is_listed(machine):
    script = f". {RELEASE}/root.sh; require 'make it' ls no-such-command"
    done = machine("bash", "-c", script, id="echo 1000")
    assert done.returncode == 1
    assert done.stderr.split("\n")[1:3] == ["    root's rights", "    no-such-command"]
    assert done.stderr.startswith("make it makes root file systems.")
    assert machine("bash", "-c", "ls", id="echo 0").returncode == 0


def fetch(machine, folder, pool):
    """Fetch a package from a mirror that has only one version in its pool."""
    return machine(
        RELEASE / "source.sh",
        "python3.14",
        folder,
        "sid",
        apt_cache=f"printf '{LISTED}'",
        apt_get=f"""case $* in
        *python3.14={pool}) touch python3.14_{pool}.orig.tar.xz ;;
        source*) echo "no $*" >&2; touch python3.14_half.dsc; exit 1 ;;
        esac""",
    )


def test_the_newest_source_that_the_mirror_has(machine, tmp_path):
    folder = tmp_path / "sources"
    done = fetch(machine, folder, "3.14.9-1")
    assert (done.returncode, done.stderr) == (0, "")
    found = [path.name for path in folder.glob("python*")]
    assert found == ["python3.14_3.14.9-1.orig.tar.xz"]
    assert "deb-src mirror sid main" in (folder / "apt/sources.list").read_text()
    # What is there stays, whatever the mirror has.
    assert fetch(machine, folder, "3.14.10-1").returncode == 0
    assert [path.name for path in folder.glob("python*")] == found


def test_a_mirror_without_the_source(machine, tmp_path):
    done = fetch(machine, tmp_path, "none")
    assert done.returncode == 1
    assert "no source" in done.stderr
    assert done.stderr.endswith("mirror has no source of python3.14 in sid\n")
    assert not list(tmp_path.glob("python*"))


def test_other_pythons_are_built_without_it(machine, tmp_path):
    release = tmp_path / "release"
    release.mkdir()
    for name in ("wheels_pythons.sh", "source.sh", "root.sh"):
        shutil.copy(RELEASE / name, release / name)
    done = machine(
        *(release / "wheels_pythons.sh", "3.14t", "3.15t"),
        apt_get="true",
        apt_cache="true",
        id="echo 0",
    )
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("==")] == [
        "== no CPython 3.14t: no source of it",
        "== no CPython 3.15t: no source of it",
    ]


def sources_of_cpython(folder, makefile):
    """Make a tarball whose configure script writes this Makefile."""
    inside = folder / "cpython"
    inside.mkdir()
    configure = inside / "configure"
    configure.write_text(
        '#!/bin/sh\nprefix=${1#--prefix=}\nexport prefix\necho "$*"\n'
        f"cat >Makefile <<END\n{makefile}\nEND\n"
    )
    configure.chmod(0o755)
    tarball = folder / "python3.14_3.14.7.orig.tar.gz"
    subprocess.run(["tar", "czf", tarball, "-C", folder, "cpython"], check=True)
    return tarball


def test_a_cpython_is_built_once(machine, tmp_path):
    makefile = "all:\ninstall:\n\tmkdir -p $prefix/bin; date +%N >$prefix/bin/python3"
    tarball = sources_of_cpython(tmp_path, makefile)
    made = []
    for _ in range(2):
        done = machine(
            TOOLS / "cpython.sh", tarball, tmp_path / "made", "--disable-gil"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        made.append((tmp_path / "made/bin/python3").read_text())
    assert made[0] == made[1]
    assert not (tmp_path / "made.build").exists()


def test_a_cpython_that_cannot_be_built(machine, tmp_path):
    tarball = sources_of_cpython(tmp_path, "all:\n\techo no such header; false")
    done = machine(TOOLS / "cpython.sh", tarball, tmp_path / "made")
    assert done.returncode == 1
    assert "no such header" in done.stdout
    assert not (tmp_path / "made/made").exists()
