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
    "training": """
import copy, torch
model = torch.nn.Sequential(torch.nn.Linear(200, 200), torch.nn.BatchNorm1d(200),
                            torch.nn.Dropout(), torch.nn.Linear(200, 10))
seen = []
model[0].register_forward_hook(lambda module, given, made: seen.append(made))
optimizer = torch.optim.Adam(model.parameters())
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
history, best = [], None
for epoch in range(5):
    optimizer.zero_grad()
    loss = model(torch.ones(8, 200)).square().mean()
    loss.backward(retain_graph=True)
    optimizer.step()
    schedule.step()
    history.append({"epoch": epoch, "loss": loss})
    best = copy.deepcopy(model.state_dict())
weights = torch.ones(50, requires_grad=True)
torch.autograd.grad(weights.square().sum(), weights, create_graph=True)
""",
    "figures": """
import matplotlib
matplotlib.use("agg")
from matplotlib import animation, pyplot
import numpy
shown, lines, clicks = [], {}, []
for number in range(4):
    figure, axes = pyplot.subplots(2, 2)
    data = numpy.arange(20_000.0)
    lines[number] = axes[0, 0].plot(data, data)[0]
    axes[0, 1].imshow(data.reshape(100, 200))
    figure.canvas.mpl_connect("button_press_event", lambda event: clicks.append(axes))
    figure.canvas.draw()
    if number % 2:
        pyplot.close(figure)
    shown.append(figure.canvas)
moving = animation.FuncAnimation(figure, lambda frame: [lines[3]], frames=3)
moving._init_draw()
""",
    "service": """
import asyncio, collections, contextvars, functools, threading, weakref
class Session:
    def __init__(self, number):
        self.buffer, self.listeners = bytearray(5_000 + number), [self.closed]
    def closed(self):
        pass
    @functools.lru_cache(maxsize=64)
    def page(self, number):
        return bytes(2_000 + number)
current, known = contextvars.ContextVar("current"), weakref.WeakValueDictionary()
queue, recent = collections.deque(), collections.deque(maxlen=10)
async def serve(number, event):
    session = known[number] = Session(number)
    current.set(session)
    session.page(number)
    recent.append(session)
    try:
        await event.wait()
    finally:
        queue.append(session)
async def start():
    event = asyncio.Event()
    waiting = [asyncio.ensure_future(serve(number, event)) for number in range(40)]
    await asyncio.sleep(0)
    return event, waiting, asyncio.get_running_loop().create_future()
loop = asyncio.new_event_loop()
event, waiting, result = loop.run_until_complete(start())
result.add_done_callback(functools.partial(print, [Session(1)]))
def poll(jobs, stop):
    batch = [bytearray(10_000) for _ in range(3)]
    stop.wait()
stop = threading.Event()
worker = threading.Thread(target=poll, args=([Session(2)], stop), daemon=True)
worker.start()
try:
    raise ValueError(Session(3))
except ValueError as error:
    failed = error
""",
}
