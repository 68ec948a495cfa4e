import gallery
import pytest


def test_a_terminal_in_colour(monkeypatch):
    def ask(*words, **env):
        assert words == ("--color", "always", "top", "a<b.lgs")
        assert env == {"COLUMNS": "92"}
        return "\x1b[1m3 B\x1b[0m  \x1b[36mx['<i>']\x1b[0m\n  \x1b[33m~~\x1b[0m\n"

    monkeypatch.setattr(gallery, "ask", ask)
    assert gallery.terminal("top", "a<b.lgs") == (
        "<pre><b>$ leakgraph top a&lt;b.lgs</b>\n\n"
        '<span style="font-weight:bold">3 B</span>  '
        "<span style=\"color:#0a7a83\">x['&lt;i&gt;']</span>\n"
        '  <span style="color:#b35900">~~</span>\n</pre>\n'
    )


def test_an_unknown_colour_is_no_silence(monkeypatch):
    monkeypatch.setattr(gallery, "ask", lambda *words, **env: "\x1b[35mx\x1b[0m")
    with pytest.raises(KeyError):
        gallery.terminal("top", "a.lgs")
