import xml.etree.ElementTree as ElementTree

import valgrind

ERROR = """<error><what>Invalid read of size 8</what><stack>
<frame><obj>/lib/libc.so.6</obj><fn>strlen</fn><file>s.c</file><line>3</line></frame>
<frame><obj>/x/{object}</obj><fn>walk</fn><file>walk.c</file><line>7</line></frame>
</stack></error>"""


def error(name):
    return ElementTree.fromstring(ERROR.format(object=name))


def test_an_error_below_one_of_our_functions_is_ours():
    assert valgrind.is_ours(error("_core.cpython-311-x86_64-linux-gnu.so"))
    assert valgrind.is_ours(error("leakgraph"))


def test_an_error_of_the_interpreter_is_not():
    assert not valgrind.is_ours(error("libpython3.11.so.1.0"))


def test_an_error_in_python_code_that_we_call_is_not():
    frame = "<frame><obj>/x/libpython.so</obj><fn>_PyEval_EvalFrameDefault</fn></frame>"
    inside = ERROR.replace("<frame><obj>/x/", frame + "<frame><obj>/x/")
    named = inside.format(object="leakgraph")
    assert not valgrind.is_ours(ElementTree.fromstring(named))


def test_an_error_is_formatted_with_its_place():
    assert valgrind.format_error(error("leakgraph")) == (
        "Invalid read of size 8\n    strlen (s.c:3)\n    walk (walk.c:7)"
    )


def test_a_command_that_fails_is_an_error(tmp_path, monkeypatch):
    report = tmp_path / "valgrind.xml"
    report.write_text("<valgrindoutput/>", encoding="utf-8")
    monkeypatch.setattr(valgrind, "VALGRIND", ["sh", "-c", "exit 3"])
    assert list(valgrind.errors(["leakgraph"], tmp_path)) == ["leakgraph ended with 3"]
