"""Tests `leakgraph view`: what it serves, and to whom; and hostile clients."""

import functools
import gc
import html
import http.client
import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from types import SimpleNamespace
from urllib.parse import quote, urlsplit

import pytest
from builds import needs

import leakgraph

pytestmark = pytest.mark.once

COMMAND = shutil.which("leakgraph")
NAME = "</p><script>alert(1)</script>\"'Größe 数"


class Holder:
    """Holds a name that must be escaped."""


def start(path, *options):
    """Start the server as a process of its own; its URL is its first line."""
    process = subprocess.Popen(
        [COMMAND, "view", str(path), "--no-browser", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LEAKGRAPH_RENDERER": "/nonexistent/renderer"},
    )
    url = process.stdout.readline().strip()
    if not url:
        said = process.communicate()[1]
        if "libmicrohttpd" in said:
            pytest.skip(said)
        raise AssertionError(said)
    parts = urlsplit(url)
    return SimpleNamespace(
        process=process, url=url, port=parts.port, token=parts.path.strip("/")
    )


def end(server):
    """Press Ctrl-C, and return what the server prints at its end."""
    server.process.send_signal(signal.SIGINT)
    said = server.process.communicate(timeout=60)[1]
    assert server.process.returncode == 0, said
    return said


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "run.lgs"
    holder = Holder()
    setattr(holder, NAME, [bytearray(100) for _ in range(200)])
    sys.modules[__name__].holder = holder
    leakgraph.save_snapshot(path)
    del sys.modules[__name__].holder
    running = start(path)
    running.path = path
    yield running
    assert "Ctrl-C ends the server" in end(running)


def ask(server, page, method="GET", host=None, headers=(), body=None):
    """Ask once, and return the status, the headers and the body."""
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    client.putrequest(method, page, skip_host=True, skip_accept_encoding=True)
    for name, value in [("Host", host or f"127.0.0.1:{server.port}"), *headers]:
        client.putheader(name, value)
    client.endheaders(body)
    reply = client.getresponse()
    text = reply.read().decode("utf-8", "replace")
    client.close()
    return reply.status, dict(reply.getheaders()), text


# A slow page reports progress until it is there.
def get(server, page, **more):
    reply = ask(server, f"/{server.token}/{page}", **more)
    while reply[0] == 202:
        assert reply[1]["Refresh"] == "1" and "is being made" in reply[2]
        reply = ask(server, f"/{server.token}/{page}", **more)
    return reply


def raw(server, data, close=False):
    """Send these bytes, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        try:
            client.sendall(data)
            if close:
                client.shutdown(socket.SHUT_WR)
            reply = b""
            while chunk := client.recv(65536):
                reply += chunk
        except ConnectionError:
            pass
    return reply


def assert_alive(server):
    assert get(server, "")[0] == 200


def test_first_page(server):
    status, headers, page = get(server, "")
    assert status == 200
    assert "run.lgs" in page and 'id="map"' in page and "object?node=" in page
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in headers and "Access-Control-Allow-Origin" not in headers
    assert server.token not in page
    tables = re.findall(r'<a href="table\?of=(\w+)">More rows', page)
    assert {"top", "findings", "threads"} <= {*tables}
    assert {get(server, f"table?of={name}")[0] for name in tables} == {200}


def test_an_object(server):
    selector = quote(f"name:{__name__}.holder")
    status, headers, _ = get(server, f"search?q={selector}")
    assert (status, headers["Location"][:12]) == (302, "object?node=")
    status, _, page = get(server, headers["Location"])
    assert status == 200
    assert "Größe 数" in page and "<script>alert" not in page
    assert f"{__name__}.holder" in page
    node = headers["Location"].removeprefix("object?node=")
    assert "GC root" in get(server, f"why?node={node}")[2]
    below = re.findall(r'object\?node=(\d+)">list of 200', page)
    status, _, page = get(server, f"object?node={below[0]}&out=150")
    assert "151 to 200" in page and "bytearray" in page
    assert f"object?node={below[0]}&amp;out=100#out" in page
    cut = quote(f"{__name__}.holder")
    assert "would die" in get(server, f"what-if?cut={cut}")[2]
    lines = get(server, f"complete?q={cut[:-1]}")[2].splitlines()
    assert f"{__name__}.holder" in lines


def test_suggestions(server):
    status, _, page = get(server, "search?q=type:bytearay")
    assert status == 404
    link = '<a href="search?q=type%3Abytearray">type:bytearray</a>'
    assert f"did you mean {link}?" in page


def test_the_row_of_the_total_is_no_link(server):
    (row,) = re.findall(
        r"<tr>(?:(?!</tr>).)*<td>total</td></tr>", get(server, "table?of=types")[2]
    )
    assert "<a " not in row
    assert "type%3Atotal" not in get(server, "")[2]


def test_advice_links_to_pages_and_names_no_command(tmp_path):
    held = [Holder()]
    held[0].cache = {number: bytearray(20_000) for number in range(100)}
    sys.modules[__name__].holder = held
    gc.collect()
    leakgraph.save_snapshot(tmp_path / "run.lgs")
    del sys.modules[__name__].holder
    running = start(tmp_path / "run.lgs")
    page = get(running, "")[2]
    end(running)
    first, _, _ = page.partition('id="map"')
    _, _, advice = first.partition('id="advice"')
    named = rf'<a href="object\?node=\d+">[^<]*{re.escape(__name__)}\.holder\[0\].cache'
    assert re.search(named, advice)
    assert "leakgraph why" not in page and "SNAP" not in advice


TRAINING = """
import sys
import leakgraph, torch

class Trainer:
    pass

class Recorder:
    def __init__(self, kept):
        self.kept = kept
    def __call__(self, layer, inputs, output):
        self.kept.setdefault(type(layer).__name__, []).append(output)

def train(trainer):
    for step in range(20):
        trainer.optimizer.zero_grad()
        trainer.model(torch.zeros(64, 300)).sum().backward()
        trainer.optimizer.step()

trainer = Trainer()
trainer.model = torch.nn.Sequential(torch.nn.Linear(300, 300), torch.nn.ReLU())
trainer.optimizer = torch.optim.Adam(trainer.model.parameters())
trainer.activations = {}
for layer in trainer.model:
    layer.register_forward_hook(Recorder(trainer.activations))
del layer
train(trainer)
leakgraph.snapshot().save(sys.argv[1])
"""


@pytest.fixture(scope="module")
def training(warm, tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    (folder / "script.py").write_text(TRAINING)
    done = warm("torch").run(folder / "script.py", folder / "run.lgs")
    assert done.code == 0, done.err
    return folder / "run.lgs"


def plain(page):
    return html.unescape(re.sub("<[^>]*>", " ", page))


@needs("torch")
@pytest.mark.libraries
def test_the_page_of_a_storage_says_that_it_is_held_as_its_row_says(training):
    running = start(training)
    table = get(running, "table?of=tensors&group=storage")[2]
    rows = re.findall(r'<a href="(object\?node=\d+)">(__main__\.[^<]*)', table)
    assert any(".model[0].weight" in held_by for _, held_by in rows)
    for link, held_by in rows[:8] + [row for row in rows if "weight" in row[1]]:
        page = get(running, link)[2]
        path = plain(re.search(r"<dt>path.*?</dd>", page, re.DOTALL)[0])
        words = re.findall(r"\w+", html.unescape(held_by).split("data")[0])
        assert re.search("\\W.*?".join(words), path), (held_by, path)
    end(running)


@needs("torch")
@pytest.mark.libraries
def test_the_dict_that_hooks_fill_is_named_and_what_it_frees_alone(training):
    (finding,) = leakgraph.load(training).findings()
    assert finding.pattern == "kept-activations"
    holder, _, what = finding.held_by.partition("  ")
    assert (holder, what[:9]) == ("__main__.trainer.activations", "dict of 2")
    assert finding.retained.total > 2_000_000
    running = start(training)
    page = get(running, "")[2]
    end(running)
    (card,) = re.findall(r'<li class="finding">.*?</li><', page, re.DOTALL)
    assert "__main__.trainer.activations" in plain(card)


# A word finds the program's own names, with what holds them and their bytes.
def test_words(server):
    status, _, page = get(server, "search?q=HOLDE")
    assert status == 200 and f"{__name__}.holder" in page
    assert re.search(rf'object\?node=\d+">{__name__}.holder<', page)
    lines = get(server, "complete?q=holde")[2].splitlines()
    assert f"{__name__}.holder" in lines
    assert not lines[0].startswith(("type:", "module:"))
    status, _, page = get(server, "search?q=nobody+has+this")
    assert status == 404 and "nobody has this" in page


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("/", 404),
        ("/{token}", 404),
        ("//{token}/", 404),
        ("/{wrong}/", 404),
        ("/{wrong}/page.js", 404),
        ("/{token}/../{token}/", 404),
        ("/{token}/../../etc/passwd", 404),
        ("/{token}/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/{token}/..%2fpage.js", 404),
        ("/{token}/page.js%00.html", 200),
        ("/{token}/PAGE.JS", 404),
        ("/{token}/page.js/", 404),
        ("/%7Btoken%7D/", 404),
        ("*", 404),
        ("/{token}/object", 404),
        ("/{token}/object?node", 404),
        ("/{token}/object?node=%00", 404),
        ("/{token}/object?node=-1", 404),
        ("/{token}/object?node=99999999999999999999", 404),
        ("/{token}/object?node=0&in=99999999999999999999", 400),
        ("/{token}/object?node=0&in=9223372036854775807", 200),
        ("/{token}/object?node=0&node=x", 200),
        ("/{token}/object?&&&=&node=0", 200),
        ("/{token}/?" + "&".join(f"a{i}=1" for i in range(100)), 400),
        ("/{token}/search?q=%ff%fe%%%zz", 404),
        ("/{token}/search?q=name:" + "[0]" * 2000, 404),
        ("/{token}/search?q=type:" + "*a" * 3000, 404),
        ("/{token}/table?of=top&limit=1e9", 400),
        ("/{token}/table?of=top&by=cuda:99", 400),
        ("/{token}/table?of=cycles&holding=nothing", 404),
        ("/{token}/what-if?cut=" + quote("#0->" * 100), 200),
    ],
)
def test_odd_questions(server, page, status):
    wrong = ("1" if server.token[0] != "1" else "2") + server.token[1:]
    page = page.replace("{token}", server.token).replace("{wrong}", wrong)
    while (answer := ask(server, page)[0]) == 202:
        pass
    assert answer == status
    assert_alive(server)


@pytest.mark.parametrize(
    "host",
    ["example.org", "127.0.0.1.example.org", "localhost.example.org", "0.0.0.0", "::1"],
)
def test_other_hosts(server, host):
    assert get(server, "", host=host)[0] == 403
    assert get(server, "", host=f"{host}:{server.port}")[0] == 403


def test_no_host(server):
    line = f"GET /{server.token}/ HTTP/1.0\r\n\r\n".encode()
    assert raw(server, line).split(b"\r\n")[0].endswith(b"403 Forbidden")
    # A tunnel may arrive from another port.
    assert get(server, "", host="localhost:9")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"])
def test_other_methods(server, method):
    status, headers, _ = get(server, "", method=method)
    assert (status, headers["Allow"]) == (405, "GET")


def test_bodies(server):
    assert get(server, "", headers=[("Content-Length", "5")], body=b"12345")[0] == 400
    assert get(server, "", headers=[("Content-Length", "9" * 15)])[0] == 400
    chunked = [("Transfer-Encoding", "chunked")]
    assert get(server, "", headers=chunked, body=b"3\r\nabc\r\n0\r\n\r\n")[0] == 400
    assert get(server, "", headers=[("Content-Length", "0")])[0] == 200


def test_what_is_too_large(server):
    path = f"/{server.token}/"
    assert ask(server, path + "?q=" + "a" * 100_000)[0] in (400, 414, 431)
    assert ask(server, path, headers=[("X", "a" * 100_000)])[0] in (400, 413, 431)
    many = [(f"X{i}", "a" * 50) for i in range(2000)]
    assert ask(server, path, headers=many)[0] in (400, 413, 431)
    assert_alive(server)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_question(server, data):
    reply = raw(server, data, close=True)
    assert b" 200 " not in reply.split(b"\r\n")[0]
    assert b"run.lgs" not in reply
    assert_alive(server)


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 100 + b"\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET",
    ],
    ids=["NULs", "lines", "TLS", "half"],
)
def test_what_never_becomes_a_question(server, data):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        client.sendall(data)
        assert_alive(server)


# There are more connections than the server takes at once: some wait until others
# close.
def test_many_connections(server):
    with ExitStack() as stack:
        for i in range(100):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            stack.enter_context(client)
            client.sendall(b"GET / HTTP/1.1\r\nHost: local"[: i % 29])
        assert_alive(server)
    with ExitStack() as stack:
        for _ in range(200):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            stack.enter_context(client)
    assert_alive(server)


# Those that never finish their question have to go when others come.
def test_a_crowd_of_slow_clients(server):
    with ExitStack() as stack:
        clients = []
        for _ in range(400):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            stack.enter_context(client)
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            clients.append(client)
        assert_alive(server)
        assert clients[0].recv(1) == b""


def test_a_client_that_leaves(server):
    line = f"GET /{server.token}/ HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
            client.sendall(line * 3)
    assert_alive(server)


def test_questions_of_one_connection(server):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for page in ["", "page.js", "object?node=0", "table?of=types", "nothing"]:
        client.request("GET", f"/{server.token}/{page}")
        reply = client.getresponse()
        assert reply.status in ((404,) if page == "nothing" else (200, 202))
        assert len(reply.read()) == int(reply.getheader("Content-Length"))
    client.close()


def test_a_port_that_is_taken(server):
    done = subprocess.run(
        [COMMAND, "view", server.path, "--no-browser", "--port", str(server.port)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 4
    assert f"cannot listen on port {server.port} of 127.0.0.1" in done.stderr
    assert done.stderr.count("\n") == 1 and not done.stdout


def test_only_this_machine(server):
    try:
        known = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        pytest.skip("this machine does not know its own address")
    others = {address[4][0] for address in known}
    others = {address for address in others if not address.startswith("127.")}
    for address in others:
        with pytest.raises(OSError), socket.socket() as client:
            client.settimeout(5)
            client.connect((address, server.port))


def test_a_damaged_snapshot(server, tmp_path):
    path = tmp_path / "damaged.lgs"
    data = bytearray(server.path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    done = subprocess.run([COMMAND, "view", path], capture_output=True, text=True)
    assert done.returncode == 3
    assert "damaged.lgs" in done.stderr and not done.stdout


# The browser is a script that writes its arguments down.
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_browser(server, tmp_path, monkeypatch, number):
    seen = tmp_path / "seen"
    script = tmp_path / "xdg-open"
    script.write_text(f'#!/bin/sh\n{{ stat -c %a "$1"; cat "$1"; }} >{seen}\n')
    script.chmod(0o755)
    os.mkfifo(seen)
    process = subprocess.Popen(
        [COMMAND, "view", server.path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "XDG_RUNTIME_DIR": str(tmp_path),
            "DISPLAY": ":1",
        },
        # Under nohup, the tests ignore SIGHUP, and so would the server.
        preexec_fn=functools.partial(signal.signal, number, signal.SIG_DFL),
    )
    try:
        reported = seen.read_text()
        url = process.stdout.readline().strip()
        process.send_signal(number)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert reported.startswith("600\n") and f"url={url}" in reported
    assert not list(tmp_path.glob("leakgraph-*"))


def test_pages_beyond_the_last(server):
    text = get(server, "object?node=0&in=1000")[2]
    assert "Previous" in text and "1,001 to" not in text


def test_an_address_that_cannot_be_printed(server):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [COMMAND, "view", server.path, "--no-browser"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 4 and "cannot print the address" in done.stderr


# A tree opens level by level: 200 items in one row, then each for itself.
def test_trees(server):
    found = get(server, f"search?q=name:{__name__}.holder")[1]["Location"]
    page = get(server, found)[2]
    assert "What goes with it, by place" in page
    assert "what-if?cut=%23" in page and 'class="steps"' in page
    (items,) = re.findall(r'href="(tree\?node=\d+&amp;of=owned)">open', page)
    level = get(server, items.replace("&amp;", "&"))[2]
    (group,) = re.findall(r'href="(tree\?node=\d+&amp;of=owned&amp;like=\d+)"', level)
    assert "[*]" in level and "200 such as bytearray" in level
    level = get(server, group.replace("&amp;", "&"))[2]
    assert level.count('">bytearray') == 50 and "and 150 more" in level
    assert get(server, f"tree?node={items.split('=')[1].split('&')[0]}&of=x")[0] == 400


# Whoever sees no progress reads at once what is loaded, if that takes a while.
@pytest.mark.parametrize("objects", [500_000, 0])
def test_the_loading_of_many_objects(tmp_path, objects):
    path = tmp_path / "run.lgs"
    program = "import leakgraph, sys\nheld = [[] for _ in range(int(sys.argv[1]))]\n"
    program += "leakgraph.save_snapshot(sys.argv[2])"
    subprocess.run([sys.executable, "-c", program, str(objects), path], check=True)
    said = end(start(path)).splitlines()
    assert said.pop() == "leakgraph: Ctrl-C ends the server"
    loading = re.compile(r"leakgraph: loading 1 snapshot, 5\d\d,\d{3} objects")
    assert [bool(loading.fullmatch(line)) for line in said] == [True] * (objects > 0)


# An object has its path once: its steps are links, and read together as the path.
def test_the_path_of_an_object(server):
    found = get(server, f"search?q=name:{__name__}.holder")[1]["Location"]
    (path,) = re.findall(r'<dd class="path">(.*?)</dd>', get(server, found)[2], re.S)
    label = f"{__name__}.holder"
    assert path.startswith(f'<ol class="steps" data-path="{label}">')
    assert path.endswith("</ol>")
    cut = re.compile(r'<a class="cut" href="what-if\?cut=[^"]*"[^>]*>cut</a>')
    assert len(cut.findall(path)) == 1
    assert re.sub("<[^>]*>", "", cut.sub("", path)) == label
    links = re.findall(r'<a href="object\?node=\d+">([^<]*)</a>', path)
    assert links == [__name__, ".holder"]


class Session:
    """Has values that a snapshot keeps if you ask for previews."""

    def __init__(self):
        self.user = "<ann>"
        self.rate = 0.25
        self.token = b"ab"
        self.data = bytearray(2_000_000)


@pytest.mark.parametrize("previews", [True, False])
def test_values(tmp_path, previews):
    path = tmp_path / "run.lgs"
    sys.modules[__name__].sessions = {"first": Session()}
    leakgraph.save_snapshot(path, previews=previews)
    del sys.modules[__name__].sessions
    running = start(path)
    found = get(running, f"search?q=name:{__name__}.sessions")[1]["Location"]
    page = get(running, found)[2]
    one = re.search(r'<a href="(object\?node=\d+)">Session #', page)[1]
    values = (".user = '&lt;ann&gt;'", ".rate = 0.25", ".token = b'ab'")
    # In which order an instance has its attributes depends on the build.
    orders = "|".join(map(re.escape, map(", ".join, itertools.permutations(values))))
    shown = re.compile(f' <span class="values">({orders})</span>')
    fact = re.compile(f'<dt>values</dt><dd class="values">({orders})</dd>')
    assert bool(re.search(f"</a>{shown.pattern}", page)) == previews
    assert bool(fact.search(get(running, one)[2])) == previews
    end(running)
    leakgraph.load(path).report(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert bool(shown.search(report)) == previews


# The server sorts and filters all rows, of which the page shows some.
def test_tables_of_all_rows(server):
    page = get(server, "table?of=types&filter=bytearray&limit=5")[2]
    assert re.search(r"\d+ of [\d,]+ rows", page)
    assert "bytearray" in page and ">dict<" not in page
    page = get(server, "table?of=types&sort=objects&order=ascending&limit=3")[2]
    assert re.findall(r'data-v="(\d+)"', page)[0] == "1"
    assert get(server, "table?of=types&sort=nothing")[0] == 200
    assert get(server, "table?of=growth")[0] == 404


TRACED = """
import tracemalloc
tracemalloc.start()
import leakgraph
kept = [bytes(3_000_000), bytearray(3_000_000)]
kept.append(bytes(3_000_000))
leakgraph.save_snapshot("run.lgs", allocations=True)
"""


def test_a_sorted_or_filtered_table_leaves_out_no_little_rows(python):
    done = python("-c", TRACED)
    assert done.code == 0, done.err
    running = start(done.folder / "run.lgs")
    little = re.compile(r"\.\.\. and \d+ more lines: ")
    assert little.search(get(running, "table?of=allocations")[2])
    for arranged in ("sort=objects", "filter=string"):
        page = get(running, f"table?of=allocations&{arranged}")[2]
        assert re.search(r"\d+ of [\d,]+ rows", page)
        assert not little.search(page)
    end(running)


def test_several_snapshots(tmp_path):
    kept = []
    sys.modules[__name__].kept = kept
    for step in range(3):
        kept.extend(bytearray(100_000) for _ in range(10))
        leakgraph.save_snapshot(tmp_path / f"{step}.lgs")
    del sys.modules[__name__].kept
    paths = [str(tmp_path / f"{step}.lgs") for step in (2, 0, 1)]
    running = start(paths[0], *paths[1:])
    page = get(running, "")[2]
    assert "<title>2.lgs" in page and 'id="growth"' in page
    page = get(running, "table?of=growth")[2]
    assert f"{__name__}.kept" in page and "10 → 20 → 30" in page
    assert "settled" in get(running, "table?of=growth&settled=1")[2]
    for page in ("", "table?of=top", "search?q=kept", "object?node=9"):
        assert "sorted: number 2 is the oldest" in get(running, page)[2], page
    assert "left out: with min_bytes 0, you" in get(running, "table?of=cycles")[2]
    assert "sorted" in end(running)


# Shows what people see: the script fills in why an object is alive.
def test_in_chromium(server, tmp_path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("chromium is not installed: pages are not tested in a browser")
    found = get(server, f"search?q=name:{__name__}.holder")[1]["Location"]
    done = subprocess.run(
        [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path}",
            "--virtual-time-budget=20000",
            "--enable-logging=stderr",
            "--dump-dom",
            server.url + found,
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "GC root" in done.stdout
    assert '<button type="button">retained</button>' in done.stdout
    assert 'role="treegrid"' in done.stdout and 'aria-expanded="false"' in done.stdout
    assert 'aria-label="Copy the selector #' in done.stdout
    assert "Content Security Policy" not in done.stderr
