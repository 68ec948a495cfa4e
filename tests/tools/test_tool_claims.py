import json
import os
import subprocess
import sys

import claims
import package_environment
import probes
import pytest

import leakgraph

LISTED = claims.listed(claims.LIST.read_text(encoding="utf-8"))
MIB = 1 << 20


def test_the_list_has_thirty_libraries():
    assert len({claim.package.name for claim in LISTED}) >= 30
    assert len({claim.file for claim in LISTED}) == len(LISTED)


@pytest.mark.parametrize("claim", LISTED, ids=lambda claim: claim.name)
def test_each_line_keeps_something(claim):
    code = compile(claim.package.code, claim.name, "exec")
    assert "kept" in code.co_names and claim.what


def test_a_line_has_three_parts():
    (claim,) = claims.listed("# note\n\na+b | 2 | things | kept = 1 | 2\n")
    assert claim.package == package_environment.Package(
        ("a", "b"), "things | kept = 1 | 2"
    )
    assert (claim.name, claim.file) == ("a: 2", "a-2")


def test_orders():
    names = [claim.name for claim in LISTED]
    orders = [[one.name for one in claims.ordered(LISTED, i)] for i in range(4)]
    assert orders[0] == names and orders[1] == names[::-1]
    assert all(sorted(order) == sorted(names) for order in orders)
    assert len(set(map(tuple, orders))) == 4
    assert [one.name for one in claims.ordered(LISTED, 2)] == orders[2]


@pytest.mark.parametrize(
    "pair, told",
    [
        ([100, 100], "100 %"),
        ([112, 100], "112 %"),
        ([88, 100], "88 %"),
        ([113, 100], "**113 %**"),
        ([87, 100], "**87 %**"),
        ([0, 100], "**0 %**"),
        (None, ""),
    ],
)
def test_a_wrong_claim_is_bold(pair, told):
    assert claims.cell(pair) == told


def kept(folder, file, pairs, whole=100 * MIB):
    """Write a measurement."""
    (folder / "claims").mkdir(parents=True, exist_ok=True)
    report = pairs if "error" in pairs else {"whole": whole, "claims": pairs}
    (folder / f"claims/{file}.json").write_text(json.dumps(report))


def test_the_table(tmp_path):
    one, two, three = claims.listed("a | x | kept\nb | y | kept\nc | z | kept\n")
    folder = tmp_path / "3.11.7"
    kept(folder, one.file, {one.name: [MIB, MIB]})
    kept(folder, two.file, {two.name: [2 * MIB, 2 * MIB]})
    kept(folder, "order-0", {one.name: [3 * MIB, MIB], two.name: [MIB, 2 * MIB]})
    kept(folder, "order-1", {one.name: [MIB, MIB], two.name: [2 * MIB, 2 * MIB]})
    kept(folder, three.file, {"error": "ended by SIGSEGV"})
    page = "# Page\n\n<!-- claims -->\nold\n<!-- end -->\n\nMore.\n"
    text, too_many = claims.written(page, [folder], [one, two, three])
    assert too_many
    assert [line for line in text.splitlines() if line.startswith("| ")][2:] == [
        "| a | x | 1.00 MiB | 100 % | **300 %** | 100 % |",
        "| b | y | 2.00 MiB | 100 % | **50 %** | 100 % |",
        "| c | z | ended by SIGSEGV |  |  |  |",
    ]
    assert "Of 3 objects, 2 are right alone, and 0, 2 in one process" in text
    assert "none claims more than 2.0 % of that process" in text
    assert "in order | reversed |" in text
    assert text.endswith("<!-- end -->\n\nMore.\n") and "old" not in text
    assert claims.written(text, [folder], [one, two, three])[0] == text


@pytest.mark.parametrize("wrong, too_many", [(1, False), (2, True)])
def test_nine_of_ten_must_be_right(tmp_path, wrong, too_many):
    listed = claims.listed("".join(f"a | {i} | kept\n" for i in range(10)))
    for number, claim in enumerate(listed):
        claimed = 0 if number < wrong else MIB
        kept(tmp_path, claim.file, {claim.name: [claimed, MIB]})
    assert claims.section(tmp_path, listed)[1] == too_many


def test_nothing_is_told_where_nothing_was_measured(tmp_path):
    assert claims.section(tmp_path, LISTED) == ("", False)


STREAMS = "import zlib; kept = [zlib.compressobj() for _ in range(9)]"
BLOCKS = "kept = [bytes(4000) for _ in range(500)]"


def test_claims_are_compared_with_what_the_allocators_get_back(tmp_path):
    if leakgraph.snapshot(native=True).info()["native"] != "inspected":
        pytest.skip("native memory is not inspected here")
    answer = tmp_path / "answer.json"
    done = subprocess.run(
        [sys.executable, claims.PROBES[0], answer],
        input=json.dumps([["streams", STREAMS], ["blocks", BLOCKS]]),
        env={**os.environ, "PYTHONMALLOC": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(answer.read_text())
    assert report["whole"] > 4 * MIB
    for name, least in {"streams": 2 * MIB, "blocks": 500 * 4000}.items():
        claimed, returned = report["claims"][name]
        assert returned > least
        assert claims.is_right(claimed, returned)


def test_a_measurement_is_kept_until_its_text_changes(tmp_path):
    made = []

    def measure():
        made.append(1)
        return {"claims": {}}

    for text in ("a", "a", "b"):
        probes.measured(tmp_path / "kept/one.json", text, measure)
    assert len(made) == 2
