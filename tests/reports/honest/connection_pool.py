"""A pool opens ten connections as they are needed, and uses these from then on."""

import sqlite3

import program

free = []
opened = 0


def work(number):
    global opened
    taken = []
    for _ in range(1 + number % 10):
        if free:
            taken.append(free.pop())
        else:
            opened += 1
            taken.append(sqlite3.connect(":memory:"))
    assert all(connection.total_changes == 0 for connection in taken)
    free.extend(taken)


if __name__ == "__main__":
    program.run(work, free.clear)
