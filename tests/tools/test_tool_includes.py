import check_includes
import pytest

FINE = {
    "libgraph/src/graph.h": "#include <leakgraph/leakgraph.h>\n",
    "libgraph/src/graph.c": '#include "graph.h"\n/* printf(), Python.h */\n',
    "tests/c/test_graph.c": '#include "graph.h"\n',
    "libgraph/src/igraph_bridge.c": "#include <igraph.h>\n",
    "export/src/render.c": "#include <gvc.h>\n",
    "pyext/capture/compat.h": "#if PY_VERSION_HEX >= 0x030c0000\n#endif\n",
    "pyext/capture/walk.c": (
        "#define Py_BUILD_CORE 1\n"
        '#include "internal/pycore_gc.h"\n#include "compat.h"\n'
    ),
    "pyext/binding/core.c": (
        '#include "../capture/compat.h"\n#include <leakgraph/export.h>\n'
    ),
}


def problems(project):
    return list(check_includes.check(project.root))


def test_allowed_includes_pass(project):
    for path, text in FINE.items():
        project.write(path, text)
    assert problems(project) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("libgraph/src/graph.c", "#include <Python.h>\n"),
        ("libgraph/src/graph.c", "#  include <gvc.h>\n"),
        ("libgraph/src/graph.c", "#include <igraph/igraph.h>\n"),
        ("libgraph/src/graph.c", "#include <leakgraph/export.h>\n"),
        ("libgraph/src/graph.c", 'void f(void) { printf("x"); }\n'),
        ("export/src/dot.c", "#include <gvc.h>\n"),
        ("export/src/dot.c", "#include <Python.h>\n"),
        ("export/src/dot.c", '#include "../../libgraph/src/graph.h"\n'),
        ("export/src/dot.c", "#include <leakgraph/private/graph.h>\n"),
        ("pyext/binding/core.c", "#include <igraph.h>\n"),
        ("pyext/binding/core.c", '#include "internal/pycore_gc.h"\n'),
        ("pyext/binding/core.c", "#define Py_BUILD_CORE_MODULE\n"),
        ("pyext/binding/core.c", "#if PY_VERSION_HEX > 1\n#endif\n"),
        ("pyext/capture/walk.c", "#if PY_VERSION_HEX > 1\n#endif\n"),
        ("tests/export/test_dot.c", '#include "graph.h"\n'),
        ("examples/c/show.c", "#include <Python.h>\n"),
    ],
)
def test_an_include_across_a_wall_is_found(project, path, text):
    for name, fine in FINE.items():
        project.write(name, fine)
    project.write(path, "/* a comment\n   of two lines */\n" + text)
    found = problems(project)
    assert len(found) == 1
    assert found[0].startswith(f"{path}:3:")
