// A snapshot does not say which file a class is from, so names must tell.
#include "graph/graph_private.h"

#include <string.h>

static const char *const packages[] = {
    "IPython",     "_asyncio",     "_frozen_importlib",
    "abc",         "argparse",     "asyncio",
    "collections", "concurrent",   "contextlib",
    "contextvars", "copy",         "ctypes",
    "cupy",        "dataclasses",  "email",
    "enum",        "functools",    "http",
    "importlib",   "inspect",      "io",
    "ipykernel",   "itertools",    "jax",
    "jaxlib",      "json",         "logging",
    "matplotlib",  "mpl_toolkits", "multiprocessing",
    "numba",       "numpy",        "os",
    "pandas",      "pathlib",      "queue",
    "random",      "re",           "scipy",
    "sklearn",     "socket",       "sqlite3",
    "string",      "subprocess",   "tempfile",
    "tensorflow",  "threading",    "torch",
    "traceback",   "types",        "typing",
    "unittest",    "urllib",       "weakref",
    "xml",         "zipfile",      "zoneinfo",
};

bool
lg__type_is_familiar(const lg_graph *graph, uint32_t type)
{
    lg_string name = lg_graph_type(graph, type).name;
    const char *dot = name.length ? memchr(name.data, '.', name.length) : NULL;
    if (dot == NULL)
        return true;
    lg_string package = {name.data, (uint32_t)(dot - name.data)};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (lg__string_is(package, packages[i]))
            return true;
    return false;
}
