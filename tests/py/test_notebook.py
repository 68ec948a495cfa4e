"""Tests the output in a notebook."""

import re
from base64 import b64decode

import pytest

pytestmark = pytest.mark.libraries

CELLS = [
    "import leakgraph\nkept = {'losses': [1.5, 2.5], 'model': object()}",
    "leakgraph.show_refs(kept)",
    "leakgraph.show_refs(kept, format='png')",
    "snap = leakgraph.snapshot()\nsnap",
    "snap.types(limit=3)",
    "snap.info()",
    "snap.threads()",
    "leakgraph.show_path(kept['losses'])",
    "leakgraph.cycles(min_bytes=0, limit=5)",
    "leakgraph.why(kept['losses'])",
    "leakgraph.top(3)",
]


@pytest.fixture(scope="module")
def outputs():
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS]
    )
    nbclient.NotebookClient(notebook, timeout=120).execute()
    # A progress bar may come before the answer, and is empty after long work.
    return [cell.outputs[-1].data if cell.outputs else None for cell in notebook.cells]


def pictures(html):
    """Return the SVG of each picture of a cell."""
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    return [b64decode(each).decode() for each in found]


def test_nothing_shows_by_itself(outputs):
    assert outputs[0] is None


def test_a_wide_drawing_shrinks_to_the_cell_while_it_can_be_read(outputs):
    html = outputs[1]["text/html"]
    (svg,) = pictures(html)
    style = re.match('<svg class="leakgraph" style="(.*?)"', svg)[1]
    assert f'<img class="leakgraph" style="{style}"' in html
    least = int(float(re.search(r'width="(\d+)pt"', svg)[1]) * 4 / 3 * 0.6)
    assert style == f"max-width:100%;min-width:{least}px;height:auto"


def test_drawing_is_inline_svg(outputs):
    assert "<svg" in outputs[1]["image/svg+xml"]
    assert "losses" in outputs[1]["text/plain"]


def test_drawing_as_png(outputs):
    assert "image/png" in outputs[2] and "image/svg+xml" not in outputs[2]


def test_a_snapshot_is_the_report_with_its_map(outputs):
    html = outputs[3]["text/html"]
    assert html.startswith("<iframe ") and "srcdoc=" in html
    words = html.rpartition("<pre ")[2]
    assert "No known mistake" in words and "held by" in words
    assert words.endswith(
        "<p>Trust the notebook, or run the cell, to see the report.</p></iframe>"
    )
    assert "What to do first" in html and "Who owns the bytes" in html
    assert outputs[3]["text/plain"].startswith("<leakgraph.Snapshot of pid ")


def test_numbers_that_change_from_cell_to_cell_say_so(outputs):
    said = "of this answer only"
    assert said in outputs[9]["text/html"] and said in outputs[10]["text/html"]
    for number in (4, 6):  # of a snapshot that stays
        assert said not in outputs[number]["text/html"]


def test_a_table_is_html(outputs):
    assert outputs[4]["text/html"].count("<tr>") == 5


def test_texts_show_as_they_are(outputs):
    assert "\\n" not in outputs[5]["text/plain"]
    assert "capture" in outputs[5]["text/plain"]


def test_threads_are_a_tree(outputs):
    html = outputs[6]["text/html"]
    assert "<table" in html and "thread MainThread" in html
    assert "padding-left:2.0em" in html and "padding-left:3.5em" in html


def test_path_names_the_variable(outputs):
    assert "kept" in outputs[7]["text/plain"]


def test_analyses_are_html(outputs):
    cycles, why, top = (cell["text/html"] for cell in outputs[8:11])
    assert cycles.count("<tr>") == 6 and 1 <= len(pictures(cycles)) <= 3
    assert cycles.count("<details open>") == 1
    assert len(pictures(why)) == 1 and "kept" in why
    body, foot = top.split("<tbody>")[1].split("<tfoot>")
    assert body.count("<tr>") == 3
    assert foot.count("<tr>") == 2 and "everything else" in foot


BAR = """
import leakgraph
snap = leakgraph.snapshot()
snap.analyze(progress=True)
print("analysed")
"""


def test_bar_of_progress():
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("kept = [[i] for i in range(600000)]" + BAR)]
    )
    seen = []

    class Client(nbclient.NotebookClient):
        def process_message(self, msg, cell, index):
            if msg["msg_type"] in ("display_data", "update_display_data"):
                seen.append(msg["content"]["data"])
            return super().process_message(msg, cell, index)

    Client(notebook, timeout=120).execute()
    assert "<progress " in seen[0]["text/html"]
    assert seen[0]["text/plain"].startswith("leakgraph: ")
    assert seen[-1] == {"text/plain": "", "text/html": ""}
    outputs = notebook.cells[0].outputs
    assert [output.get("text") for output in outputs if output.get("text")] == [
        "analysed\n"
    ]
