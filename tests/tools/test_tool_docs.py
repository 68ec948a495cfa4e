import types
from pathlib import Path

import apidoc
import check_docs

HELP = """leakgraph 1.0

Usage: leakgraph VERB SNAPSHOT [OPTIONS]

Verbs, which read a snapshot (.lgs):
  info       what the snapshot is of
  referrers  who refers to an object

Example:
  leakgraph info run.lgs
"""


def test_links_that_lead_somewhere_pass(project):
    project.write("docs/b.md", "# A heading, with a comma\n[up](../README.md)\n")
    project.write(
        "README.md",
        "[b](docs/b.md#a-heading-with-a-comma) [web](https://example.org/x)\n",
    )
    for page in ("README.md", "docs/b.md"):
        assert list(check_docs.broken_links(project.root, Path(page))) == []


def test_a_link_that_leads_nowhere_is_found(project):
    project.write("README.md", "# One\n[a](docs/none.md) [b](#two) [c](#one)\n")
    found = list(check_docs.broken_links(project.root, Path("README.md")))
    assert found == [
        "README.md: docs/none.md does not exist",
        "README.md: #two: no heading has that name",
    ]


def test_wide_prose_is_found_but_not_wide_code_or_tables():
    wide = "word " * 21
    fine = f"| {wide}|\n```sh\n{wide}\n```\n<!-- x -->\n{wide}\n<!-- end -->\n"
    hidden = f"<!-- first:\n{wide}\n-->\n`f({wide})`\n"
    text = f"Short.\n{fine}{hidden}- {wide}\n"
    assert list(check_docs.wide(Path("docs/a.md"), text)) == [
        "docs/a.md:13: 107 columns: wrap at 100"
    ]


def test_a_word_that_a_page_does_not_have_is_found():
    page = Path("docs/command.md")
    text = "`--limit N` and `--max-nodes N`"
    names = {"--limit", "--max", "--sort"}
    found = list(check_docs.missing(page, text, names, "word"))
    assert found == [
        "docs/command.md: word --max is missing",
        "docs/command.md: word --sort is missing",
    ]


def test_a_room_and_a_file_that_the_map_has_wrong_are_found():
    text = "| `src/base/` | errors | `error.c` |\n| `src/old/` | | `gone.c` |\n"
    found = list(check_docs.wrong_on_map(text, {"src/base", "src/new"}, {"error.c"}))
    assert found == [
        "docs/internals.md: room src/new is missing",
        "docs/internals.md: no file has the name gone.c",
    ]


def test_the_verbs_are_read_off_the_help():
    assert check_docs.verbs_in(HELP) == {"info", "referrers"}


def test_public_names_are_those_of_the_package_and_its_classes():
    class Snapshot:
        def save(self):
            pass

        def _hidden(self):
            pass

    class Failure(Exception):
        code = 1

    module = types.SimpleNamespace(Snapshot=Snapshot, Failure=Failure, load=len)
    public = ["Snapshot", "Failure", "load"]
    names = check_docs.python_names(module, public)
    assert names == {"Snapshot", "Failure", "load", "save"}


def test_variables_of_the_environment_are_found_in_sources():
    source = 'getenv("LEAKGRAPH_ONE"); os.environ.get("LEAKGRAPH_TWO")'
    assert check_docs.VARIABLE.findall(source) == ["LEAKGRAPH_ONE", "LEAKGRAPH_TWO"]


def test_the_reference_has_each_declaration_with_its_comment():
    header = (
        "/**\n * Things.\n */\n\n/* --- things --- */\n\n"
        "/** Makes one:\n *    x  as it is\n *  or none. */\n"
        "LG_API int lg_thing_new(void);\n"
    )
    page = "\n".join(apidoc.markdown("a/thing.h", header))
    assert "## `<leakgraph/thing.h>`" in page and "### Things" in page
    assert "```c\nint lg_thing_new(void);\n```" in page
    assert "Makes one:\n\n```text\n  x  as it is\n```\nor none." in page
