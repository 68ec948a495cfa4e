from pathlib import Path

import check_sizes
import pytest


def c_function(lines):
    body = "    x++;\n" * (lines - 4)
    return f"/** Says why. */\nstatic int\nlong_name(int x)\n{{\n{body}}}\n"


def problems(project):
    return list(check_sizes.check(project.root))


def test_length_counts_from_the_type_to_the_brace():
    text = "#include <x.h>\n\n" + c_function(12) + "\n" + c_function(20)
    found = list(check_sizes.c_functions(Path("a.c"), text))
    assert [(f.name, f.lines, f.line) for f in found] == [
        ("long_name", 12, 4),
        ("long_name", 20, 18),
    ]


def test_a_struct_is_no_function():
    text = "struct a\n{\n    int x;\n}\n;\n" + c_function(8)
    assert len(list(check_sizes.c_functions(Path("a.c"), text))) == 1


@pytest.mark.parametrize(("lines", "wrong"), [(70, 0), (71, 1)])
def test_a_long_c_function_is_found(project, lines, wrong):
    project.write("libgraph/src/a.c", c_function(lines))
    assert len(problems(project)) == wrong


@pytest.mark.parametrize(("lines", "wrong"), [(70, 0), (71, 1)])
def test_a_long_python_function_is_found(project, lines, wrong):
    docstring = '    """Says\n\n    much.\n    """\n'
    body = "    x = 1\n" * (lines - 1)
    project.write("tools/a.py", f"def f():\n{docstring}{body}")
    assert len(problems(project)) == wrong


@pytest.mark.parametrize(("lines", "wrong"), [(900, 0), (901, 1)])
def test_a_long_file_is_found(project, lines, wrong):
    project.write("export/src/a.c", "int a;\n" * lines)
    project.write("export/include/leakgraph/a.h", "int a;\n" * lines)
    assert len(problems(project)) == wrong


def test_the_distribution_is_told():
    message = check_sizes.distribution([10] * 19 + [50])
    assert message == (
        "20 functions, median 10 lines, 95 % up to 10, longest 50, 1 over 40"
    )
