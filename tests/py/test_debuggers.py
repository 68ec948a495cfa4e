"""A debugger looks at a program without being told as what keeps its objects.

A debugger keeps the frame that it shows, in frames and objects of its own, and up to
Python 3.12 a copy of the variables there. Each leads to the user's objects by fewer
references than the traceback of an error does.
"""

import sys

import pytest

PROGRAM = """
import code, io, pdb, sys

class Rows:
    pass

def load():
    rows = Rows()
    {stop}

def shown():
    import leakgraph
    frame = sys._getframe()
    while "rows" not in frame.f_locals or frame.f_code.co_name != "<module>":
        frame = frame.f_back
    why = leakgraph.why(frame.f_locals["rows"])
    print("the path:", why.path)
    for cut in why.cuts:
        print("cut", cut.source, cut.label)
    print(str(why))

sys.modules["show"] = type("Show", (), dict(shown=staticmethod(shown)))
sys.stdin = io.StringIO("import show; show.shown()\\nc\\n")
"""

FAIL = """
try:
    load()
except ValueError as error:
    sys.last_exc = sys.last_value = error
    sys.last_traceback = error.__traceback__
pdb.pm()
"""

CONSOLE = "code.interact(banner='', exitmsg='', local=dict(globals(), **locals()))"

SESSIONS = {
    "breakpoint": ("pdb.set_trace()\n    return rows", "load()"),
    "post_mortem": ("raise ValueError('no rows')", FAIL),
    "console": (CONSOLE, "load()"),
}

PATHS = {
    "breakpoint": "thread MainThread in load() <string>:9 local rows",
    "post_mortem": "sys.last_traceback.tb_next.tb_frame local rows",
    "console": "thread MainThread in load() <string>:9 local rows",
}

# Up to Python 3.12 the debugger stops at the next line.
OLD = {"breakpoint": "thread MainThread in load() <string>:10 local rows"}


@pytest.mark.parametrize("session", SESSIONS)
def test_names_of_the_program_come_first(python, session):
    stop, end = SESSIONS[session]
    done = python("-c", PROGRAM.format(stop=stop) + end)
    lines = done.out.splitlines()
    (path,) = [line for line in lines if "the path: " in line]
    assert path.split("the path: ")[1] in (PATHS[session], OLD.get(session)), done
    cuts = [line for line in lines if line.startswith("cut ")]
    assert "f_locals" not in cuts[0]
    if sys.version_info < (3, 13) or session == "console":
        assert "['rows']" in cuts[-1]
        assert "\nf_locals is a copy of a function's variables" in done.out
