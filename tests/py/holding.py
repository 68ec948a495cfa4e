"""A module that holds something, as people write them."""


class Trainer:
    """Keeps its losses."""

    def __init__(self):
        self.losses = [object() for _ in range(3)]
        self.options = {"lr": 0.1, "name": "adam"}


trainer = Trainer()

#: A str that reads like a selector.
selector = "".join(["type:", "list"])
