"""Under python -m leakgraph run, a script notices nothing, and saves its snapshot."""

import os
import sys

import pytest
from builds import needs

import leakgraph

pytestmark = pytest.mark.ends


@pytest.fixture
def script(python):
    """Write a script, run it with and without leakgraph, and return both results."""

    def run(source, *arguments, options=(), **environment):
        path = python("-c", "").folder / "job.py"
        path.write_text(source, encoding="utf-8")
        plain = python("job.py", *arguments, **environment)
        watched = python(
            "-m", "leakgraph", "run", *options, "job.py", *arguments, **environment
        )
        return plain, watched

    return run


def without_our_line(text):
    return "".join(
        line
        for line in text.splitlines(keepends=True)
        if not line.startswith("leakgraph: ")
    )


def snapshot_in(folder):
    (path,) = folder.glob("*.lgs")
    return leakgraph.load(path)


ENDINGS = {
    "falls off the end": "pass",
    "raises": "def f(x):\n    raise ValueError('no', x)\nf(1)",
    "raises from another": "try:\n    {}['k']\nexcept KeyError as e:\n"
    "    raise OSError(2, 'gone') from e",
    "exits with 3": "import sys; sys.exit(3)",
    "exits with a text": "import sys; sys.exit('enough')",
    "exits with nothing": "raise SystemExit",
    "interrupted": "raise KeyboardInterrupt",
    "has its own hook": "import sys\n"
    "sys.excepthook = lambda *a: print('hook', a[0], a[2].tb_lineno)\n1/0",
    "fails at exit": "import atexit\natexit.register(int, 'x')",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_ends_as_the_script_does(script, ending):
    plain, watched = script(ENDINGS[ending])
    assert watched.code == plain.code
    assert watched.out == plain.out
    assert without_our_line(watched.err) == plain.err
    assert watched.err.count("leakgraph: ") == 1
    assert "saved to" in watched.err
    assert len(snapshot_in(watched.folder)) > 1000


def test_globals_of_main_are_there(script):
    _, watched = script("class Cache:\n    pass\nkept = Cache()\nkept.rows = [1] * 9")
    snapshot = snapshot_in(watched.folder)
    (kept,) = snapshot.select("name:__main__.kept")
    assert kept.type_name == "__main__.Cache"
    assert "kept" in str(snapshot.show_path(kept))


CLEANS_UP = """
import atexit
import threading
kept = [bytearray(1000) for _ in range(100)]
atexit.register(kept.clear)
def late():
    threading.main_thread().join()
    kept.append(bytearray(2000))
threading.Thread(target=late).start()
"""


def test_saves_what_the_script_left_before_its_callbacks(script):
    """All threads of the script have ended."""
    _, watched = script(CLEANS_UP)
    (kept,) = snapshot_in(watched.folder).select("name:__main__.kept")
    assert sum(edge.label.startswith("[") for edge in kept.referents()) == 101


@needs("matplotlib")
@pytest.mark.libraries
def test_open_figures_are_no_garbage(script):
    _, watched = script(
        "from matplotlib import pyplot\nfor _ in range(19):\n    pyplot.figure()\n"
    )
    figures = snapshot_in(watched.folder).figures()
    assert len(figures) == 19
    assert all(figure.reachable and not figure.closed for figure in figures)


def test_the_failing_frames_are_there(script):
    _, watched = script("def train():\n    batch = [0.5] * 7\n    1/0\ntrain()")
    snapshot = snapshot_in(watched.folder)
    assert any(
        edge.label.endswith("batch")
        for node in snapshot.select("type:frame")
        for edge in node.referents()
    )


def test_looks_like_python_to_the_script(script):
    source = (
        "import sys, inspect\n"
        "print(sys.argv, sys.path[0], __name__, __file__, __spec__, __package__)\n"
        "print(__builtins__, __doc__, type(__loader__).__name__, __loader__.name)\n"
        "print(sys.modules['__main__'].__dict__ is globals(), sorted(globals()))\n"
        "print(inspect.getsource(lambda: 17))\n"
    )
    plain, watched = script(source, "a", "--at-exit", "-m")
    assert watched.out == plain.out
    assert watched.code == plain.code == 0


def test_module(python):
    folder = python("-c", "").folder
    (folder / "tool.py").write_text(
        "import sys\n"
        "print(sys.argv, sys.path[0], __name__, __file__, __spec__.name, __package__)\n"
        "sys.exit(4)"
    )
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("print('imported')")
    (folder / "pack" / "__main__.py").write_text(
        "from . import __name__ as n; print(n)"
    )
    for name in ("tool", "pack"):
        plain = python("-m", name, "x", "-y")
        watched = python("-m", "leakgraph", "run", "-m", name, "x", "-y")
        assert (watched.out, watched.code) == (plain.out, plain.code)
        assert "saved to" in watched.err


def test_file_name(script):
    _, watched = script("", options=["--at-exit", "out-{n}.lgs"])
    _, watched = script("", options=["--at-exit=out-{n}.lgs"])
    assert {path.name for path in watched.folder.glob("*.lgs")} == {
        "out-1.lgs",
        "out-2.lgs",
    }


def test_default_file_name_has_the_pid(script):
    _, watched = script("import os; print(os.getpid())")
    assert (watched.folder / f"leakgraph-{watched.out.strip()}.lgs").exists()


def test_a_snapshot_that_fails_does_not_fail_the_script(script):
    _, watched = script("print('done')", options=["--at-exit", "no/such/folder.lgs"])
    assert watched.code == 0 and watched.out == "done\n"
    assert "no snapshot was saved" in watched.err
    assert "Traceback" not in watched.err


def test_threads_are_waited_for(script):
    _, watched = script(
        "import threading, time\n"
        "made = []\n"
        "def late():\n    time.sleep(0.3); made.append('late')\n"
        "threading.Thread(target=late).start()"
    )
    snapshot = snapshot_in(watched.folder)
    (made,) = snapshot.select("name:__main__.made")
    assert made.label == "list of 1"


def test_a_forked_child_saves_nothing(script):
    _, watched = script("import os\nif os.fork():\n    os.wait()")
    assert len(list(watched.folder.glob("*.lgs"))) == 1
    assert watched.err.count("leakgraph: ") == 1


ASK = """
import os, signal, time
import leakgraph
os.kill(os.getpid(), signal.{signal})
for _ in range(2000):
    if leakgraph.armed._armed.snapshots:
        break
    time.sleep(0.01)
"""


@pytest.mark.parametrize(
    ("options", "files"),
    [
        (["--arm", "a-{n}.lgs"], {"a-1.lgs"}),
        (["--arm=a-{n}.lgs", "--at-exit", "end.lgs"], {"a-1.lgs", "end.lgs"}),
        (["--arm", "a-{n}.lgs", "--signal", "usr1", "--rss=none"], {"a-1.lgs"}),
        (["--arm", "a-{n}.lgs", "--keep", "1", "--rss", "64GiB"], {"a-1.lgs"}),
    ],
)
def test_armed(python, options, files):
    folder = python("-c", "").folder
    name = "SIGUSR1" if "usr1" in options else "SIGURG"
    (folder / "job.py").write_text("kept = [[1] * 9]" + ASK.format(signal=name))
    done = python("-m", "leakgraph", "run", *options, "job.py")
    assert done.code == 0, done.err
    assert {path.name for path in folder.glob("*.lgs")} == files
    for file in files:
        assert leakgraph.load(folder / file).select("name:__main__.kept")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--arm", "no/such/x.lgs"], "no folder"),
        (["--arm", "x.lgs", "--signal", "nonsense"], "no signal nonsense"),
        (["--arm", "x.lgs", "--signal", "KILL"], "No program can handle SIGKILL"),
        (["--arm", "x.lgs", "--rss", "much"], "rss must be"),
        (["--arm", "x.lgs", "--keep", "0"], "keep must be"),
        (["--arm", "x.lgs", "--keep", "all"], "needs a number"),
    ],
)
def test_wrong_arms(python, options, message):
    (python("-c", "").folder / "job.py").write_text("print('ran')")
    done = python("-m", "leakgraph", "run", *options, "job.py")
    assert (done.code, done.out) == (2, "")
    assert message in done.err and "Traceback" not in done.err


MAIN = """
class Job:
    def run(self):
        rows = [[number] for number in range(50)]
        return len(rows)

def main(stop):
    \"\"\"Work.\"\"\"
    kept = ["kept"] * 3
    Job().run()
    if stop:
        raise ValueError("stop")
    return kept[0]

if __name__ == "__main__":
    import sys
    print(main(len(sys.argv) > 1), main.__doc__)
"""


def test_a_function_that_returns_still_has_its_variables(script):
    options = ("--at-return", "main", "--at-exit", "main.lgs")
    plain, watched = script(MAIN, options=options)
    assert (plain.code, plain.out) == (watched.code, watched.out)
    frames = str(leakgraph.load(watched.folder / "main.lgs").threads())
    assert "#0 main() job.py:13" in frames and "kept  list of 3" in frames
    assert "saved to" in watched.err and "variables held is gone" not in watched.err


def test_allocations_have_the_lines_of_the_script(script):
    source = "held = []\nfor number in range(50):\n    held.append(bytes(9000))\n"
    options = ("--allocations", "--at-exit", "lines.lgs")
    plain, watched = script(source, options=options)
    assert (plain.code, plain.out) == (watched.code, watched.out)
    row = leakgraph.load(watched.folder / "lines.lgs").allocations(mine=True)[0]
    assert row.line.endswith("job.py:3") and row.size.total > 50 * 9000


def test_a_method_that_returns_is_saved_each_time(script):
    options = ("--at-return", "Job.run", "--at-exit", "run-{n}.lgs")
    _, watched = script(
        MAIN.replace("Job().run()", "Job().run(); Job().run()"), options=options
    )
    assert {path.name for path in watched.folder.glob("*.lgs")} == {
        "run-1.lgs",
        "run-2.lgs",
    }


NAMES = """
def main():
    print(sorted(globals()), sorted(locals()), main.__code__.co_varnames)

main()
print(sorted(globals()), main.__code__.co_freevars)
"""


def test_a_function_that_returns_sees_no_name_of_leakgraphs(script):
    plain, watched = script(NAMES, options=("--at-return", "main"))
    assert watched.out == plain.out and "saved to" in watched.err


def test_the_code_of_a_function_that_returns_can_be_written(script):
    source = "import marshal\ndef main():\n    pass\nmain()\n"
    plain, watched = script(
        source + "print(len(marshal.dumps(main.__code__)) > 0)",
        options=("--at-return", "main"),
    )
    assert watched.out == plain.out == "True\n"


def test_a_function_that_raises_is_saved_and_raises(script):
    options = ("--at-return", "main")
    plain, watched = script(MAIN, "stop", options=options)
    assert plain.code == watched.code == 1
    assert without_our_line(watched.err) == plain.err
    assert snapshot_in(watched.folder).select("type:list")


def test_a_function_that_never_returns_is_told(script):
    _, watched = script("def main():\n    pass\n", options=("--at-return", "main"))
    assert "main() has never returned: the snapshot is of the end" in watched.err
    assert snapshot_in(watched.folder).nodes


def test_a_script_that_drops_leakgraph_is_told(script):
    source = """
import sys
def main():
    for name in [name for name in sys.modules if name.startswith("leakgraph")]:
        del sys.modules[name]
"""
    _, watched = script(source + "main()", options=("--at-return", "main"))
    said = "main() could not save, because leakgraph was dropped from sys.modules: "
    assert said + "the snapshot is of the end" in watched.err
    assert "never returned" not in watched.err
    assert snapshot_in(watched.folder).nodes


def test_a_module_may_have_the_function(python):
    folder = python("-c", "").folder
    (folder / "job.py").write_text(MAIN, encoding="utf-8")
    done = python("-m", "leakgraph", "run", "--at-return", "main", "-m", "job")
    assert done.code == 0 and "saved to" in done.err, done.err


@pytest.mark.parametrize("name", ["other", "Job.other", "Job", "main.kept"])
def test_no_such_function(script, name):
    _, watched = script(MAIN, options=("--at-return", name))
    assert watched.code == 2 and watched.out == ""
    assert watched.err == f"leakgraph: run: job.py defines no function {name}\n"


def test_what_main_held_is_told_to_be_gone(script):
    _, watched = script(MAIN)
    assert "main() has returned, and what its variables held is gone: to" in watched.err
    _, watched = script(MAIN.split("    print(")[0] + "    sys.exit(main(False))\n")
    assert watched.code == 1 and "variables held is gone" in watched.err
    _, watched = script(MAIN, "stop")
    assert "variables held is gone" not in watched.err
    _, watched = script("kept = [1]")
    assert "variables held is gone" not in watched.err


def test_os_exit_leaves_none(script):
    _, watched = script("import os; os._exit(5)")
    assert watched.code == 5 and list(watched.folder.glob("*.lgs")) == []


def test_syntax_error(script):
    plain, watched = script("def f(:\n  pass")
    assert (watched.code, without_our_line(watched.err)) == (plain.code, plain.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "-m"],
        ["run", "--at-exit"],
        ["run", "--no-such-option", "x.py"],
        ["run", "no-such-script.py"],
        ["run", "--rss", "90%", "x.py"],
        ["run", "--arm", "x.lgs"],
        ["run", "--arm"],
        ["run", "--allocations", "--native", "x.py"],
        ["run", "--allocations", "--arm", "x.lgs", "x.py"],
        ["run", "-m", "no_such_module_at_all"],
        [],
    ],
    ids=" ".join,
)
def test_wrong_command_line(python, arguments):
    done = python("-m", "leakgraph", *arguments)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert "leakgraph" in done.err + done.out
    assert list(done.folder.glob("*.lgs")) == []


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["run", "--help"]])
def test_help(python, arguments):
    done = python("-m", "leakgraph", *arguments)
    assert done.code == 0 and "--at-exit" in done.out and done.err == ""


def test_hands_over_to_the_command(python, tmp_path):
    """A fake stands for the command on the PATH of an odd installation."""
    command = tmp_path / "leakgraph"
    command.write_text('#!/bin/sh\necho "command $@"\nexit 7\n')
    command.chmod(0o755)
    code = (
        "import sys, sysconfig\n"
        "sysconfig.get_path = lambda name: '/nonexistent'\n"
        "sys.executable = '/nonexistent/python'\n"
        "from leakgraph import run\n"
        "run.main(['types', 'x.lgs'])"
    )
    done = python("-c", code, PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert (done.code, done.out) == (7, "command types x.lgs\n")
    done = python("-c", code, PATH="/nonexistent")
    assert done.code == 2 and "not installed" in done.err


if sys.version_info >= (3, 11):

    def test_safe_path(python):
        (python("-c", "").folder / "job.py").write_text("import sys; print(sys.path)")
        plain = python("-P", "job.py")
        watched = python("-P", "-m", "leakgraph", "run", "job.py")
        assert watched.out == plain.out
