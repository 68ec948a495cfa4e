import check_includes
import pytest

FINE = {
    "libgraph/src/graph/graph_private.h": "#include <leakgraph/graph.h>\n",
    "libgraph/src/graph/graph.c": (
        '#include "graph/graph_private.h"\n/* printf(), Python.h */\n'
    ),
    "libgraph/src/paths/paths_private.h": "",
    "libgraph/src/analysis/analysis_private.h": "",
    "libgraph/src/analysis/policy.h": "",
    "libgraph/src/paths/path.c": '#include "analysis/analysis_private.h"\n',
    "export/write/tree.h": "",
    "export/write/write_private.h": "",
    "export/render/worker.c": '#include "write/write_private.h"\n',
    "pyext/binding/support/args.h": "",
    "pyext/binding/support/binding_support.h": '#include "binding/support/args.h"\n',
    "tests/c/test_graph.c": '#include "graph/graph_private.h"\n',
    "libgraph/src/analysis/igraph_bridge.c": "#include <igraph.h>\n",
    "export/render/graphviz.c": "#include <gvc.h>\n",
    "export/serve/http.c": "#include <microhttpd.h>\n",
    "tests/export/test_dot.c": '#include "write/tree.h"\n',
    "pyext/capture/cpython/compat.h": (
        '#include "internal/pycore_gc.h"\n#if PY_VERSION_HEX >= 0x030c0000\n#endif\n'
    ),
    "pyext/capture/cpython/capture_cpython.h": '#include "capture/cpython/compat.h"\n',
    "pyext/capture/common/capture_common.h": "",
    "pyext/capture/walk/heap_walk.c": '#include "capture/cpython/capture_cpython.h"\n',
    "pyext/binding/module.c": (
        '#include "capture/common/capture_common.h"\n'
        '#include "binding/support/binding_support.h"\n'
        "#include <leakgraph/view.h>\n"
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
        ("libgraph/src/graph/graph.c", "#include <Python.h>\n"),
        ("libgraph/src/graph/graph.c", "#  include <gvc.h>\n"),
        ("libgraph/src/graph/graph.c", "#include <igraph/igraph.h>\n"),
        ("libgraph/src/graph/graph.c", "#include <leakgraph/view.h>\n"),
        ("libgraph/src/graph/graph.c", 'void f(void) { printf("x"); }\n'),
        ("libgraph/src/graph/graph.c", "#include <leakgraph/leakgraph.h>\n"),
        ("tests/c/test_graph.c", "#include <leakgraph/leakgraph.h>\n"),
        ("export/write/dot.c", "#include <leakgraph/pictures.h>\n"),
        ("export/write/dot.c", "#include <gvc.h>\n"),
        ("export/serve/server.c", "#include <microhttpd.h>\n"),
        ("export/write/dot.c", "#include <Python.h>\n"),
        ("export/write/dot.c", '#include "../libgraph/src/graph/graph_private.h"\n'),
        ("export/write/dot.c", "#include <leakgraph/private/graph.h>\n"),
        ("pyext/binding/module.c", "#include <igraph.h>\n"),
        ("pyext/binding/module.c", '#include "internal/pycore_gc.h"\n'),
        ("pyext/binding/module.c", '#include "binding/support/args.h"\n'),
        (
            "pyext/binding/module.c",
            '#include "capture/cpython/capture_cpython.h"\n',
        ),
        ("pyext/binding/module.c", "#define Py_BUILD_CORE_MODULE\n"),
        ("pyext/capture/cpython/compat.c", "#define Py_BUILD_CORE 1\n"),
        ("pyext/capture/walk/heap_walk.c", '#include "internal/pycore_gc.h"\n'),
        ("pyext/binding/module.c", "#if PY_VERSION_HEX > 1\n#endif\n"),
        ("pyext/capture/walk/heap_walk.c", "#if PY_VERSION_HEX > 1\n#endif\n"),
        ("libgraph/src/graph/graph.c", '#include "paths/paths_private.h"\n'),
        ("libgraph/src/paths/path.c", '#include "analysis/policy.h"\n'),
        ("libgraph/src/paths/path.c", '#include "paths_private.h"\n'),
        ("libgraph/src/strays.c", '#include "graph/graph_private.h"\n'),
        ("export/view/view.c", '#include "write/write_private.h"\n'),
        ("export/render/render.c", '#include "write/tree.h"\n'),
        (
            "pyext/capture/walk/heap_walk.c",
            '#include "binding/support/binding_support.h"\n',
        ),
        ("tests/export/test_dot.c", '#include "graph/graph_private.h"\n'),
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


def test_two_files_of_one_name_are_found(project):
    project.write("libgraph/src/paths/why.c", "")
    project.write("export/pictures/why.c", "")
    project.write("export/include/leakgraph/why.h", "")
    project.write("libgraph/src/paths/why.h", "")
    same = "libgraph/src/paths/why.{0}:1: export/{1}/why.{0} has the same name"
    assert sorted(problems(project)) == [
        same.format("c", "pictures"),
        same.format("h", "include/leakgraph"),
    ]


def test_headers_that_include_each_other(project):
    project.write("libgraph/src/graph/one.h", '#include "graph/two.h"\n')
    project.write("libgraph/src/graph/two.h", "#include <leakgraph/three.h>\n")
    project.write("libgraph/include/leakgraph/three.h", "")
    assert problems(project) == []
    project.write("libgraph/src/graph/two.h", '#include "graph/one.h"\n')
    (problem,) = problems(project)
    assert "headers include each other: " in problem
    assert "graph/one.h" in problem and "graph/two.h" in problem
