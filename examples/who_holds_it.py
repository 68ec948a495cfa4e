"""Who holds this object? Two methods to find a forgotten cache."""

import functools

import leakgraph


class Document:
    """Something big."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pages = ["text"] * 1000


@functools.cache
def load(name: str) -> Document:
    """Read a document; the cache keeps every one of them."""
    return Document(name)


for number in range(20):
    load(f"chapter-{number}")

snapshot = leakgraph.snapshot()
documents = snapshot.select("type:__main__.Document")
print(f"{len(documents)} documents are alive\n")

print(snapshot.show_path(documents[0]))
print(snapshot.show_backrefs(documents[0], max_depth=2))
snapshot.show_backrefs(documents[0], "holders.svg")
