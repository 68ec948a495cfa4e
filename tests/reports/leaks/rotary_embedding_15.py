"""A layer registers a buffer for each length of a sequence that it has seen.

https://github.com/lucidrains/rotary-embedding-torch/issues/15
"""

import program
import torch

HOLDERS = ("__main__.rotary._buffers[*]",)
NATIVE = True


class Rotary(torch.nn.Module):
    def forward(self, length):
        name = f"freqs_{0 if program.FIXED else length}"
        if not hasattr(self, name):
            freqs = torch.outer(torch.arange(256.0), torch.ones(8) / (1 + length))
            self.register_buffer(name, freqs, persistent=False)
        return getattr(self, name)


rotary = Rotary()


def work(number):
    rotary(number)


if __name__ == "__main__":
    program.run(work, rotary._buffers.clear)
