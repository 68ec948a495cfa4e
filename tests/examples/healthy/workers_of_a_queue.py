"""Workers that wait for their queue, tasks that sleep, and readers being read, each
known in two containers."""

import asyncio

import leakgraph

workers, by_name, sleeping, alarms = [], {}, set(), {}
report = []


async def work(queue):
    block = bytearray(10_000)
    while await queue.get():
        block[0] += 1


async def rest(number):
    block = bytearray(10_000)
    await asyncio.sleep(9)
    return block


async def main():
    queue = asyncio.Queue()
    for number in range(20):
        task = asyncio.ensure_future(work(queue))
        workers.append(task)
        by_name[f"worker {number}"] = task
        alarm = asyncio.ensure_future(rest(number))
        sleeping.add(alarm)
        alarms[number] = alarm
    await asyncio.sleep(0.01)
    report.append(leakgraph.findings())
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    for known in (workers, by_name, sleeping, alarms):
        known.clear()


def read():
    blocks = [iter([bytearray(10_000)]) for _ in range(20)]
    readers = [(block for block in part) for part in blocks]
    by_number = dict(enumerate(readers))
    firsts = [next(reader) for reader in readers]
    return leakgraph.findings(), firsts, by_number


asyncio.run(main())
report.append(read()[0])
assert str(report[0]) == str(report[1])
print(report[0])
