"""A scheduler keeps the future of each job that has ended, with its result."""

from concurrent.futures import ThreadPoolExecutor

import program

HOLDERS = ("__main__.scheduler.jobs[*]",)


class Scheduler:
    def __init__(self):
        self.pool = ThreadPoolExecutor(1)
        self.jobs = {}

    def submit(self, number):
        job = self.pool.submit(bytearray, 3000)
        job.result()
        if not program.FIXED:
            self.jobs[number] = job


scheduler = Scheduler()


def work(number):
    scheduler.submit(number)


if __name__ == "__main__":
    program.run(work, scheduler.jobs.clear)
