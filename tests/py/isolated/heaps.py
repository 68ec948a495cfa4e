"""Code that makes heaps of real libraries, with some user data in each."""

__all__ = ["HEAPS"]

HEAPS = {
    "stdlib": """
import asyncio, argparse, decimal, email.message, http.client, logging, unittest
class Job:
    def __init__(self, number):
        self.payload = bytearray(20_000 + number)
        self.twin = [self.payload]
jobs = {f"job {i}": Job(i) for i in range(200)}
tables = {name: [bytearray(500_000)] for name in "abcdefgh"}
def work(batch):
    yield batch
waiting = work([bytearray(30_000)])
next(waiting)
ring = [Job(1), Job(2)]
ring[0].other, ring[1].other = ring[1], ring[0]
""",
    "torch": """
import torch
model = torch.nn.Sequential(*(torch.nn.Linear(900, 900) for _ in range(8)))
losses = [model(torch.ones(4, 900)).sum() for _ in range(5)]
""",
    "matplotlib": """
import matplotlib
matplotlib.use("agg")
from matplotlib import pyplot
for _ in range(3):
    pyplot.subplots()[0].canvas.draw()
""",
}
