"""Handlers that a program means to keep: few objects, and methods of one object."""

import leakgraph


class Plugin:
    def __init__(self):
        self.table = bytearray(50_000)

    def run(self):
        pass


class App:
    def __init__(self):
        self.state = bytearray(100_000)
        self.routes = {}
        for number in range(30):
            self.routes[f"/{number}"] = lambda: self.state[0]
            self.routes[f"/{number}/"] = self.serve

    def serve(self):
        pass


app = App()
plugins = [Plugin().run for _ in range(8)]
print(leakgraph.findings())
