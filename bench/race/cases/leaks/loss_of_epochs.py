"""Predictions of the validation of each epoch wait for an end that never comes."""

import program
import torch

HOLDERS = ("__main__.module.validation_step_outputs[*]",)
NATIVE = True


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(32, 32)
        self.validation_step_outputs = []

    def validation_step(self):
        with torch.no_grad():
            return self.layer(torch.zeros(64, 32))


module = Module()


def work(number):
    output = module.validation_step()
    module.validation_step_outputs.append(output)
    if program.FIXED:
        module.validation_step_outputs.clear()


if __name__ == "__main__":
    program.run(work, module.validation_step_outputs.clear)
