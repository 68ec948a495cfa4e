"""A metric keeps the predictions of each batch, and is never reset.

https://github.com/NRCan/geo-deep-learning/issues/582
"""

import program
import torch

HOLDERS = ("__main__.task.iou.preds[*]",)
NATIVE = True


class Metric(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.preds = []

    def update(self, preds):
        self.preds.append(preds.detach())


class Task(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.iou = Metric()
        self.net = torch.nn.Linear(64, 64)


task = Task()


def work(number):
    with torch.no_grad():
        task.iou.update(task.net(torch.randn(64, 64)))
    if program.FIXED:
        task.iou.preds.clear()


if __name__ == "__main__":
    program.run(work, task.iou.preds.clear)
