"""Plots are saved, and their figures never closed.

https://github.com/virajbdeshpande/AmpliconArchitect/issues/64
"""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import program

HOLDERS = ("matplotlib._pylab_helpers.Gcf.figs[*]",)
FINDINGS = ("open-figures",)
NATIVE = True

plt.rcParams["figure.max_open_warning"] = 0


def work(number):
    plt.figure(figsize=(1, 1))
    if program.FIXED:
        plt.close()


if __name__ == "__main__":
    program.run(work, lambda: plt.close("all"))
