"""Writes the table and the pictures of docs/compare.md from the answers of a run."""

from __future__ import annotations

import ast
import datetime
import html
import importlib
import importlib.metadata
import inspect
import os
import platform
import re
import statistics
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import judge
from kinds import ORDER

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/compare.md"
COST, BY_KIND = ROOT / "docs/compare-cost.svg", ROOT / "docs/compare-kinds.svg"
#: Calls of shorter programs take too little time to tell how much slower they are.
LONG = 0.005
#: The table's heading; its columns are in the order of the questions.
HEAD = (
    "tool",
    "holder",
    "type",
    "line",
    "rate",
    "honest left alone",
    "lines, commands",
    "restart",
    "CPU",
    "memory",
    "slow-down",
)
#: Lines of an adapter that make calls, take what was printed, or choose what to follow.
OURS = re.compile(r"(\w+ = )?(program|io)\.|for _ in range\(program\.|if \(?name :=")
#: Modules of the race, and what is no line of a user.
OWN = re.compile(r"(answer|typed|__future__|rivals\.\w+)$")
SMALL, BOLD = 'font-size="11"', 'font-weight="bold"'
#: What tools are to find, and the headings of those that do.
GROUPS = {"holder": "name the holder", "site": "name the allocating line"}
#: Each class of a picture's parts with its colour on a light and on a dark page.
COLORS = {
    "paper": ("#ffffff", "#161b22"),
    "ink": ("#24292f", "#e6edf3"),
    "rest": ("#d9dde2", "#3a424c"),
    "time": ("#57606a", "#9aa4af"),
    "holder": ("#2f6fb3", "#4493f8"),
    "site": ("#3a8f5c", "#3fb950"),
}
#: From one row of a picture to the next.
ROW = 24


@dataclass
class Result:
    """What is true of a program, and what each tool told."""

    name: str
    truth: dict[str, Any]
    told: dict[str, dict[str, Any]]


@dataclass
class Score:
    """How a tool did in all programs that it looked at."""

    tool: str
    name: str
    right: dict[str, int]
    asked: dict[str, int]
    kinds: dict[str, dict[str, list[bool]]]
    cpu: float
    peak: float
    slower: float | None

    def share(self, question: str) -> float:
        """Compute the share of programs of which the tool answers a question."""
        return self.right[question] / self.asked[question]


def adapter(tool: str) -> Any:
    """Import the adapter of a tool."""
    return importlib.import_module(f"rivals.{tool}")


def asked(tool: str, leaks: bool) -> bool:
    """Tell whether a tool claims an answer about programs that leak, or honest ones."""
    claims = adapter(tool).CLAIMS
    return bool(set(claims) - {"honest"}) if leaks else "honest" in claims


def score(tool: str, results: list[Result]) -> Score:
    """Add up a tool's verdicts and costs."""
    told = [each for each in results if tool in each.told]
    found = [(each, judged(each, tool)) for each in told]
    claims, none = adapter(tool).CLAIMS, dict.fromkeys(judge.QUESTIONS, 0)
    right, asked = none.copy(), none.copy()
    kinds: dict[str, dict[str, list[bool]]] = {q: {} for q in judge.QUESTIONS}
    for each, of in found:
        for question, value in of.items():
            failed = "failed" in each.told[tool] and question in claims
            if value is not None or failed:
                asked[question] += 1
                right[question] += bool(value)
                of_kind = kinds[question].setdefault(each.truth["kind"], [])
                of_kind.append(bool(value))
    paid = [each for each in told if each.truth["leaks"]]
    paid = [each for each in paid if "failed" not in each.told[tool]]
    costs = [cost(each, tool) for each in paid]
    cpu, peak = map(statistics.median, zip(*costs or [(0.0, 0.0)]))
    return Score(
        tool, adapter(tool).NAME, right, asked, kinds, cpu, peak, slower(paid, tool)
    )


def judged(result: Result, tool: str) -> dict[str, bool | None]:
    """Judge a tool's answer about one program."""
    return judge.verdicts(result.truth, result.told[tool])


def cost(result: Result, tool: str) -> tuple[float, float]:
    """Compute the seconds and bytes beyond those of the program alone."""
    told, bare = result.told[tool], result.truth["bare"]
    if adapter(tool).RESTART:
        return told["cpu"] - bare["cpu"], max(0, told["peak"] - bare["peak"])
    return told["cpu"], told["peak"]


def slower(results: list[Result], tool: str) -> float | None:
    """Compute how much longer the program's own calls take; a loop has its own pace."""
    if not adapter(tool).RESTART:
        return None
    pairs = [
        (each.told[tool]["seconds"], each.truth["bare"]["seconds"])
        for each in results
        if each.truth["bare"]["seconds"] > LONG
    ]
    return statistics.median(a / b for a, b in pairs) if pairs else None


def effort(tool: str) -> str:
    """Count the lines that a user adds to the program, and the commands."""
    module = adapter(tool)
    if not hasattr(module, "look"):
        return f"0, {module.COMMANDS}"
    if hasattr(module, "LINES"):
        return f"{module.LINES}, {module.COMMANDS}"
    tree = ast.parse(inspect.getsource(module))
    look = next(
        each
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and each.name == "look"
    )
    return (
        f"{_imports(tree, look) + sum(map(_lines, look.body[1:]))}, {module.COMMANDS}"
    )


def _imports(module: ast.Module, look: ast.FunctionDef) -> int:
    """Count the imports of what a user's lines need, and not what only we need."""
    used = {each.id for each in ast.walk(look) if isinstance(each, ast.Name)}
    used -= {"io", "sys"}
    needed = (
        isinstance(each, (ast.Import, ast.ImportFrom))
        and not OWN.match(ast.unparse(each).split()[1])
        and any((of.asname or of.name) in used for of in each.names)
        for each in module.body
    )
    return sum(needed)


def _lines(statement: ast.stmt) -> int:
    """Count a statement and those in it; calls and reading are not a user's."""
    inner = [
        each for name in ("body", "orelse") for each in getattr(statement, name, [])
    ]
    head = ast.unparse(statement).splitlines()[0]
    ours = isinstance(statement, ast.Return) or OURS.match(head)
    return (not ours) + sum(map(_lines, inner))


def table(scores: list[Score]) -> str:
    """Write the table."""
    rows = [HEAD, ("---",) + ("---:",) * (len(HEAD) - 1)]
    for each in scores:
        shares = [
            f"{each.right[q]} of {each.asked[q]}" if each.asked[q] else "-"
            for q in judge.QUESTIONS
        ]
        restart = "yes" if adapter(each.tool).RESTART else "no"
        rest = f"{each.slower:.2f}" if each.slower else "-"
        costs = [f"{each.cpu:.2f} s", f"{each.peak / (1 << 20):.0f} MiB", rest]
        rows.append((each.name, *shares, effort(each.tool), restart, *costs))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def versions(packages: Iterable[str]) -> str:
    """Name the versions of the tools' packages, the machine and the date."""
    found = [f"{name} {importlib.metadata.version(name)}" for name in packages]
    day = datetime.datetime.now(datetime.timezone.utc).date()
    return (
        f"CPython {platform.python_version()}; {', '.join(found)}. "
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors, "
        f"a load of {os.getloadavg()[2]:.0f}, {day}."
    )


def losses(results: list[Result], tools: list[str]) -> str:
    """List the programs of which leakgraph is wrong, and who is right."""
    rows = [
        f"- {adapter(tool).NAME}, {question}: {what}{better}\n"
        for tool in tools
        if "leakgraph" in tool
        for each in sorted(results, key=lambda result: result.name)
        if tool in each.told
        for what in [each.truth["what"].rstrip(".")]
        for question, better in lost(each, tool).items()
    ]
    begin = "Where leakgraph is wrong" if rows else "leakgraph is wrong nowhere"
    return f"{begin}:\n\n{''.join(rows)}" if rows else f"{begin}.\n"


def lost(result: Result, tool: str) -> dict[str, str]:
    """Find the questions that a tool answers wrongly, and who is right."""
    told = result.told[tool]
    found = {"all": f" ({told['failed']})"} if "failed" in told else {}
    for question, value in judged(result, tool).items():
        if value is False:
            right = [
                adapter(other).NAME
                for other in result.told
                if judged(result, other).get(question)
            ]
            found[question] = f"; right: {', '.join(right)}" if right else ""
    return found


def parts(results: list[Result], tools: list[str]) -> str:
    """Name the tools that have looked at a part of the programs."""
    few = []
    for tool in tools:
        own = [each for each in results if asked(tool, each.truth["leaks"])]
        count = sum(tool in each.told for each in own)
        if count < len(own):
            few.append(f"{adapter(tool).NAME} at {count} of {len(own)}")
    begin = "Some tools have looked at a part of their programs: "
    return f"{begin}{'; '.join(few)}. " if few else ""


def text_of(results: list[Result], tools: list[str]) -> str:
    """Write the part of the page that a run decides."""
    leaking = [each for each in results if each.truth["leaks"]]
    scores = [score(tool, results) for tool in tools]
    honest = len(results) - len(leaking)
    text = f"{len(leaking)} programs that leak and {honest} honest ones. "
    packages = sorted({name for tool in tools for name in adapter(tool).PACKAGES})
    text += parts(results, tools) + versions(packages) + "\n\n" + table(scores)
    return f"{text}\n{losses(results, tools)}"


def write(results: list[Result], tools: list[str], keep: bool) -> None:
    """Print the table; write the page and its pictures."""
    tools = [tool for tool in tools if any(tool in each.told for each in results)]
    text = text_of(results, tools)
    print(text)
    if keep:
        scores = [score(tool, results) for tool in tools]
        put(PAGE, "race", text)
        COST.write_text(cost_picture(scores), encoding="utf-8")
        BY_KIND.write_text(kind_picture(scores), encoding="utf-8")


def put(page: Path, name: str, text: str) -> None:
    """Replace a marked part of a page."""
    part = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", re.DOTALL)
    old = page.read_text(encoding="utf-8")
    page.write_text(part.sub(lambda _: text, old, count=1), encoding="utf-8")


def label(x: float, y: float, text: str, more: str = "") -> str:
    """Write a text of a picture."""
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{html.escape(text)}</text>\n'


def style() -> str:
    """Write the colours of a light page and of a dark one."""
    light, dark = (
        " ".join(f".{name} {{ fill: {of[i]} }}" for name, of in COLORS.items())
        for i in (0, 1)
    )
    return f"<style>{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}</style>\n"


def picture(width: int, height: int, title: str, parts: str) -> str:
    """Write a picture around its parts."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12" class="ink" role="img">\n'
        f"<title>{html.escape(title)}</title>\n"
        f"{style()}"
        f'<rect width="{width}" height="{height}" rx="6" class="paper"/>\n'
        + label(20, 28, title, f'font-size="14" {BOLD}')
        + f"{parts}</svg>\n"
    )


def groups(scores: list[Score]) -> list[tuple[str, list[Score]]]:
    """Put tools that find the same together, those that find the most first."""
    found = [
        (finds, [each for each in scores if each.asked[finds]]) for finds in GROUPS
    ]
    return [
        (finds, sorted(of, key=lambda each: -each.share(finds)))
        for finds, of in found
        if of
    ]


def cost_picture(scores: list[Score]) -> str:
    """Draw what share a tool finds, beside the seconds that it takes."""
    drawn = groups(scores)
    most = max((each.cpu for _, of in drawn for each in of), default=1.0)
    parts, y = label(424, 28, "Processor time added", BOLD), 34
    for finds, of in drawn:
        parts += label(20, y + 20, f"Tools that {GROUPS[finds]}")
        y += 32
        for each in of:
            count = f"{each.right[finds]} of {each.asked[finds]}"
            parts += label(32, y + 12, each.name)
            parts += bar(156, y, each.share(finds), finds, 180)
            parts += label(344, y + 12, count)
            parts += bar(424, y, each.cpu / most, "time", 180)
            parts += label(612, y + 12, f"{each.cpu:.2f} s")
            y += ROW
    return picture(670, y + 12, "Leaks found", parts)


def kind_picture(scores: list[Score]) -> str:
    """Draw what share of each kind of leak a tool finds."""
    parts, y = "", 82
    for column, kind in enumerate(ORDER):
        for line, words in enumerate(textwrap.wrap(kind, 15)):
            parts += label(156 + 95 * column, 54 + 14 * line, words, SMALL)
    for finds, of in groups(scores):
        parts += label(20, y + 20, f"Tools that {GROUPS[finds]}")
        y += 32
        for each in of:
            parts += label(32, y + 12, each.name)
            for column, kind in enumerate(ORDER):
                found = each.kinds[finds].get(kind, [])
                parts += cell(156 + 95 * column, y, found, finds)
            y += ROW
    return picture(830, y + 12, "Leaks found, by kind", parts)


def cell(x: float, y: float, found: list[bool], finds: str) -> str:
    """Draw what share of one kind a tool finds; a dash if it has seen none."""
    if not found:
        return label(x, y + 12, "-", SMALL)
    count = f"{sum(found)}/{len(found)}"
    part = sum(found) / len(found)
    return bar(x, y, part, finds, 44) + label(x + 50, y + 12, count, SMALL)


def bar(x: float, y: float, part: float, name: str, width: int) -> str:
    """Draw a share as a bar."""
    at = f'<rect x="{x:.0f}" y="{y:.0f}" height="16"'
    rest = f'{at} width="{width}" class="rest"/>'
    return f'{rest}{at} width="{width * part:.0f}" class="{name}"/>\n'
