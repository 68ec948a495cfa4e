"""Run a script as `__main__` and save a snapshot when it exits.

This module imports only what the script needs anyway, because everything that it loads
is in the snapshot, too. An `atexit` callback that is registered when the script has
ended takes the snapshot. Callbacks run the last one first, so this one runs after the
script's threads and before all other callbacks, which undo what the script leaves:
pyplot's closes all figures. A script that ends by `os._exit` or a signal leaves no
snapshot.
"""

from __future__ import annotations

import atexit
import builtins
import io
import os
import sys
from types import CodeType, ModuleType, TracebackType

from leakgraph._core import Error, save_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

__all__ = ["execute", "fail", "load", "main", "say", "take_options"]

USAGE = """\
Usage: python -m leakgraph run [OPTIONS] SCRIPT [ARGS]
       python -m leakgraph run [OPTIONS] -m MODULE [ARGS]
       python -m leakgraph VERB ...

Runs a script or a module as `python` would, and saves a snapshot of its objects when
it ends, even with an exception. The exit code is the script's own. If os._exit() or a
signal ends the script, leakgraph saves no snapshot at the end.

  --at-exit FILE  save the snapshot to FILE (leakgraph-{pid}.lgs); {pid} stands for the
                  process id, {n} for the next free number
  --at-return FUNCTION
                  save it whenever this function of the script returns, such as main
                  or Trainer.fit, and not at the end: what local variables hold is
                  gone by then
  --arm FILE      save a snapshot while the script runs: on SIGURG, when an
                  allocation fails, and when 90 % of the memory that it may use is in
                  use, before the kernel kills it. Put {n} into FILE, so that a later
                  snapshot does not replace an earlier one. To save one at the end as
                  well, add --at-exit
  --signal NAME   with --arm: save on this signal, or on none (SIGURG)
  --rss SIZE      with --arm: save at this share ("80%") or size ("12GiB"), or never
                  ("none")
  --keep N        with --arm: keep the newest N files (5)
  --contents      find out which strs, bytes and arrays are equal, for `leakgraph
                  waste`; the snapshot does not hold what they say
  --native        list the memory of C code, too, and who holds it
  --allocations   remember the line that allocates each object, for `leakgraph
                  allocations`: the script is slower, as tracemalloc traces it

`python -m leakgraph VERB` is `leakgraph VERB`; `leakgraph --help` lists the verbs.
"""

DEFAULT_FILE = "leakgraph-{pid}.lgs"
#: The options of `run`, and what each needs.
OPTIONS = {
    "--at-exit": "a file name",
    "--at-return": "a function",
    "--arm": "a file name",
    "--signal": "a signal",
    "--rss": "a size",
    "--keep": "a number",
    "--contents": "",
    "--native": "",
    "--allocations": "",
}
USAGE_ERROR = 2
#: As many frames reach the program's own line behind most calls of libraries.
FRAMES = 8


def main(arguments: list[str]) -> None:
    """Do what the command line says; ends the process unless a script ran."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, end="")
        sys.exit(0 if arguments else USAGE_ERROR)
    if arguments[0] == "run":
        _run(arguments[1:])
    elif arguments[0] == "watch":
        from leakgraph.watched import watch_script

        watch_script(arguments[1:])
    elif arguments[0] in ("attach", "tree", "sql", "mcp") or _writes_parquet(arguments):
        from leakgraph.verbs import run_verb

        sys.exit(run_verb(arguments[0], arguments[1:]))
    else:
        _hand_over(arguments)


def _writes_parquet(arguments: list[str]) -> bool:
    """Whether it is an export that pyarrow writes, and does not ask for help."""
    return (
        arguments[0] == "export"
        and any(one.split("=")[0] == "--parquet" for one in arguments)
        and not {"-h", "--help"} & set(arguments)
    )


def _run(arguments: list[str]) -> None:
    """Parse what follows `run`, prepare `__main__` and execute it."""
    options = take_options("run", arguments, OPTIONS, USAGE)
    _check(options)
    function = options.get("--at-return")
    code, module = load("run", arguments, function)
    if "--arm" in options:
        _arm(options)
    save = None
    if function or "--at-exit" in options or "--arm" not in options:
        save = _saver(
            options.get("--at-exit", DEFAULT_FILE),
            contents="--contents" in options,
            native="--native" in options,
            allocations="--allocations" in options,
        )
    if function and save is not None:
        save = _hook(save, function)
    if "--allocations" in options:
        _trace()
    try:
        execute(code, module)
    finally:
        if save is not None and not function:
            atexit.register(_tell_of_main, module)
        if save is not None:
            atexit.register(save)


def _tell_of_main(module: ModuleType) -> None:
    """Say that a script that works in main() has freed what its variables held.

    If an exception has ended the script, its traceback keeps them.
    """
    if hasattr(sys, "last_traceback"):
        return
    main = module.__dict__.get("main")
    if getattr(main, "__module__", None) == "__main__" and callable(main):
        say(
            "main() has returned, and what its variables held is gone: to see that, "
            "save with --at-return main"
        )


def _hook(save: Callable[[], None], function: str) -> Callable[[], None]:
    """Save whenever the function returns. Return what says at exit that it did not.

    A script that drops leakgraph from sys.modules calls a new copy of `returns`, which
    has no hooks.
    """
    from leakgraph import returns

    calls = []

    def save_now() -> None:
        calls.append(function)
        save()

    def save_late() -> None:
        if calls:
            return
        why = "has never returned"
        if sys.modules.get(returns.__name__) is not returns:
            why = "could not save, because leakgraph was dropped from sys.modules"
        say(f"{function}() {why}: the snapshot is of the end")
        save()

    returns.when_returned(save_now)
    return save_late


def load(
    verb: str, arguments: list[str], function: str | None = None
) -> tuple[CodeType, ModuleType]:
    """The code of the script, or of `-m MODULE`, and an empty `__main__` for it.

    `function` calls hooks when it returns.
    """
    if not arguments or arguments == ["-m"]:
        fail(f"{verb} needs a script: see leakgraph {verb} --help")
    if arguments[0] == "-m":
        return _load_module(verb, arguments[1], arguments[2:], function)
    return _load_script(verb, arguments[0], arguments[1:], function)


def _compile(source: bytes | str, file: str, function: str | None) -> CodeType:
    """Compile the script; `function` calls hooks when it returns."""
    if function is None:
        return compile(source, file, "exec", dont_inherit=True)
    from leakgraph.returns import hook_returns

    try:
        tree = hook_returns(source, file, function)
    except LookupError:
        fail(f"run: {os.path.basename(file)} defines no function {function}")
    return compile(tree, file, "exec", dont_inherit=True)


def take_options(
    verb: str, arguments: list[str], known: dict[str, str], usage: str
) -> dict[str, str]:
    """Take the options and their values off the front of the arguments.

    `known` says what value each needs; empty: none.
    """
    options = {}
    while arguments and arguments[0].startswith("-") and arguments[0] != "-m":
        option, equals, value = arguments.pop(0).partition("=")
        if option in ("-h", "--help"):
            print(usage, end="")
            sys.exit(0)
        if option not in known:
            fail(f"{verb} has no option {option}: see leakgraph {verb} --help")
        if not known[option]:
            options[option] = ""
            continue
        if not equals:
            value = arguments.pop(0) if arguments else ""
        options[option] = value or fail(f"{verb}: {option} needs {known[option]}")
    return options


def _check(options: dict[str, str]) -> None:
    """Fail if options would do nothing."""
    spare = [name for name in ("--signal", "--rss", "--keep") if name in options]
    if spare and "--arm" not in options:
        fail(f"run: {spare[0]} needs --arm")
    if "--allocations" in options:
        for other in ("--arm", "--native"):
            if other in options:
                fail(f"run: --allocations and {other} need a run each")


def _trace() -> None:
    """Let tracemalloc trace the script, unless it traces already."""
    import tracemalloc

    if not tracemalloc.is_tracing():
        tracemalloc.start(FRAMES)


def _arm(options: dict[str, str]) -> None:
    """Arm the process as the options say."""
    from leakgraph.armed import arm
    from leakgraph.signals import DEFAULT

    signal, rss = options.get("--signal", DEFAULT), options.get("--rss", "90%")
    keep = options.get("--keep", "5")
    try:
        if not keep.isdigit():
            raise ValueError(f"--keep needs a number, not {keep}")
        arm(
            options["--arm"],
            signal=None if signal == "none" else signal,
            rss=None if rss == "none" else rss,
            keep=int(keep),
            contents="--contents" in options,
            native="--native" in options,
        )
    except (Error, OSError, ValueError) as error:
        fail(f"run: {error}")


def _load_script(
    verb: str, path: str, arguments: list[str], function: str | None
) -> tuple[CodeType, ModuleType]:
    """The script's code and an empty `__main__` for it, with sys.path and argv set."""
    full = os.path.abspath(path)
    try:
        with io.open_code(full) as file:
            source = file.read()
    except OSError as error:
        fail(f"{verb}: cannot open {path}: {error.strerror}")
    if not _is_safe_path():
        sys.path[0] = os.path.dirname(os.path.realpath(full))
    sys.argv[:] = [path, *arguments]
    from importlib.machinery import SourceFileLoader

    module = _new_main(full, SourceFileLoader("__main__", full))
    try:
        return _compile(source, full, function), module
    except (SyntaxError, ValueError):
        _hide_frames_before(None)
        raise


def _load_module(
    verb: str, name: str, arguments: list[str], function: str | None
) -> tuple[CodeType, ModuleType]:
    """The same for `-m name`. For a package, take its `__main__` module."""
    from importlib.util import find_spec

    try:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = find_spec(f"{name}.__main__")
    except ImportError as error:
        fail(f"{verb}: cannot import {name}: {error}")
    code = getattr(spec and spec.loader, "get_code", lambda _: None)(
        spec.name if spec else name
    )
    if spec is None or code is None:
        fail(f"{verb}: there is no module {name} to run")
    if function:
        source = getattr(spec.loader, "get_source", lambda _: None)(spec.name)
        code = _compile(source or "", spec.origin or name, function)
    module = _new_main(spec.origin, spec.loader)
    module.__spec__ = spec
    module.__package__ = spec.parent
    if "__cached__" in module.__dict__:
        module.__dict__["__cached__"] = spec.cached
    sys.argv[:] = [spec.origin or name, *arguments]
    return code, module


def _new_main(file: str | None, loader: object) -> ModuleType:
    """Make a module as Python makes it for a script."""
    module = ModuleType("__main__")
    namespace = module.__dict__
    namespace["__file__"] = file
    namespace["__loader__"] = loader
    namespace["__builtins__"] = builtins
    if sys.version_info < (3, 15):
        namespace["__cached__"] = None
    if sys.version_info < (3, 14):
        namespace["__annotations__"] = {}
    return module


def _is_safe_path() -> bool:
    """Whether sys.path[0] is not the folder of what runs (`-P`, `-I`)."""
    return bool(getattr(sys.flags, "safe_path", sys.flags.isolated))


def execute(code: CodeType, module: ModuleType) -> None:
    """Run the code as `__main__`; its exceptions look as if Python had run it."""
    sys.modules["__main__"] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        _hide_frames_before(code)
        raise


def _hide_frames_before(code: CodeType | None) -> None:
    """Begin an uncaught exception's traceback at the script (None: make it empty)."""
    show = sys.excepthook

    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        while trace is not None and trace.tb_frame.f_code is not code:
            trace = trace.tb_next
        error.__traceback__ = sys.last_traceback = trace
        show(kind, error, trace)

    sys.excepthook = excepthook


def _saver(
    file: str, *, contents: bool, native: bool, allocations: bool
) -> Callable[[], None]:
    """Make a function that saves a snapshot to `file` in this process, no child."""
    pid = os.getpid()

    def save() -> None:
        if os.getpid() != pid:
            return
        try:
            info = save_snapshot(
                file, contents=contents, native=native, allocations=allocations
            )
        except (Error, OSError, MemoryError) as error:
            say(f"no snapshot was saved: {error}")
        else:
            say(f"snapshot of {info.nodes:,} objects saved to {info.path}")

    return save


def _hand_over(arguments: list[str]) -> None:
    """Become the bundled command."""
    from shutil import which
    from sysconfig import get_path

    folders = [get_path("scripts"), os.path.dirname(sys.executable)]
    path = os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])
    command = which("leakgraph", path=path)
    if command is None:
        fail("the command `leakgraph` is not installed beside this Python")
    sys.stdout.flush()
    os.execv(command, ["leakgraph", *arguments])


def say(line: str) -> None:
    """Print one line on stderr, if there is one."""
    if sys.stderr is not None:
        print(f"leakgraph: {line}", file=sys.stderr, flush=True)


def fail(line: str) -> NoReturn:
    """Print the line and exit with the code of a wrong command line."""
    say(line)
    sys.exit(USAGE_ERROR)
