import gc
import json
import mmap
import os
import signal
import subprocess
import sys

import package_environment
import package_probe
import packages
import probes
import pytest

import leakgraph

LISTED = package_environment.listed(
    package_environment.LIST.read_text(encoding="utf-8")
)
REPORT = {
    "version": "1.2",
    "compiled": 3,
    "nodes": 60_000,
    "edges": 250_000,
    "own": 100,
    "explained": 100,
    "spent": 4 << 20,
    "seen": 4 << 20,
    "noted": [],
    "wrong": [],
}


def test_the_list_has_a_hundred_packages():
    names = [package.name for package in LISTED]
    assert len(names) == len(set(names)) == 100


@pytest.mark.parametrize("package", LISTED, ids=lambda package: package.name)
def test_each_line_is_python(package):
    compile(package.code, package.name, "exec")


def test_what_a_line_needs_besides_the_package(monkeypatch):
    monkeypatch.delenv("TORCH", raising=False)
    (one,) = package_environment.listed("# note\n\na+b  import a; print('x  y')\n")
    assert (one.name, one.requirements) == ("a", ["a", "b"])
    assert one.code == "import a; print('x  y')"
    (torch,) = package_environment.listed("torch  import torch\n")
    assert torch.requirements == ["torch"]
    monkeypatch.setenv("TORCH", "torch==2.0")
    assert torch.requirements == ["torch==2.0"]
    (older,) = package_environment.listed("a==1.5  import a\n")
    assert (older.name, older.requirements) == ("a", ["a==1.5"])


@pytest.fixture
def pip_says(monkeypatch):
    """Have pip answer: pip_says(plan=[...]) or pip_says(error="...")."""
    asked = []

    def fake(plan=(), error=""):
        def pip(python, *arguments):
            asked.append(arguments)
            report = {"install": [{"metadata": {"name": name}} for name in plan]}
            out = json.dumps(report) if "--dry-run" in arguments else ""
            return subprocess.CompletedProcess([], bool(error), out, error)

        monkeypatch.setattr(package_environment, "pip", pip)
        return asked

    return fake


def test_what_brings_drivers_along_is_not_installed(pip_says, tmp_path):
    asked = pip_says(plan=["torch", "nvidia-cublas-cu12"])
    why_not = package_environment.install(tmp_path, LISTED[0])
    assert "for GPUs" in why_not and "nvidia-cublas-cu12" in why_not
    assert all("--dry-run" in arguments for arguments in asked)


def test_what_cannot_be_installed_says_why_and_is_not_tried_again(pip_says, tmp_path):
    pip_says(error="noise\nERROR: No matching distribution found for a\nnoise")
    for _ in range(2):
        why_not = package_environment.installed(tmp_path, tmp_path, LISTED[0])
        assert why_not == "No matching distribution found for a"
        pip_says(plan=["a"])


def test_what_python_brings_along_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(package_environment, "pip", None)
    (zlib,) = package_environment.listed("zlib  import zlib\n")
    assert package_environment.installed(tmp_path, tmp_path, zlib) == ""


class Instance:
    """It has its first attribute, and no dict of its own from 3.11 on."""

    def __init__(self):
        self.first = [1]


def test_changes_of_the_process_are_found():
    """References, dicts, objects and imports; and nothing where nothing happens."""
    thing, made = Instance(), []

    def change():
        made.append(thing)
        made.append([vars(thing)])
        sys.modules["nowhere"] = sys

    try:
        found = package_probe.changed(change)
    finally:
        sys.modules.pop("nowhere", None)
    instance = f"{__name__}.Instance"
    assert found[f"references to {instance}"] == 1
    assert found["new builtins.list"] >= 1
    assert found["import of nowhere"] == 1
    if sys.version_info >= (3, 11):
        assert found[f"__dict__ of {instance}"] == 1
    noise = package_probe.changed(lambda: None)
    assert not package_probe.changed(lambda: None) - noise


def test_a_capture_changes_nothing():
    package_probe.capture()
    gc.collect()
    assert package_probe.changes_by_capture() == {}


def test_memory_that_work_leaves_behind():
    # Mappings of their own: malloc could take what other tests have freed.
    kept = []

    def work():
        kept.append(mmap.mmap(-1, 4 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        kept[-1].write(b"x" * (4 << 20))

    assert package_probe.growth(work) >= 15 << 20


def test_the_graph_of_a_process():
    snapshot = leakgraph.snapshot()
    assert package_probe.wrong_sums(snapshot) == ""
    assert package_probe.seen(snapshot) > sum(n.size for n in snapshot.nodes)
    counts = package_probe.references(snapshot, "pytest")
    assert 0 < counts["explained"] <= counts["own"] < len(snapshot)
    package_probe.ask_everything(snapshot, [LISTED])


def test_a_crash_names_its_signal():
    done = subprocess.CompletedProcess([], -11, "", "Fatal\nlast")
    assert probes.fate(done) == "ended by SIGSEGV"
    done = subprocess.CompletedProcess([], 1, "", "Traceback\nKeyError: 'x'")
    assert probes.fate(done) == "KeyError: 'x'"


def test_a_busy_machine_stops_no_probe():
    """Hours for seconds of work are fine, as long as it waits for a processor."""
    watch = probes.Watch(0)
    assert not any(watch.objection(at * 300, at * 0.1, at * 9) for at in range(12))
    assert "processor time" in watch.objection(3600, probes.WORK + 1, 0)


def test_a_probe_that_hangs_is_stopped():
    watch = probes.Watch(0)
    assert not watch.objection(290, 5, 1)
    assert not watch.objection(580, 5.1, 1.2)
    assert "hung" in watch.objection(591, 5.2, 1.3)
    late = probes.PATIENCE + 1
    assert "not done" in probes.Watch(0).objection(late, 300, 0)


def test_what_a_process_used_and_waited_for():
    before = probes.processor_seconds(os.getpid())
    while probes.processor_seconds(os.getpid())[0] < before[0] + 0.02:
        pass
    assert probes.processor_seconds(os.getpid())[1] >= before[1] >= 0


@pytest.mark.parametrize("text, code", [("12", 0), ("1", 3)])
def test_a_probe_reads_its_code(text, code):
    source = f"import sys; print(sys.stdin.read()); sys.exit({code})"
    pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
    process = subprocess.Popen([sys.executable, "-c", source], text=True, **pipes)
    done = probes.watched(process, text)
    assert (done.stdout, done.stderr, done.returncode) == (f"{text}\n", "", code)


def test_a_probe_that_must_end_is_killed(monkeypatch):
    monkeypatch.setattr(probes, "STILL", -1)
    monkeypatch.setattr(probes, "POLL", 0.01)
    process = subprocess.Popen(
        [sys.executable, "-c", "import signal; signal.pause()"], text=True
    )
    with pytest.raises(TimeoutError, match="hung"):
        probes.watched(process, None)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    "changes, verdict",
    [
        ({}, "fully"),
        ({"seen": int(3.4 * 2**20)}, "fully"),
        ({"seen": 3 << 20}, "in part"),
        ({"seen": 1 << 20}, "little"),
        ({"spent": 1000, "seen": 0}, "fully"),
        ({"explained": 98}, "in part"),
        ({"explained": 98, "seen": 1 << 20}, "little"),
    ],
)
def test_how_much_is_seen(changes, verdict):
    assert packages.verdict(REPORT | changes) == verdict


def test_rows(tmp_path, monkeypatch):
    """What was measured, what failed and what could not be installed."""
    page, folder = tmp_path / "page.md", tmp_path / "runs/3.11.7"
    page.write_text("# Page\n\n<!-- packages -->\n<!-- end -->\n\nMore.\n")
    monkeypatch.setattr(packages, "PAGE", page)
    monkeypatch.setattr(packages, "RUNS", tmp_path / "runs")
    for name, report in {
        LISTED[0].name: REPORT | {"seen": 1 << 20, "wrong": ["a|b"]},
        LISTED[1].name: {"error": "ended by SIGSEGV"},
    }.items():
        (folder / "results").mkdir(parents=True, exist_ok=True)
        (folder / f"results/{name}.json").write_text(json.dumps(report))
    (folder / "installed").mkdir()
    (folder / f"installed/{LISTED[2].name}.txt").write_text("no wheel")
    packages.write_page(LISTED)
    once = page.read_text()
    packages.write_page(LISTED)
    assert page.read_text() == once
    rows = [line for line in once.splitlines() if line.startswith("| ")][2:]
    assert rows == [
        f"| {LISTED[0].name} | 1.2 | 60,000 | 250,000 | 100 | 100 | 4.0 MiB | 75 % "
        "| little | a\\|b |",
        f"| {LISTED[1].name} |  |  |  |  |  |  |  |  | ended by SIGSEGV |",
        f"| {LISTED[2].name} |  |  |  |  |  |  |  |  | not installed: no wheel |",
    ]
    assert "Of 3 packages, 1 were captured" in once
    assert "The other 97 had no turn in this run." in once
    assert once.endswith("<!-- end -->\n\nMore.\n")
