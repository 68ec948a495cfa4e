"""What tools/setup.sh installs, and what it says when it cannot.

A stub stands for each command that would install something or that tells what the
machine has.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import tracked

TOOLS = Path(__file__).parents[2] / "tools"
LISTS = Path("/var/lib/apt/lists")
#: An interpreter whose environments have one of this version, which writes down what
#: pip shall install. $PIP fails if it is set and a line of the call has it.
PYTHON = """\
#!/bin/sh
case "$*" in
"-m venv"*)
    mkdir -p .venv/bin
    cp "$0" .venv/bin/python
    touch .venv/whole ;;
*"-m pip --version") [ -e .venv/whole ] ;;
*"-m pip install"*)
    echo "$*" >>pip.txt
    [ -z "$PIP" ] || case "$*" in *"$PIP"*) echo "ERROR: $SAYS" >&2; exit 1 ;; esac ;;
*platform*) echo {version} ;;
esac
"""


class Project:
    """A checkout that has only the script, and the machine around it."""

    def __init__(self, folder):
        self.folder = folder
        self.commands = folder / "commands"
        self.commands.mkdir()
        (folder / "tools").mkdir()
        for file in [TOOLS / "setup.sh", *TOOLS.glob("requirements*.txt")]:
            shutil.copy(file, folder / "tools")
        self.stub("dpkg-query", 'shift 3; printf "%s ok installed\\n" "$@"')
        self.stub("apt-cache", "exit 0")
        self.stub("id", "echo 1000")
        self.write_python("python3", "3.11.2")

    def stub(self, name, text):
        self.write(name, f"#!/bin/sh\n{text}\n")

    def write_python(self, name, version):
        self.write(name, PYTHON.format(version=version))

    def write(self, name, text):
        (self.commands / name).write_text(text)
        (self.commands / name).chmod(0o755)

    def run(self, *arguments, **settings):
        return self.call(["tools/setup.sh", *arguments], **settings)

    def call(self, command, stdin=None, **settings):
        known = {k: v for k, v in os.environ.items() if k not in ("PYTHON", "TORCH")}
        path = {"PATH": f"{self.commands}:{os.environ['PATH']}"}
        done = subprocess.run(
            command,
            env=known | path | settings,
            cwd=self.folder,
            stdin=stdin,
            capture_output=True,
        )
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done

    def installed(self):
        """Return what pip was asked for since the last call, a line a call."""
        log = self.folder / "pip.txt"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [line.rpartition("--progress-bar off ")[2] for line in lines]


@pytest.fixture
def machine(tmp_path):
    return Project(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "package"),
    [
        ([], "libgraphviz-dev"),
        ([], "libigraph-dev"),
        (["checks"], "valgrind"),
        (["checks"], "chromium"),
        (["checks"], "zsh"),
        (["checks"], "fish"),
    ],
)
def test_what_is_missing_is_said_with_the_command(machine, arguments, package):
    machine.stub("dpkg-query", "exit 1")
    done = machine.run(*arguments)
    assert done.returncode == 1
    assert "Missing system packages:" in done.stderr
    command = done.stderr.splitlines()[-1]
    assert command.strip().startswith("sudo apt-get install")
    assert package in command


def test_only_what_is_missing_is_asked_for(machine):
    there = "shift 3; for p; do [ $p = gcc ] || echo $p ok installed; done"
    machine.stub("dpkg-query", there)
    command = machine.run().stderr.splitlines()[-1]
    assert command.split()[-1] == "gcc" and "make" not in command


@pytest.mark.skipif(not [*LISTS.glob("*_Packages*")], reason="apt has no lists here")
def test_what_a_build_can_do_without_is_not_asked_for_where_apt_lacks_it(machine):
    there = (
        "shift 3; for p; do [ $p = libmicrohttpd-dev ] || echo $p ok installed; done"
    )
    machine.stub("dpkg-query", there)
    machine.stub("apt-cache", "exit 100")
    assert machine.run().returncode == 0
    machine.stub("apt-cache", "exit 0")
    assert "libmicrohttpd-dev" in machine.run().stderr


def test_an_unknown_set_is_refused(machine):
    assert machine.run("everything").returncode == 2


def test_the_demo_installs_only_what_it_needs(machine):
    assert machine.run("demo").returncode == 0
    build, demo = "tools/requirements-build.txt", "tools/requirements-demo.txt"
    assert machine.installed() == [f"-r {build} -r {demo}", "torch==2.13.0"]


def test_a_wheel_needs_no_torch(machine):
    assert machine.run("build").returncode == 0
    assert machine.installed() == ["-r tools/requirements-build.txt"]


def test_the_second_time_nothing_is_installed(machine):
    said = machine.run()
    assert "== pip installs" in said.stdout and not said.stderr
    assert "-r tools/requirements-torch.txt" in " ".join(machine.installed())
    for arguments in [], ["demo"], ["build"]:
        said = machine.run(*arguments)
        assert (said.stdout, said.stderr, machine.installed()) == ("", "", [])


def test_another_torch_is_installed_and_the_first_one_again(machine):
    machine.run("demo")
    machine.installed()
    machine.run("demo", TORCH="torch==2.1")
    assert machine.installed()[-1] == "torch==2.1"
    machine.run("demo")
    assert machine.installed()[-1] == "torch==2.13.0"
    machine.run("demo")
    assert not machine.installed()


def test_a_torch_that_the_user_names_is_not_replaced(machine):
    says = "No matching distribution found for torch==99"
    done = machine.run("demo", TORCH="torch==99", PIP="torch", SAYS=says)
    assert done.returncode == 1 and says in done.stderr
    assert "cannot install TORCH=torch==99" in done.stderr.splitlines()[-1]
    assert machine.installed()[-1] == "torch==99"


def test_a_python_without_this_torch_gets_the_newest(machine):
    says = "No matching distribution found for torch==2.13.0"
    done = machine.run("demo", PIP="torch==", SAYS=says)
    assert done.returncode == 0 and "ERROR" not in done.stdout + done.stderr
    assert machine.installed()[-1] == "torch"


@pytest.mark.parametrize("part", ["-build.txt", "torch==2.13.0"])
def test_what_pip_says_is_shown_and_the_next_run_goes_on(machine, part):
    done = machine.run("demo", PIP=part, SAYS="No space left on device")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "run this again" in done.stderr.splitlines()[-1]
    machine.installed()
    assert machine.run("demo").returncode == 0
    assert machine.installed()[-1] == "torch==2.13.0"


@pytest.mark.parametrize("lost", ["whole", "bin/python"])
def test_an_environment_that_was_interrupted_is_made_again(machine, lost):
    machine.run("build")
    machine.installed()
    (machine.folder / ".venv/installed.txt").unlink()
    (machine.folder / ".venv" / lost).unlink()
    (machine.folder / ".venv/left").touch()
    assert machine.run("build").returncode == 0
    assert not (machine.folder / ".venv/left").exists()
    assert machine.installed()


def test_an_environment_of_the_user_is_kept(machine):
    (machine.folder / ".venv/bin").mkdir(parents=True)
    (machine.folder / ".venv/bin/python").symlink_to(machine.commands / "python3")
    (machine.folder / ".venv/whole").touch()
    (machine.folder / ".venv/mine").touch()
    assert machine.run("build").returncode == 0
    assert (machine.folder / ".venv/mine").exists()


@pytest.mark.parametrize("name", ["no-such-python", "/bin/false"])
def test_a_python_that_the_user_names_is_not_replaced(machine, name):
    done = machine.run("build", PYTHON=name)
    assert done.returncode == 1
    assert done.stderr.startswith(f"PYTHON={name} does not run")
    assert not (machine.folder / ".venv").exists()


def test_another_python_than_that_of_the_environment_is_refused(machine):
    machine.write_python("python3.13", "3.13.1")
    assert machine.run("build", PYTHON="python3.13").returncode == 0
    assert machine.run("build").returncode == 0
    done = machine.run("build", PYTHON="python3")
    assert done.returncode == 1
    assert ".venv has CPython 3.13.1, and PYTHON=python3 is 3.11.2" in done.stderr
    assert "make clean" in done.stderr


@pytest.mark.skipif(not shutil.which("script"), reason="script is not installed")
def test_a_terminal_shows_the_newest_line_and_keeps_none(machine):
    says = PYTHON.replace('echo "$*" >>pip.txt', "echo Downloading torch")
    machine.write("python3", says.format(version="3.11.2"))
    command = ["script", "-qec", "tools/setup.sh build", "/dev/null"]
    shown = machine.call(command, stdin=subprocess.DEVNULL).stdout
    assert shown.endswith("\r\033[KDownloading torch\r\033[K")


def test_all_missing_libraries_are_named_at_once(tmp_path):
    command = ["cmake", "-S", str(TOOLS.parent), "-B", str(tmp_path), "-G", "Ninja"]
    nowhere = os.environ | {"PKG_CONFIG_LIBDIR": str(tmp_path), "PKG_CONFIG_PATH": ""}
    done = subprocess.run(command, env=nowhere, capture_output=True, text=True)
    assert done.returncode
    said = " ".join(done.stderr.split())
    assert "install the Debian packages libzstd-dev libxxhash-dev, or" in said


def test_what_git_lists_needs_a_clone(tmp_path):
    command = ["make", "-C", str(tmp_path), "-f", str(TOOLS.parent / "Makefile")]
    done = subprocess.run([*command, "check"], capture_output=True, text=True)
    assert done.returncode
    assert "make check needs a git clone: git lists the files" in done.stderr
    with pytest.raises(SystemExit, match="git lists the files, in a clone: fatal"):
        tracked.files(tmp_path)
