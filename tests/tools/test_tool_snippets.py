import types

import pytest
import snippets


def run(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    return snippets.run_document(page)


@pytest.fixture(autouse=True)
def own_main(monkeypatch):
    monkeypatch.setitem(snippets.sys.modules, "__main__", types.ModuleType("x"))


def test_blocks_run_in_order_and_share_what_they_make(tmp_path, monkeypatch):
    text = """
<!-- first: start = 40 -->
```python
import __main__
total = __main__.start + 2
open("total", "w").write(str(total))
```
```sh
test "$(cat total)" = 42
```
```console
$ cp total copied
what it said
```
```python
assert open("copied").read() == "42"
```
```text
this is not run
```
"""
    assert run(tmp_path, monkeypatch, text) == 5


def test_a_block_may_be_left_out_with_a_reason(tmp_path, monkeypatch):
    text = "<!-- not run: it needs root -->\n```sh\nfalse\n```\n```sh\ntrue\n```\n"
    assert run(tmp_path, monkeypatch, text) == 1


@pytest.mark.parametrize(
    "block",
    [
        "```python\nassert False\n```",
        "```sh\nfalse\ntrue\n```",
        "```sh\nfalse | true\n```",
        "```console\n$ false\n```",
        "```c\nint main(void) { return undeclared; }\n```",
        "```perl\n1\n```",
        "```\nno language\n```",
        "<!-- not run: reason -->\nwords between\n```sh\nfalse\n```",
    ],
)
def test_a_block_that_fails_is_told(tmp_path, monkeypatch, block):
    with pytest.raises(snippets.SnippetError):
        run(tmp_path, monkeypatch, f"text\n{block}\n")


def test_the_place_is_told(tmp_path, monkeypatch):
    with pytest.raises(snippets.SnippetError, match=r"page\.md:4: .*lost"):
        run(tmp_path, monkeypatch, "a\n\n```python\nraise ValueError('lost')\n```\n")
