"""Pages in a browser: what a reader clicks, types and presses, and accessibility."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.parse
from pathlib import Path

import browser
import pytest

import leakgraph

COMMAND = shutil.which("leakgraph")
#: The page of an object that holds others.
SERVICE = f"search?q=name:{__name__}.service"

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(browser.CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.skipif(COMMAND is None, reason="needs the command"),
]


class Session:
    """Something that piles up, large enough to be among the first types of any heap."""

    __slots__ = ("data", *(f"field{number}" for number in range(200)))


class Service:
    """What keeps it."""

    def __init__(self):
        self.sessions = {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three snapshots of a service that keeps its sessions."""
    folder = tmp_path_factory.mktemp("browser")
    service = sys.modules[__name__].service = Service()
    service.itself = [service]
    vars(service)  # makes the dict of its attributes, which is part of it
    for step in range(3):
        for _ in range(40):
            session = Session()
            session.data = bytearray(5000)
            service.sessions[len(service.sessions)] = session
        leakgraph.save_snapshot(folder / f"{step}.lgs")
    del sys.modules[__name__].service
    words = [COMMAND, "report", "0.lgs", "1.lgs", "2.lgs", "-o", "all.html"]
    words += ["--steps", "100,200,300"]
    environment = {**os.environ, "LEAKGRAPH_RENDERER": "/nonexistent/renderer"}
    subprocess.run(words, cwd=folder, check=True, env=environment)
    return folder


@pytest.fixture(scope="module")
def report(folder):
    return (folder / "all.html").as_uri()


@pytest.fixture(scope="module")
def view(folder):
    """The address of the explorer."""
    process = subprocess.Popen(
        [COMMAND, "view", "0.lgs", "1.lgs", "2.lgs", "--no-browser"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LEAKGRAPH_RENDERER": "/nonexistent/renderer"},
    )
    url = process.stdout.readline().strip()
    if not url:
        said = process.communicate()[1]
        assert "libmicrohttpd" in said, said
        pytest.skip(said)
    yield url
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    running = browser.Browser(tmp_path_factory.mktemp("chromium"))
    yield running
    running.close()
    assert running.errors == []


#: A page of the explorer may show its progress first.
IS_MADE = (
    "document.readyState === 'complete' && document.querySelector('h1')"
    " && document.querySelector('h1').innerText !== 'This page is being made'"
)


def made(page, url):
    """Open a page of the explorer."""
    page.open(url)
    page.wait(IS_MADE)


def test_a_word_in_the_search_leads_to_an_object(chromium, view):
    made(chromium, view)
    chromium.type(".search input", "sessions")
    chromium.press("Enter", "\r")
    chromium.wait("location.pathname.endsWith('search')")
    chromium.wait("document.querySelector('main td a')")
    assert "service.sessions" in chromium.run("document.body.innerText")
    chromium.click("main td a")
    chromium.wait(f"location.pathname.endsWith('object') && {IS_MADE}")
    assert "dict" in chromium.run("document.querySelector('h1').innerText")


def test_a_slash_leads_to_the_search(chromium, view):
    made(chromium, view)
    chromium.press("/", "/")
    assert chromium.wait("document.activeElement.type === 'search'")


def test_a_tree_opens_in_place(chromium, view):
    made(chromium, view + SERVICE)
    chromium.run("document.querySelector('.tree, .later').scrollIntoView()")
    chromium.wait("document.querySelector('table.tree tr[aria-expanded]')")
    rows = "document.querySelectorAll('table.tree tbody tr').length"
    before = chromium.run(rows)
    chromium.click("table.tree tr[aria-expanded] .open")
    chromium.wait(f"{rows} > {before}")
    assert chromium.run("document.querySelector('[aria-level=\"2\"]') !== null")
    chromium.click("table.tree tr[aria-expanded] .open")
    chromium.wait(f"{rows} === {before}")


def test_keys_open_a_tree(chromium, view):
    made(chromium, view + SERVICE)
    chromium.wait("document.querySelector('table.tree tr[aria-expanded]')")
    chromium.run("document.querySelector('table.tree tr[aria-expanded]').focus()")
    chromium.press("ArrowRight")
    chromium.wait("document.querySelector('[aria-level=\"2\"]')")
    level = "document.activeElement.getAttribute('aria-level')"
    chromium.press("ArrowDown")
    assert chromium.wait(f"{level} === '2'")
    chromium.press("ArrowLeft")
    assert chromium.wait(f"{level} === '1'")


def test_a_heading_sorts_and_a_filter_filters_all_rows(chromium, view):
    made(chromium, f"{view}table?of=types")
    chromium.click("th button")
    chromium.wait("new URLSearchParams(location.search).get('sort')")
    assert chromium.wait("document.querySelector('th[aria-sort]')") is not None
    chromium.type("form.controls input[name=filter]", "bytearray")
    chromium.press("Enter", "\r")
    chromium.wait("location.search.includes('bytearray')")
    chromium.wait("document.querySelector('main tbody tr')")
    rows = chromium.run(
        "[...document.querySelectorAll('main tbody tr')].map(row => row.innerText)"
    )
    assert rows and all("bytearray" in row for row in rows)


def test_controls_have_words_for_labels(chromium, view):
    labels = "[...document.querySelectorAll('form.controls label')].map("
    labels += "(one) => one.innerText.trim())"
    for table in ("growth", "cycles", "top"):
        made(chromium, f"{view}table?of={table}")
        said = chromium.run(labels)
        assert said and not any("_" in label for label in said)


def column_of(page, table, heading, row):
    """The text of a cell: of the row with that text, below that heading."""
    return page.run(
        f"(table => {{ const at = [...table.tHead.rows[0].cells]"
        f".findIndex(cell => cell.innerText === {heading!r});"
        f" const row = [...table.rows].find(row => row.innerText.includes({row!r}));"
        " return row.cells[at].innerText; })"
        f"(document.querySelector({table!r}))"
    )


def test_tables_of_a_comparison_say_what_changed(chromium, report, view):
    chromium.open(report)
    session = f"{__name__}.Session"
    for table in ("#types-table table", "#tree table"):
        chromium.wait(f"document.querySelector({table!r})")
        assert column_of(chromium, table, "Δ objects", session) == "+80"
        assert column_of(chromium, table, "Δ bytes", session).startswith("+")
        assert column_of(chromium, table, "per step", session).endswith("B")
    made(chromium, f"{view}table?of=types&sort=Δ objects")
    chromium.wait("document.querySelector('main tbody tr')")
    first = chromium.run("document.querySelector('main tbody tr').innerText")
    assert "+80" in first
    made(chromium, view + SERVICE)
    chromium.wait("document.querySelector('#owned table.tree')")
    assert column_of(chromium, "#owned table", "Δ objects", ".sessions") == "0"
    assert column_of(chromium, "#owned table", "Δ bytes", ".sessions").startswith("+")


def test_the_tree_of_a_report_folds(chromium, report):
    chromium.open(report)
    shown = (
        "[...document.querySelectorAll('#tree tbody tr')].filter(row => !row.hidden)"
        ".length"
    )
    before = chromium.wait(
        f"document.querySelector('#tree [aria-expanded]') && {shown}"
    )
    chromium.click("#tree tr[aria-expanded=true] .open")
    chromium.wait(f"{shown} < {before}")
    chromium.run("document.querySelector('#tree tr[aria-expanded=false]').focus()")
    chromium.press("ArrowRight")
    chromium.wait(f"{shown} === {before}")
    chromium.prefer("light", media="print")
    assert chromium.run(
        "[...document.querySelectorAll('#tree tbody tr')]"
        ".every(row => getComputedStyle(row).display !== 'none')"
    )


def test_a_report_sorts_and_filters_by_itself(chromium, report):
    chromium.open(report)
    chromium.wait("document.querySelector('#types-table th button')")
    chromium.click("#types-table th:last-child button")
    sort = "document.querySelector('#types-table th:last-child').ariaSort"
    assert chromium.wait(sort) in ("ascending", "descending")
    chromium.type("#types-table input[type=search]", "bytearray")
    shown = (
        "[...document.querySelectorAll('#types-table tbody tr')]"
        ".filter(row => !row.hidden).length"
    )
    assert chromium.wait(f"{shown} < 4 && {shown}") >= 1


def test_the_map_zooms_finds_and_slides(chromium, report):
    chromium.open(report)
    chromium.wait("document.querySelector('#map-view g[role=treeitem]')")
    chromium.type("#map-view input[type=search]", "Session")
    assert "place" in chromium.wait(
        "document.querySelector('#map-view output').innerText"
    )
    assert chromium.wait("document.querySelector('#map-view g.found')") is not None
    chromium.press("Enter")
    chromium.wait(
        "location.hash.includes('map=') && !location.hash.includes('map=all')"
    )
    chromium.press("Escape")
    chromium.run(
        "(s => { s.value = 0; s.dispatchEvent(new Event('input')); })"
        "(document.querySelector('#map-view input[type=range]'))"
    )
    assert "step 100" in chromium.wait("document.querySelector('.slider').innerText")
    chromium.wait("location.hash.includes('at=0')")


def test_back_returns_to_the_zoom_of_the_map(chromium, view):
    made(chromium, view)
    chromium.wait("document.querySelector('#map-view g[role=treeitem]')")
    chromium.type("#map-view input[type=search]", "Session")
    chromium.wait("document.querySelector('#map-view g.found')")
    chromium.press("Enter")
    chromium.wait("location.hash.includes('map=') && !location.hash.includes('all')")
    zoom = chromium.run("location.hash")
    shown = "document.querySelector('#map-view').innerText"
    chromium.run("document.querySelector(\"#map-view a[href^='object?']\").click()")
    chromium.wait("location.pathname.endsWith('object')")
    chromium.run("history.back()")
    chromium.wait("location.hash.includes('map=') && document.querySelector('#map')")
    assert chromium.run("location.hash") == zoom
    assert "Session" in chromium.wait(f"{shown}.includes('Session') && {shown}")


def test_keys_move_through_the_map(chromium, report):
    chromium.open(report)
    chromium.wait("document.querySelector('#map-view g[role=treeitem]')")
    focused = "document.activeElement.getAttribute('aria-label')"
    chromium.run("document.querySelector('#map-view g[tabindex=\"0\"]').focus()")
    before = chromium.wait(focused)
    chromium.press("ArrowDown")
    below = chromium.wait(f"{focused} !== {before!r} && {focused}")
    chromium.press("Enter")
    chromium.wait("location.hash.includes('map=') && !location.hash.includes('all')")
    chromium.press("Escape")
    chromium.wait("!location.hash.includes('map=') || location.hash.includes('all')")
    assert below


def test_no_page_is_wider_than_the_window(chromium, report, view):
    for url in (report, f"{view}table?of=top", view + SERVICE):
        made(chromium, url)
        for width in (420, 900, 1440, 2560):
            chromium.resize(width)
            wide = "document.documentElement.scrollWidth"
            assert chromium.wait(f"innerWidth === {width} && {wide} <= {width}"), url
            lines = "[...document.querySelectorAll('p b, li b')].map("
            lines += "(one) => one.getClientRects().length)"
            assert max(chromium.run(lines), default=1) <= 1, url


def test_columns_are_chosen_and_the_address_keeps_them(chromium, view):
    address = f"{view}table?of=types"
    shown = "!document.querySelector('section > .table th').hidden"
    made(chromium, address)
    assert chromium.run(shown)
    chromium.click(".columns summary")
    chromium.click(".columns input")
    chromium.wait(f"!({shown})")
    hidden = chromium.run("location.hash")
    assert hidden.startswith("#hide=")
    made(chromium, address + hidden)
    assert not chromium.run(shown)


def test_a_button_copies_the_selector_of_an_object(chromium, view):
    made(chromium, f"{view}table?of=top")
    chromium.run("navigator.clipboard.writeText = async (text) => { copied = text }")
    button = "document.querySelector('main td .copy')"
    link = f"{button}.previousElementSibling.getAttribute('href')"
    number = chromium.run(link).rpartition("=")[2]
    chromium.run(f"{button}.click()")
    assert chromium.wait("window.copied") == f"#{number}"


def test_a_button_in_a_table_takes_no_room(chromium, view):
    made(chromium, f"{view}table?of=top")
    rows = (
        "[...document.querySelectorAll('main tbody tr')].map(row => row.offsetHeight)"
    )
    show = "for (const one of document.querySelectorAll('.copy')) one.style.display = "
    for width in range(420, 1440, 60):
        chromium.resize(width)
        seen = chromium.run(rows)
        chromium.run(f"{show}'none'")
        without = chromium.run(rows)
        assert len(without) == len(seen) > 1
        assert all(abs(a - b) < 5 for a, b in zip(without, seen))  # no line of its own
        chromium.run(f"{show}''")


def test_the_path_of_an_object_can_be_copied(chromium, view):
    made(chromium, view + SERVICE)
    chromium.run("navigator.clipboard.writeText = async (text) => { copied = text }")
    chromium.run("document.querySelector('dd.path .copy').click()")
    assert chromium.wait("window.copied") == f"{__name__}.service"
    selected = chromium.run(
        "getSelection().selectAllChildren(document.querySelector('.steps')),"
        " getSelection().toString()"
    )
    assert selected == f"{__name__}.service"


def test_names_break_between_their_parts(chromium, report, view):
    cell = "document.querySelector('#growth td.path')"
    chromium.open(report)
    assert chromium.run(f"{cell}.textContent").startswith(
        f"{__name__}.service.sessions"
    )
    assert "<wbr>.sessions" in chromium.run(f"{cell}.innerHTML")
    made(chromium, view + SERVICE)
    marked = "[...document.querySelectorAll('table.tree')].some("
    marked += "(one) => one.querySelector('wbr'))"
    chromium.run("document.querySelector('.tree, .later').scrollIntoView()")
    chromium.click("table.tree tr[aria-expanded] .open")
    assert chromium.wait(marked)


def test_a_narrow_row_of_growth_begins_with_what_grows(chromium, report):
    chromium.open(report)
    chromium.resize(420)
    cells = "[...document.querySelector('#growth tbody tr').cells]"
    tops = f"{cells}.map((one) => [one.getBoundingClientRect().top, one.dataset.label])"
    assert chromium.wait("innerWidth === 420")
    labels = [label for _, label in sorted(chromium.run(tops))]
    assert labels[:3] == ["what", "held by", "gained"]


def test_no_column_is_cut_off_on_a_small_screen(chromium, report, view):
    wide = "[...document.querySelectorAll('.table')].filter("
    wide += "(one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"
    for url in (report, f"{view}table?of=growth", f"{view}table?of=top"):
        made(chromium, url)
        for width in (640, 800):
            chromium.resize(width)
            assert chromium.wait(f"innerWidth === {width}")
            assert chromium.run(wide) == []


def test_the_example_of_a_row_that_grows_is_a_link(chromium, view):
    made(chromium, f"{view}table?of=growth")
    chromium.click("td[data-label=what] a[href^='object?node=']")
    chromium.wait("document.querySelector('h1')?.innerText.startsWith('Session')")


def test_a_narrow_screen_has_upright_pictures(chromium, folder):
    files = [f"{step}.lgs" for step in range(3)]
    words = [COMMAND, "report", *files, "-o", "pictures.html"]
    subprocess.run(words, cwd=folder, check=True)
    chromium.open((folder / "pictures.html").as_uri())
    for kind in (".picture", ".chart"):
        shown = f"[...document.querySelectorAll('{kind}')].filter("
        shown += "(one) => one.offsetWidth > 0)"
        for width, form in ((420, "upright"), (1440, "lying")):
            chromium.resize(width)
            first = f"{shown}[0].classList.contains('{form}')"
            assert chromium.wait(f"innerWidth === {width} && {first}")
            other = "lying" if form == "upright" else "upright"
            others = f"{shown}.filter((one) => one.classList.contains('{other}'))"
            assert chromium.run(f"{others}.length") == 0
            widths = f"{shown}.map((one) => [one.scrollWidth, one.clientWidth])"
            assert [w for w, box in chromium.run(widths) if w > box] == []


def test_a_picture_too_wide_to_read_scrolls(chromium, tmp_path):
    ring = [type(f"{'Member' * 5}{number}", (), {})() for number in range(4)]
    for one, other in zip(ring, ring[1:] + ring[:1]):
        one.the_member_that_comes_after_it = other
    ring[0].data = bytearray(3_000_000)
    leakgraph.snapshot().report(tmp_path / "wide.html")
    chromium.open((tmp_path / "wide.html").as_uri())
    box = "[...document.querySelectorAll('.picture')].sort("
    box += "(a, b) => b.scrollWidth - a.scrollWidth)[0]"
    assert chromium.run(f"{box}.scrollWidth > {box}.clientWidth")
    letters = f"[...{box}.querySelectorAll('text')].map("
    letters += "(one) => one.getBoundingClientRect().height)"
    assert min(chromium.run(letters)) > 8
    chromium.resize(740)
    chromium.prefer("light", media="print")
    assert chromium.run(f"{box}.scrollWidth <= {box}.clientWidth")


def test_the_swatch_of_what_nothing_explains_is_seen(chromium, report):
    chromium.open(report)
    swatch = "document.querySelector('.swatch .unexplained')"
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(13, 17, 23)")):
        chromium.prefer(scheme)
        assert chromium.run(f"getComputedStyle({swatch}).fill") == paper
        light = [
            sum(map(int, re.findall(r"\d+", colour)))
            for colour in (paper, chromium.run(f"getComputedStyle({swatch}).stroke"))
        ]
        assert abs(light[0] - light[1]) > 300, scheme


def test_print_shows_the_tables(chromium, report):
    chromium.open(report)
    chromium.prefer("light", media="print")
    shown = "getComputedStyle(document.querySelector('{}')).display"
    assert chromium.run(shown.format("body > nav")) == "none"
    assert chromium.run(shown.format("#types-table")) != "none"
    wide = "[...document.querySelectorAll('.table')].filter("
    wide += "(one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.id)"
    chromium.resize(900)
    assert chromium.run(wide) == []
    held = "[...document.querySelectorAll(':is(#growth .stacks, #findings) td.path')]"
    held += ".map((one) => parseFloat(getComputedStyle(one).minWidth))"
    assert min(chromium.run(held)) > 150


def test_paper_shows_whole_tables(chromium, report):
    """A browser asks for the width before it knows that the pages lie."""
    chromium.open(report)
    chromium.wait("document.querySelector('#tree tbody tr[hidden]')")
    chromium.prefer("light", media="print")
    kinds = "[...new Set([...document.querySelectorAll('.stacks tbody tr')]"
    kinds += ".map((row) => getComputedStyle(row).display))].join()"
    for width in (1440, 740, 420):
        chromium.resize(width)
        assert chromium.run(kinds) == "table-row"


def test_whatever_scrolls_takes_the_keyboard(chromium, report, view):
    for url in (report, view + "table?of=top", view + SERVICE):
        made(chromium, url)
        unreachable = "[...document.querySelectorAll('.table, .picture, .chart')]"
        unreachable += ".filter((one) => one.tabIndex < 0).map((one) => one.outerHTML)"
        assert chromium.run(unreachable) == []


def axe():
    """The script of axe-core, which a package of the set-up carries."""
    found = importlib.util.find_spec("axe_core_python")
    if found is None:
        pytest.skip("axe-core-python is not installed: accessibility is not tested")
    return (Path(found.origin).parent / "axe.min.js").read_text("utf-8")


#: What axe checks: on a dark page, only colours differ.
AXE = {
    "light": "{resultTypes: ['violations']}",
    "dark": "{resultTypes: ['violations'], runOnly: ['color-contrast']}",
}


def kind_of(address):
    """Pages with the same path, and about the same table, are made alike."""
    parts = urllib.parse.urlsplit(address)
    return parts.path, urllib.parse.parse_qs(parts.query).get("of", [""])[0]


def violations(page, script, schemes=AXE):
    """What axe finds on the page in these schemes."""
    found = []
    page.run(script + "\n;true")
    for scheme in schemes:
        options = AXE[scheme]
        page.prefer(scheme)
        wrong = page.run(
            f"axe.run({options}).then(r => r.violations.map("
            "v => [v.id, v.impact, v.nodes[0].html]))"
        )
        found += [(scheme, *each) for each in wrong]
    return found


def test_axe_finds_nothing_in_a_report(chromium, report):
    script = axe()
    chromium.open(report)
    assert violations(chromium, script) == []


def test_axe_finds_nothing_on_any_page(chromium, view):
    """From the overview and a search, follows links to a page of each kind. All of one
    path share their colours, so the first of them is looked at in the dark, too."""
    script = axe()
    links = "[...document.querySelectorAll('a[href]')].map("
    links += "(one) => new URL(one.getAttribute('href'), location.href).href)"
    coming = [view, f"{view}search?q=sessions", view + SERVICE]
    coming.append(f"{view}table?of=cycles&min_bytes=0")
    coming.append(f"{view}what-if?cut={__name__}.service.sessions")
    seen = {*map(kind_of, coming)}
    found, dark = {}, set()
    for address in coming:
        made(chromium, address)
        path = kind_of(address)[0]
        wrong = violations(chromium, script, ["light"] if path in dark else AXE)
        dark.add(path)
        if wrong:
            found[address[len(view) :]] = wrong
        for link in chromium.run(links):
            link = link.partition("#")[0]
            if link.startswith(view) and kind_of(link) not in seen:
                seen.add(kind_of(link))
                coming.append(link)
    assert found == {}
    assert {path.rpartition("/")[2] for path, _ in seen} >= {"", "object", "table"}
    assert len(coming) > 15


def test_a_row_of_cycles_leads_to_the_cycle(chromium, view):
    made(chromium, f"{view}table?of=cycles&min_bytes=0&filter=Service")
    chromium.wait("document.querySelector(\"main td a[href^='cycle?node=']\")")
    chromium.click("main td a[href^='cycle?node=']")
    chromium.wait("location.pathname.endsWith('cycle')")
    chromium.wait("document.querySelector('h1')?.innerText === 'A cycle'")
    chromium.wait("document.querySelector('main td a')")
    assert chromium.run("document.querySelector('main td a').href").count(
        "object?node="
    )
    listed = "[...document.querySelectorAll('.list tbody tr')].length"
    objects = column_of(chromium, "main table", "objects", "held")
    assert chromium.run(listed) == int(objects)


#: The words of pictures that are hardest to read: their contrast with what lies behind.
FAINTEST = """(() => {
  const light = colour => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const behind = (text) => {
    const place = text.getBoundingClientRect();
    const at = [place.x + place.width / 2, place.y + place.height / 2];
    const shown = document.elementsFromPoint(...at)
      .filter(one => /path|polygon|ellipse/.test(one.tagName))
      .map(one => getComputedStyle(one).fill).filter(fill => fill !== "none");
    return shown[0];
  };
  const texts = [...document.querySelectorAll("svg text")];
  return texts.map(text => {
    text.scrollIntoView({block: "center"});
    const both = [light(getComputedStyle(text).fill), light(behind(text))];
    const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    return [Math.round(10 * contrast) / 10, text.textContent];
  }).sort((a, b) => a[0] - b[0]);
})()"""

THEMES = {
    "JupyterLab": 'data-jp-theme-light="false" style="background:#111;color:#fff"',
    "VS Code": 'data-vscode-theme-kind="vscode-dark" style="background:#1f1f1f"',
    "light": 'data-jp-theme-light="true"',
}


def cells(folder):
    """Answers as a notebook shows them, with a picture each."""
    snapshot = leakgraph.load(folder / "2.lgs")
    place = f"name:{__name__}.service"
    shown = [snapshot.why(f"{place}.sessions"), snapshot.show_refs(place)]
    shown += [snapshot.cycles(min_bytes=0, limit=1), snapshot.paths(place)]
    return [one._repr_html_() for one in shown]


def test_pictures_show_without_scripts(chromium, folder, tmp_path):
    shown = cells(folder)
    page = tmp_path / "untrusted.html"
    body = re.sub("<(script|style)>.*?</\\1>", "", "".join(shown), flags=re.DOTALL)
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{body}")
    chromium.open(page.as_uri())
    widths = "[...document.images].map(image => image.naturalWidth)"
    found = chromium.run(widths)
    assert len(found) == len(shown) and min(found) > 100
    assert chromium.run("document.querySelectorAll('svg').length") == 0


@pytest.mark.parametrize("prefers", ["light", "dark"])
@pytest.mark.parametrize("theme", THEMES)
def test_the_pictures_of_a_notebook_have_its_theme(
    chromium, folder, tmp_path, theme, prefers
):
    page = tmp_path / "cells.html"
    body = "".join(cells(folder))
    page.write_text(f"<!doctype html><meta charset=utf-8><body {THEMES[theme]}>{body}")
    chromium.open(page.as_uri())
    chromium.prefer(prefers)
    faintest = chromium.run(FAINTEST)
    assert len(faintest) > 20 and faintest[0][0] >= 3, faintest[:5]
    paper = "getComputedStyle(document.querySelector('svg.leakgraph polygon')).fill"
    dark = "rgb(13, 17, 23)"
    assert chromium.run(paper) == ("rgb(255, 255, 255)" if theme == "light" else dark)
