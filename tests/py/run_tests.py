"""Run the Python tests, or report what is missing: python run_tests.py FOLDER."""

import sys


def main(folder):
    try:
        import pytest
    except ImportError:
        return (
            f"{sys.executable} has no pytest: install it (pip install pytest), or"
            " configure with -DLEAKGRAPH_PYTEST=OFF to do without the Python tests"
        )
    return pytest.main(["-q", "-m", "not libraries", folder])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
