"""A threading server keeps each thread that has handled a request.

https://github.com/python/cpython/issues/81374
"""

import threading

import program

HOLDERS = ("__main__.server._threads[*]",)


class Server:
    def __init__(self):
        self._threads = []

    def process_request(self, number):
        thread = threading.Thread(target=len, args=("r" * 3000,))
        thread.request = bytearray(3000)
        thread.start()
        thread.join()
        if not program.FIXED:
            self._threads.append(thread)


server = Server()


def work(number):
    server.process_request(number)


if __name__ == "__main__":
    program.run(work, server._threads.clear)
