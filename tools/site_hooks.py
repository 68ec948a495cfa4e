"""Adds pages to MkDocs that are not in docs/.

mkdocs.yml names this file as a hook. It adds README.md and its neighbours, the C
reference from tools/apidoc.py and the gallery from tools/gallery.py, and adapts links
between pages.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "THIRD_PARTY.md": "third-party.md",
    "LICENSE": "license.md",
    "build/docs/c-api.md": "c-reference.md",
    "build/docs/gallery.md": "gallery.md",
}
SHORT_CODE = re.compile(r"<code>(?=[^<]{1,24}</code>)")
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=(?:#[^)\s]*)?\))")


def source_of(page: str) -> PurePosixPath:
    """Return the project's file behind a page."""
    sources = {made: source for source, made in PAGES.items()}
    return PurePosixPath(sources.get(page, f"docs/{page}"))


def page_of(source: PurePosixPath, link: str) -> str:
    """Return the site's link for a link in a file of the project."""
    parts: list[str] = []
    for part in (source.parent / link).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    path = "/".join(parts)
    if path in PAGES:
        return PAGES[path]
    return path[len("docs/") :] if path.startswith("docs/") else link


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    from mkdocs.structure.files import File

    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if not source.endswith(".md"):
            text = f"# License\n\n```text\n{text}```\n"
        files.append(File.generated(config, page, content=text))
    made = ROOT / "build" / "docs"
    for path in sorted((made / "gallery").rglob("*.*")):
        name = path.relative_to(made).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(
    markdown: str, *, page: Page, config: MkDocsConfig, files: Files
) -> str:
    """Adapt links so that they lead to pages of the site."""
    source = source_of(page.file.src_uri)
    return LINK.sub(lambda match: page_of(source, match[1]), markdown)


def on_page_content(
    html: str, *, page: Page, config: MkDocsConfig, files: Files
) -> str:
    """Mark short code, which site.css keeps on one line."""
    return SHORT_CODE.sub('<code class="short">', html)
