"""The process of warm.py: imports modules, and runs scripts in its children.

    warm_process.py forks|becomes MODULE...

Told to become a script, it runs the first one itself, and says that it begins. It
imports little else, because all snapshots of the scripts have that. If a script
succeeds, its process ends without freeing every object.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import threading


def become(script, arguments, folder, *outputs):
    """Become a process that runs the script."""
    signal.alarm(600)  # ends a script that hangs
    os.chdir(folder)
    for descriptor, name in enumerate([os.devnull, *outputs]):
        opened = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(script)
    runpy.run_path(script, run_name="__main__")
    end()


def end():
    """End this process as the interpreter does, but leave its objects to the kernel."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def main(way, *modules):
    # What imports make stays: to look through it again and again would be in vain.
    gc.disable()
    for name in modules:
        importlib.import_module(name)
    gc.enable()
    gc.collect()
    for line in sys.stdin:
        child = 0
        if way == "forks":
            child = os.fork()
        else:
            print("begins", flush=True)
        if child == 0:
            become(*json.loads(line))
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    end()


if __name__ == "__main__":
    main(*sys.argv[1:])
