"""Each step registers a forward hook, and never removes it.

https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook
"""

import program
import torch

HOLDERS = ("__main__.net._forward_hooks[*]",)
NATIVE = True

net = torch.nn.Linear(8, 8)


class Probe:
    def __init__(self):
        self.seen = torch.zeros(2000)

    def __call__(self, module, inputs, output):
        self.seen[0] = 1


def work(number):
    handle = net.register_forward_hook(Probe())
    if program.FIXED:
        handle.remove()


if __name__ == "__main__":
    program.run(work, net._forward_hooks.clear)
