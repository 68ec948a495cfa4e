"""Tasks that somebody waits for, threads that somebody joins, readers in a variable."""

import asyncio
import threading

import leakgraph

running = set()
report = []


async def job(number, go):
    block = bytearray(10_000 + number)
    await go.wait()
    return len(block)


async def main():
    go = asyncio.Event()
    for number in range(20):
        task = asyncio.create_task(job(number, go))
        running.add(task)
        task.add_done_callback(running.discard)
    together = asyncio.gather(*[job(number, go) for number in range(20)])
    sleeping = [asyncio.create_task(asyncio.sleep(9, bytes(9000))) for _ in range(20)]
    await asyncio.sleep(0.01)
    report.append(leakgraph.findings())
    go.set()
    for task in sleeping:
        task.cancel()
    await together


def read():
    blocks = [iter([bytearray(10_000)]) for _ in range(20)]
    readers = [(block for block in part) for part in blocks]
    firsts = [next(reader) for reader in readers]
    return leakgraph.findings(), firsts


done = threading.Event()
workers = [threading.Thread(target=done.wait) for _ in range(20)]
for worker in workers:
    worker.start()
asyncio.run(main())
report.append(read()[0])
done.set()
assert str(report[0]) == str(report[1])
print(report[0])
