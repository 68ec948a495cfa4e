"""findings(): known mistakes as Python objects."""

import functools
import gc
import json
import os
import subprocess
import sys
import traceback
from shutil import which

import pytest
from shapes import Thing

import leakgraph

pytestmark = [pytest.mark.ends, pytest.mark.small]


class Holder(Thing):
    """Keeps the error."""


def fail():
    rows = [bytearray(100_000) for _ in range(3)]
    raise ValueError(f"{len(rows)} rows")


@pytest.fixture
def holder():
    held = Holder()
    try:
        fail()
    except ValueError as error:
        held.error = error
    return held


def mine(findings, node):
    return [finding for finding in findings if finding.holder == node]


def test_a_finding(holder):
    snapshot = leakgraph.snapshot()
    findings = snapshot.findings()
    (finding,) = mine(findings, snapshot.find(holder.error))
    assert finding.pattern == "exception-traceback"
    assert finding.count == 3 and 300_000 < finding.retained.host < 310_000
    assert finding.retained.total == finding.retained.host and finding.held_by.endswith(
        f"ValueError #{finding.holder.index}"
    )
    assert finding.example.type_name == "bytearray"
    assert "traceback" in finding.cause and "Delete every reference" in finding.fix
    assert finding in findings.rows and findings[0] in list(findings)
    assert "\nexception-traceback: " in str(findings)
    assert repr(findings) == str(findings).rstrip("\n")
    html = findings._repr_html_()
    assert "<table>" in html and finding.fix.split(",")[0] in html


def test_each_mistake_of_a_finding_has_a_line(holder):
    @functools.cache
    def load(number):
        return bytearray(number)

    class Report(Thing):
        def fail(self):
            rows = [load(100_000 + number) for number in range(3)]
            raise ValueError(f"{len(rows)} rows")

    kept = Holder(load=load)
    try:
        Report().fail()
    except ValueError as error:
        kept.error = error
    findings = leakgraph.snapshot().findings()
    (both,) = (one for one in findings if one.holder and len(one.holders) > 1)
    names = {"exception-traceback", "lru-cache"}
    for advice in (both.cause, both.fix):
        assert {line.split(": ")[0] for line in advice.splitlines()} == names
    _, below = both.fix.splitlines()
    assert f"\n           {below}\n" in str(findings)


def test_look_alikes():
    holders = [Holder() for _ in range(3)]
    for kept in holders:
        try:
            fail()
        except ValueError as error:
            kept.error = error
    kept = Holder(holders=[(one,) for one in holders])
    snapshot = leakgraph.snapshot()
    findings = snapshot.findings()
    places = {snapshot.find(one.error): one for one in holders}
    ours = [finding for finding in findings if finding.holder in places]
    assert len(ours) == 3 and len({finding.alike for finding in ours}) == 1
    assert findings[ours[0].alike].holder == ours[0].holder
    assert ", 9 x bytearray\n" in str(findings)
    assert "           and 2 more like it\n" in str(findings)
    assert findings.total == len(findings) and " shown\n" not in str(findings)


def test_a_limit_cuts_rows_and_not_groups():
    holders = [Holder() for _ in range(3)]
    for kept in holders:
        try:
            fail()
        except ValueError as error:
            kept.error = error
    kept = Holder(holders=[(one,) for one in holders])
    snapshot = leakgraph.snapshot()
    findings = snapshot.findings()
    nodes = [snapshot.find(one.error) for one in holders]
    alike = [one.alike for one in findings]
    first = next(one.alike for one in findings if one.holder in nodes)
    few = snapshot.findings(first + 1)
    assert few == findings[: first + 1] == snapshot.findings(limit=len(few))
    assert few.total == findings.total == len(findings)
    shown = sum(alike.count(one) for one in {finding.alike for finding in few})
    assert (f"; the biggest {shown} shown\n" in str(few)) == (shown < len(findings))
    assert alike.count(first) > 1
    assert f"           and {alike.count(first) - 1} more like it\n" in str(few)


#: Prints whether a page has a column for evidence: of handlers, which have none, and
#: then of an exception that keeps a frame, too.
EVIDENCE = """
import leakgraph
class Handler:
    def __init__(self):
        self.data = bytearray(1000)
    def ping(self): pass
class Bus: pass
def fail():
    kept = bytearray(100000)
    raise ValueError
def show():
    findings = leakgraph.snapshot().findings()
    told = any(one.evidence for one in findings)
    print(len(findings) > 0, told, ">evidence<" in findings._repr_html_())
bus = Bus()
bus.listeners = [Handler().ping for _ in range(200)]
show()
try:
    fail()
except ValueError as error:
    bus.error = error
show()
"""


def test_a_column_without_evidence_is_left_out():
    done = subprocess.run(
        [sys.executable, "-c", EVIDENCE], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True False False\nTrue True True\n"


def test_a_baseline(holder, tmp_path, monkeypatch):
    known = tmp_path / "known.txt"
    monkeypatch.setattr(Holder, "kept", holder.error, raising=False)
    del holder.error
    with pytest.raises(leakgraph.FileError, match="cannot open the baseline"):
        leakgraph.findings(baseline=known)
    with pytest.raises(leakgraph.ArgumentError, match="give baseline"):
        leakgraph.findings(update_baseline=True)
    gc.collect()  # The mistakes that earlier tests have left must not go meanwhile.
    whole = leakgraph.findings()
    none = leakgraph.findings(1, baseline=known, update_baseline=True)
    assert (len(none), none.known) == (0, len(whole))
    assert f"; {len(whole)} more known to the baseline" in str(none)
    (line,) = [one for one in known.read_text().splitlines() if "Holder.kept" in one]
    assert line.startswith("finding ") and " exception-traceback: " in line
    known.write_text(f"leakgraph baseline 1\n{line}\n")
    some = leakgraph.findings(baseline=known)
    assert (len(some), some.known) == (len(whole) - 1, 1)


def test_why_tells_of_it(holder):
    snapshot = leakgraph.snapshot()
    frame = holder.error.__traceback__.tb_next.tb_frame
    report = str(snapshot.why(frame.f_locals["rows"][0]))
    assert "A known mistake, exception-traceback: " in report
    assert "A known mistake" not in str(snapshot.why(fail))


def test_none(python):
    code = "import leakgraph; f = leakgraph.findings(); print(len(f)); print(f)"
    out = python("-c", code).out
    first, *rest = out.splitlines()
    assert first == "0" and rest[0] == "No known mistake was recognised."
    assert "top" in rest[1] and "diff" in rest[1] and "waste" in rest[1]


def test_command(holder, tmp_path):
    command = which("leakgraph")
    if command is None:
        pytest.skip("the command is not on the path")
    path = tmp_path / "a.lgs"
    leakgraph.snapshot().save(path)

    def run(*options):
        return subprocess.run(
            [command, "findings", str(path), *options],
            capture_output=True,
            text=True,
            # GNU readline sets COLUMNS for the processes that a program starts.
            env=dict(os.environ),
        )

    report = run()
    assert report.returncode == 0 and "exception-traceback: " in report.stdout
    assert run("--check").returncode == 1
    listed = ["--check", "--baseline", str(tmp_path / "known.txt")]
    assert "cannot open the baseline" in run(*listed).stderr
    updated = run(*listed, "--update-baseline")
    assert updated.returncode == 0 and " more known to the baseline" in updated.stdout
    assert run(*listed).stdout == updated.stdout
    parsed = json.loads(run("--json").stdout)["rows"]
    assert "exception-traceback" in {finding["pattern"] for finding in parsed}
    findings = leakgraph.load(path).findings()
    assert str(findings) == report.stdout
    assert [
        (row["pattern"], row["holder"], row["retained"], row["alike"]) for row in parsed
    ] == [
        (row.pattern, row.holder and row.holder.index, row.retained, row.alike)
        for row in findings
    ]
    groups = {finding.alike for finding in findings}
    assert report.stdout.count("\n  fix      ") == len(groups)


def failed():
    try:
        fail()
    except ValueError as error:
        return Holder(error=error)


def test_folding_by_facts():
    """Keys and indexes differ between like findings, but names do not."""
    held = Holder(by_name={"a [1]": failed(), "b": failed()}, one=failed())
    snapshot = leakgraph.snapshot()
    findings = snapshot.findings()

    def group(kept):
        (finding,) = mine(findings, snapshot.find(kept.error))
        return finding.alike

    first, second = held.by_name.values()
    assert group(first) == group(second) != group(held.one)


def test_refusals():
    part = leakgraph.snapshot(roots=[[]])
    with pytest.raises(leakgraph.PartialError):
        part.findings()
    with pytest.raises(leakgraph.ArgumentError, match="limit"):
        leakgraph.findings(0)
    with pytest.raises(TypeError):
        leakgraph.findings(1, True)
    phases = []
    leakgraph.findings(progress=lambda phase, done: phases.append(phase))
    assert phases[-1] == "done"


def test_a_cache():
    @functools.cache
    def load(name):
        return bytearray(200_000)

    load("a")
    snapshot = leakgraph.snapshot()
    assert mine(snapshot.findings(), snapshot.find(load)) == []
    load("b")
    snapshot = leakgraph.snapshot()
    (finding,) = mine(snapshot.findings(), snapshot.find(load))
    assert (finding.pattern, finding.count) == ("lru-cache", 2)
    load.cache_clear()
    snapshot = leakgraph.snapshot()
    assert mine(snapshot.findings(), snapshot.find(load)) == []


@pytest.mark.parametrize("limit", [0, 4, 128, None])
def test_limit_of_a_cache(limit):
    """A small limit of the program's choice is no mistake."""

    @functools.lru_cache(maxsize=limit)
    def load(name):
        return bytearray(200_000)

    for name in (0, 1, 2, 2):
        load(name)
    snapshot = leakgraph.snapshot()
    node = snapshot.find(load)
    expected = {} if limit is None else {"maxsize": str(limit)}
    info = load.cache_info()
    assert (info.hits, info.misses) == (1 if limit != 0 else 0, 4 if limit == 0 else 3)
    expected |= {"hits": str(info.hits), "misses": str(info.misses)}
    assert node.facts == expected
    found = [finding.pattern for finding in mine(snapshot.findings(), node)]
    assert found == ([] if limit in (0, 4) else ["lru-cache"])


class User:
    def __init__(self, number):
        self.row = {"name": "x" * 3000 + str(number)}


def test_plain_data_in_a_cache():
    @functools.cache
    def load(user):
        return len(user.row)

    for number in range(150):
        load(User(number))
    snapshot = leakgraph.snapshot()
    (finding,) = mine(snapshot.findings(), snapshot.find(load))
    assert (finding.pattern, finding.count) == ("lru-cache", 150)
    assert "150 misses and no hits: its keys never repeat." in finding.evidence
    why = snapshot.why(load)
    assert f"{load.__module__}.{load.__qualname__}.cache_clear()" in why.hint
    assert not why.frees and not why.cuts and why.hint in str(why)
    why = snapshot.why(finding.example)
    assert [hop.label for hop in why.frees] == ["key (User,)"]
    assert "cache_clear() to free it" in why.hint
    freed = finding.freed.host
    before = leakgraph.snapshot().analyze().reachable.host
    load.cache_clear()
    after = leakgraph.snapshot().analyze().reachable.host
    assert abs(before - after - freed) < 0.05 * freed


def test_frames_in_a_cache():
    @functools.cache
    def trace(frame):
        return 1

    def view():
        body = "x" * 20_000 + str(object())
        trace(sys._getframe())
        return body

    for _ in range(20):
        view()
    snapshot = leakgraph.snapshot()
    (finding,) = mine(snapshot.findings(), snapshot.find(trace))
    assert finding.count == 20 and finding.example.type_name == "frame"
    assert finding.retained.host > 20 * 20_000


@pytest.mark.parametrize("used", [False, True])
def test_a_cache_that_earns_its_memory(used):
    """A bounded cache whose results are asked for again is no mistake."""

    @functools.lru_cache(maxsize=256)
    def render(page):
        return {"text": "x" * 4000 + page}

    for _ in range(1 + 5 * used):
        for number in range(200):
            render(str(number))
    snapshot = leakgraph.snapshot()
    found = mine(snapshot.findings(), snapshot.find(render))
    assert [one.pattern for one in found] == ([] if used else ["lru-cache"])


def reject(number):
    payload = {"body": "y" * 6000 + str(number)}
    raise ValueError(len(payload))


def test_plain_data_in_a_traceback():
    held = Holder(failed=[])
    for number in range(40):
        try:
            reject(number)
        except ValueError as error:
            held.failed.append(error)
    snapshot = leakgraph.snapshot()
    (finding,) = mine(snapshot.findings(), snapshot.find(held.failed))
    assert (finding.pattern, finding.count) == ("exception-traceback", 40)
    assert "An example is in local payload of reject() " in finding.evidence
    freed = finding.freed.host
    before = snapshot.analyze().reachable.host
    for error in held.failed:
        traceback.clear_frames(error.__traceback__)
    del error
    after = leakgraph.snapshot().analyze().reachable.host
    assert freed > 240_000 and abs(before - after - freed) < 0.05 * freed


def test_what_is_being_handled():
    """The frames of an exception that only variables of functions have."""
    try:
        raise_large()
    except ValueError as error:
        snapshot = leakgraph.snapshot()
        handled = snapshot.find(error)
    assert mine(snapshot.findings(), handled) == []


def raise_large():
    text = "x" * 300_000 + str(object())
    raise ValueError(len(text))


def use(rows):
    raise ValueError(f"{len(rows)} rows")


def hand_down():
    rows = [bytearray(100_000) for _ in range(3)]
    use(rows)


def test_passed_down():
    """The report names what several frames of a traceback hold; the fix frees it."""
    held = Holder()
    try:
        hand_down()
    except ValueError as error:
        held.error = error
        held.traceback = error.__traceback__
    snapshot = leakgraph.snapshot()
    (finding,) = mine(snapshot.findings(), snapshot.find(held.error))
    assert finding.pattern == "exception-traceback"
    assert finding.count == 3 and finding.retained.host > 300_000
    assert "sys.last_traceback" in finding.fix
    traceback.clear_frames(held.traceback)
    snapshot = leakgraph.snapshot()
    assert mine(snapshot.findings(), snapshot.find(held.error)) == []


def test_two_holders():
    """Two errors share the rows of their frames: one finding covers both."""
    rows = [bytearray(100_000) for _ in range(3)]
    holders = Holder(), Holder()
    for held in holders:
        try:
            use(rows)
        except ValueError as error:
            held.error = error.with_traceback(error.__traceback__.tb_next)
    del rows, held
    snapshot = leakgraph.snapshot()
    nodes = {snapshot.find(held.error) for held in holders}
    (finding,) = [one for one in snapshot.findings() if one.holder in nodes]
    assert {one.holder for one in finding.holders} == nodes
    assert finding.count == 3 and finding.retained.host > 300_000
    for one in finding.holders:
        assert one.pattern == finding.pattern and one.count == 3
        assert one.alone.host == 0 and one.example == finding.example
    assert finding.holders[0].holder == finding.holder
    assert finding.holders[0].held_by == finding.held_by
    assert "which frees 0 B alone" in str(snapshot.findings())


def by_closure(inner):
    @functools.wraps(inner)
    def wrapper(*arguments):
        return inner(*arguments)

    return wrapper


def by_default(inner):
    def wrapper(*arguments, inner=inner):
        return inner(*arguments)

    return wrapper


def by_position(inner):
    return lambda argument, inner=inner: inner(argument)


def by_attribute(inner):
    @functools.wraps(inner)
    def wrapper(*arguments):
        return wrapper.__wrapped__(*arguments)

    return wrapper


@pytest.mark.parametrize("wrap", [by_closure, by_default, by_position, by_attribute])
@pytest.mark.parametrize("times", [16, 15])
def test_wrappers_of_wrappers(wrap, times):
    function = len
    for _ in range(times):
        function = wrap(function)
    snapshot = leakgraph.snapshot()
    found = mine(snapshot.findings(), snapshot.find(function))
    assert [one.pattern for one in found] == ["wrapped-functions"] * (times == 16)
