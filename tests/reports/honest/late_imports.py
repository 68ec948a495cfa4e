"""The first calls import what later ones need."""

import importlib

import program

NAMES = (
    "csv",
    "sqlite3",
    "html.parser",
    "xml.dom.minidom",
    "decimal",
    "fractions",
    "uuid",
)


def work(number):
    importlib.import_module(NAMES[min(number - 1000, len(NAMES) - 1)])


if __name__ == "__main__":
    program.run(work, lambda: None)
