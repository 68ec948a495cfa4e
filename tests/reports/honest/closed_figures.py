"""Each plot is drawn, and its figure closed."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import program


def work(number):
    figure, axes = plt.subplots(figsize=(1, 1))
    axes.plot([1, 2, number])
    figure.canvas.draw()
    plt.close(figure)


if __name__ == "__main__":
    program.run(work, lambda: plt.close("all"))
