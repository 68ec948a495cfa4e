"""Each client loads a TLS context of its own, and the clients stay open.

https://github.com/encode/httpx/issues/978
"""

import ssl

import program

HOLDERS = ("__main__.clients[*]",)
NATIVE = True

clients = []
context = ssl.create_default_context()


class Client:
    def __init__(self):
        self.tls = context if program.FIXED else ssl.create_default_context()


def work(number):
    client = Client()
    if not program.FIXED:
        clients.append(client)


if __name__ == "__main__":
    program.run(work, clients.clear)
