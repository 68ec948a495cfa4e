import types

import site_hooks


def turned(page, markdown):
    fake = types.SimpleNamespace(file=types.SimpleNamespace(src_uri=page))
    return site_hooks.on_page_markdown(markdown, page=fake, config=None, files=None)


def test_links_from_the_top_of_the_project_lead_to_pages():
    text = "![a](docs/why.svg) [b](docs/python.md#errors) [c](LICENSE)"
    assert (
        turned("index.md", text)
        == "![a](why.svg) [b](python.md#errors) [c](license.md)"
    )


def test_links_from_the_documents_lead_to_pages():
    text = "[a](../README.md) [b](arm.md) [c](https://example.org/x) [d](#here)"
    assert (
        turned("python.md", text)
        == "[a](index.md) [b](arm.md) [c](https://example.org/x) [d](#here)"
    )


def test_what_is_no_link_to_a_file_of_the_project_stays():
    assert turned("arm.md", "calls[0](batch)") == "calls[0](batch)"


def test_short_code_stays_on_one_line():
    html = "<code>loss-history</code> <code>cycles(holding=None, kind=None)</code>"
    assert (
        site_hooks.on_page_content(html, page=None, config=None, files=None)
        == '<code class="short">loss-history</code> '
        "<code>cycles(holding=None, kind=None)</code>"
    )
