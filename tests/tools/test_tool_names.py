import check_names
import pytest

PRIVATE = "libgraph/src/base/a.h"

GUARD = "#ifndef LEAKGRAPH_{0}_H\n#define LEAKGRAPH_{0}_H\n"

FINE = """\
/* struct one { int x; }; */
#ifndef LEAKGRAPH_A_H
#define LEAKGRAPH_A_H
#define LG__LIMIT 4
#define LG__BOTH(a, b) \\
    extern int a; b
typedef struct lg__thing {
    int count; /**< enum words { ONE }; */
} lg__thing;
typedef enum lg__kind { LG__FIRST = 1, LG__SECOND } lg__kind;
enum { LG__SIZE = 8 };
typedef void lg__visit(int node);
typedef int (*lg__compare)(const void *, const void *);
struct lg_shown {
    int hidden;
};
extern const char lg__names[LG__LIMIT];
void elsewhere(void);
static inline int
lg__twice(int number)
{
    enum { TWO = 2 };
    return number * TWO;
}
#endif
"""


def problems(project):
    return list(check_names.check(project.root))


def test_names_with_the_prefix(project):
    shown = GUARD.format("SHOWN") + "struct lg_shown;\n#endif\n"
    project.write("libgraph/include/leakgraph/shown.h", shown)
    project.write(PRIVATE, FINE)
    assert problems(project) == []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("#define LIMIT 4", "LIMIT"),
        ("#define LG_TWICE(x) (2 * (x))", "LG_TWICE"),
        ("typedef struct thing {\n    int x;\n} lg__thing;", "thing"),
        ("typedef struct lg__thing lg_thing;", "lg_thing"),
        ("struct lg_thing {\n    int x;\n};", "lg_thing"),
        ("enum lg__kind {\n    LG__A,\n    B,\n};", "B"),
        ("enum { LG__A = 1, B = 2 };", "B"),
        ("typedef void visit(int node);", "visit"),
        ("typedef int (*compare)(const void *, const void *);", "compare"),
        ("extern const int lg_table[];", "lg_table"),
        ("static inline int\ntwice(int number)\n{\n    return 2;\n}", "twice"),
    ],
)
@pytest.mark.parametrize("room", ["export/view/a.h", "pyext/binding/answers/a.h"])
def test_a_name_without_the_prefix(project, room, line, name):
    project.write(room, GUARD.format("A") + f"{line}\n#endif\n")
    assert problems(project) == [f"{room}: {name} begins with neither lg__ nor LG__"]


@pytest.mark.parametrize(
    "guard",
    ["", "#pragma once\n", GUARD.format("B"), "#ifndef LG_A_H\n#define LG_A_H\n"],
)
@pytest.mark.parametrize(
    "path", [PRIVATE, "tests/c/a.h", "export/include/leakgraph/a.h"]
)
def test_a_guard_of_another_spelling(project, path, guard):
    project.write(path, guard)
    assert problems(project) == [f"{path}: its include guard is not LEAKGRAPH_A_H"]
