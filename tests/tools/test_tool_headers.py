import check_headers
import headers
import pytest

HEADER = """\
/**
 * Things.
 */
#ifndef A_H
#define A_H
#include <stddef.h>
#define LG_API

/* --- things --- */

/** A thing. */
typedef struct lg_thing {
    size_t size; /**< bytes */
} lg_thing;

/** Makes one. */
LG_API int lg_thing_new(lg_thing **out);
LG_API void lg_thing_free(lg_thing *thing);
#endif
"""


@pytest.fixture
def with_headers(project, monkeypatch):
    # Each check compiles every header, so a few must do.
    monkeypatch.setattr(headers, "HEADERS", headers.HEADERS[:3])
    for header in headers.HEADERS:
        project.write(header, HEADER)
    return project


def problems(project):
    return list(check_headers.check(project.root))


def test_the_items_of_a_header():
    found = [(i.kind, i.name, i.comment) for i in headers.items(HEADER)]
    assert found == [
        ("section", "things", ""),
        ("type", "lg_thing", "A thing."),
        ("function", "lg_thing_new", "Makes one."),
        ("function", "lg_thing_free", "Makes one."),
    ]


def test_a_good_header_passes(with_headers):
    assert problems(with_headers) == []


def test_a_header_that_needs_another_is_found(with_headers):
    bad = HEADER.replace("#include <stddef.h>\n", "")
    with_headers.write(headers.HEADERS[1], bad)
    assert len(problems(with_headers)) == 2


def test_a_header_that_is_not_cxx_is_found(with_headers):
    bad = HEADER.replace("size_t size;", "size_t class;")
    with_headers.write(headers.HEADERS[2], bad)
    found = problems(with_headers)
    assert len(found) == 1 and "c++17" in found[0]


def test_a_header_without_guard_is_found(with_headers):
    bad = HEADER.replace("#ifndef A_H\n", "").replace("#endif\n", "")
    with_headers.write(headers.HEADERS[0], bad)
    assert len(problems(with_headers)) == 2


def test_a_function_without_comment_is_found(with_headers):
    bad = HEADER.replace("#endif\n", "\nLG_API int lg_thing_count(void);\n#endif\n")
    with_headers.write(headers.HEADERS[0], bad)
    found = problems(with_headers)
    assert found == [f"{headers.HEADERS[0]}: lg_thing_count has no comment"]


@pytest.mark.parametrize("declared", ["uint32_t node", "const uint32_t *nodes"])
def test_a_node_without_its_type_is_found(with_headers, declared):
    bad = HEADER.replace("stddef", "stdint").replace("size_t size", declared)
    with_headers.write(headers.HEADERS[0], bad)
    found = problems(with_headers)
    assert len(found) == 1 and "lg_node" in found[0]


def test_options_without_their_size_are_found(with_headers):
    bad = HEADER.replace("lg_thing", "lg_thing_options")
    with_headers.write(headers.HEADERS[0], bad.replace("size_t size", "int level"))
    assert problems(with_headers) == [
        f"{headers.HEADERS[0]}: lg_thing_options does not begin with `size_t size`",
        f"{headers.HEADERS[0]}: lg_thing_options has no macro LG_THING_OPTIONS_INIT",
    ]


def test_every_exported_function_is_known(with_headers):
    assert headers.exported(with_headers.root) == {"lg_thing_new", "lg_thing_free"}
    assert headers.shared(with_headers.root) == set()


INSIDE = f"{headers.INTERNAL[0]}/inside.h"


def test_an_internal_header_is_checked_and_exports_nothing(with_headers):
    with_headers.write(INSIDE, HEADER.replace("LG_API ", ""))
    assert problems(with_headers) == []
    assert headers.shared(with_headers.root) == {"lg_thing_new", "lg_thing_free"}
    with_headers.write(INSIDE, HEADER.replace("/** Makes one. */", ""))
    assert problems(with_headers) == [
        f"{INSIDE}: lg_thing_new has no comment",
        f"{INSIDE}: exports a function, and is not installed",
    ]


def test_an_installed_header_includes_no_internal_one(with_headers):
    with_headers.write(INSIDE, HEADER.replace("LG_API ", ""))
    include = "#include <leakgraph/internal/inside.h>\n#include <stddef.h>"
    header = HEADER.replace("A_H", "B_H").replace("thing", "other")
    header = header.replace("#include <stddef.h>", include)
    with_headers.write(headers.HEADERS[0], header)
    assert problems(with_headers) == [
        f"{headers.HEADERS[0]}: includes leakgraph/internal/inside.h, "
        "which is not installed"
    ]
