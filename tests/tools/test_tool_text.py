import check_text
import pytest


def problems(project):
    return list(check_text.check(project.root))


def test_plain_text_passes(project):
    project.write("a.md", "What is there, is there: todos are kept elsewhere.\n")
    project.write(".gitignore", "*.bin\n")
    project.write("ignored.bin", b"\0")
    assert problems(project) == []


@pytest.mark.parametrize(
    "content",
    [
        b"\0\1",
        b"\xff\xfe\n",
        b"see /ho" + b"me/somebody/x\n",
        b"see /wo" + b"rk/x\n",
        b"/* TO" + b"DO: the rest */\n",
        b"# FIX" + b"ME\n",
        b"<<<<<" + b"<< HEAD\n",
        b"a line \n",
        b"/* ---" + b"------- words */\n",
        b"    // ---" + b"------- words ---\n",
        b"no end",
    ],
)
def test_what_must_not_be_there_is_found(project, content):
    project.write("a/file.txt", content)
    found = problems(project)
    assert len(found) == 1
    assert found[0].startswith("a/file.txt")
