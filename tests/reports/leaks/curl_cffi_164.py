"""A client lists the handle of each timer, and never drops those that have fired.

https://github.com/lexiforest/curl_cffi/issues/164
"""

import asyncio

import program

HOLDERS = ("__main__.client._timers[*]",)


class Client:
    def __init__(self):
        self._timers = []

    async def get(self, number):
        loop = asyncio.get_running_loop()
        headers = {"x-request-id": "r" * 900 + str(number)}
        timer = loop.call_later(0, str, headers)
        self._timers.append(timer)
        await asyncio.sleep(0.001)
        if program.FIXED:
            self._timers.remove(timer)


client = Client()
loop = asyncio.new_event_loop()


def work(number):
    loop.run_until_complete(client.get(number))


if __name__ == "__main__":
    program.run(work, client._timers.clear)
