"""`python -m leakgraph run SCRIPT`, or any verb of the bundled command."""

import sys

from leakgraph import run

if __name__ == "__main__":
    run.main(sys.argv[1:])
