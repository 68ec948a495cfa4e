"""A pool of eight threads parses documents of changing sizes, and keeps none."""

import json
import random
from concurrent.futures import ThreadPoolExecutor

import program

pool = ThreadPoolExecutor(8)


def request(number):
    chosen = random.Random(number)
    rows = [{"id": row, "v": "x" * chosen.randint(10, 600)} for row in range(200)]
    return len(json.loads(json.dumps(rows)))


def work(number):
    list(pool.map(request, range(number * 8, number * 8 + 8)))


if __name__ == "__main__":
    program.run(work, lambda: None)
