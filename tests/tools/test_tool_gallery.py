import http.server
import threading

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


def test_a_page_that_is_being_made_is_waited_for():
    replies = [(202, b"being made"), (202, b"being made"), (200, b"the page")]

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, text = replies.pop(0)
            self.send_response(status)
            self.send_header("Refresh", "0")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *words):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        assert gallery.fetch(address) == b"the page"
        server.shutdown()
    assert replies == []
