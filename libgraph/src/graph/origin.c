// Tells whether an object is the program's or a library's.
#include "graph/graph_private.h"

#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/hops.h>

#include <string.h>

// Recognises common libraries by name, because a snapshot does not say which
// file a class or a function is from.

// The standard library, in ascending order of bytes.
static const char standard[] =
    "_abc _ast _asyncio _bz2 _collections _collections_abc _contextvars "
    "_csv _ctypes _curses _datetime _decimal _elementtree _frozen_importlib "
    "_frozen_importlib_external _functools _hashlib _interpreters _io _json "
    "_lzma _operator _pickle _queue _random _socket _sqlite3 _sre _ssl "
    "_struct _thread _threading_local _typing _warnings _weakrefset _winapi "
    "abc aifc argparse array ast asynchat asyncio asyncore atexit audioop "
    "base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi "
    "cgitb chunk cmath cmd code codecs codeop collections colorsys "
    "compileall concurrent configparser contextlib contextvars copy copyreg "
    "crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis "
    "distutils doctest email encodings ensurepip enum errno faulthandler "
    "fcntl filecmp fileinput fnmatch fractions ftplib functools gc "
    "genericpath getopt getpass gettext glob graphlib grp gzip hashlib "
    "heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress "
    "itertools json keyword linecache locale logging lzma mailbox mailcap "
    "marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing "
    "netrc nis nntplib nt ntpath numbers opcode operator optparse os "
    "ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform "
    "plistlib poplib posix posixpath pprint profile pstats pty pwd "
    "py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re "
    "readline reprlib resource rlcompleter runpy sched secrets select "
    "selectors shelve shlex shutil signal smtpd smtplib sndhdr socket "
    "socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat "
    "statistics string stringprep struct subprocess sunau symtable sys "
    "sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap "
    "threading time timeit tkinter token tokenize tomllib trace traceback "
    "tracemalloc tty turtle types typing unicodedata unittest urllib uu "
    "uuid venv warnings wave weakref webbrowser winreg winsound wsgiref "
    "xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

// Packages that many programs import, in the same order.
static const char common[] =
    "IPython PIL _distutils_hack _pytest absl accelerate aiohttp anyio "
    "apscheduler attr attrs bokeh boto3 botocore bs4 celery certifi cffi "
    "charset_normalizer click cloudpickle cupy cycler cython_runtime dash "
    "dask datasets dateutil debugpy decorator distributed django dns einops "
    "executing fastapi filelock flask flax fontTools fsspec functorch "
    "gevent google greenlet grpc gunicorn h5py httpcore httpx "
    "huggingface_hub hypothesis idna igraph ipykernel ipywidgets jax jaxlib "
    "jedi jinja2 joblib jsonschema jupyter_client jupyter_core keras "
    "kiwisolver leakgraph lightning llvmlite lxml lz4 markupsafe matplotlib "
    "matplotlib_inline mpl_toolkits mpmath msgpack multidict mypy nbclient "
    "nbformat nest_asyncio networkx nltk numba numpy opentelemetry optax "
    "orjson packaging pandas parso pexpect pip pkg_resources platformdirs "
    "plotly pluggy polars prompt_toolkit psutil psycopg2 pyarrow pyasn1 "
    "pybind11_builtins pycparser pydantic pydantic_core pygments pymysql "
    "pyparsing pytest pytorch_lightning pytz ray redis regex requests rich "
    "ruff s3fs safetensors scipy seaborn sentry_sdk setuptools simplejson "
    "six skimage sklearn sniffio soupsieve spacy sqlalchemy stack_data "
    "starlette statsmodels sympy tensorboard tensorflow tokenizers toolz "
    "torch torchaudio torchgen torchmetrics torchvision tornado tqdm "
    "traitlets transformers trio triton typer typing_extensions tzdata "
    "tzlocal urllib3 uvicorn uvloop vllm wandb wcwidth werkzeug wrapt "
    "xarray yaml yarl zmq zstandard ";

lg_string
lg__package_of(lg_string name)
{
    const char *dot = name.length ? memchr(name.data, '.', name.length) : NULL;
    return (lg_string){name.data,
                       dot != NULL ? (uint32_t)(dot - name.data) : 0};
}

// Compares a name with the one in the list that begins there.
static int
compare_at(lg_string name, const char *names, size_t at)
{
    size_t length = strcspn(names + at, " ");
    return lg__string_compare(name, (lg_string){names + at, (uint32_t)length});
}

// Returns whether a list, whose names ascend in order of bytes, has the name.
// It begins between low and high. The middle moves back to the beginning of its
// name, and each step leaves out at least that name, so the search ends.
static bool
has(const char *names, size_t length, lg_string name)
{
    size_t low = 0;
    size_t high = length;
    while (name.length > 0 && low < high) {
        size_t at = low + (high - low) / 2;
        while (at > low && names[at - 1] != ' ')
            at--;
        int order = compare_at(name, names, at);
        if (order == 0)
            return true;
        if (order < 0)
            high = at;
        else
            low = at + strcspn(names + at, " ") + 1;
    }
    return false;
}

bool
lg__package_is_standard(lg_string package)
{
    return has(standard, sizeof standard - 1, package);
}

bool
lg__package_is_well_known(lg_string package)
{
    return lg__package_is_standard(package) ||
           has(common, sizeof common - 1, package);
}

bool
lg__type_is_well_known(const lg_graph *graph, uint32_t type)
{
    lg_string package = lg__package_of(lg_graph_type(graph, type).name);
    return package.length == 0 || lg__package_is_well_known(package);
}

static lg__origin
origin_of(lg_string name, lg_string *package)
{
    *package = lg__package_of(name);
    if (package->length == 0)
        return LG__ORIGIN_ANYBODY;
    return lg__package_is_well_known(*package) ? LG__ORIGIN_LIBRARY
                                               : LG__ORIGIN_PROGRAM;
}

// Returns the function that a frame runs, or the module whose code it runs;
// LG_NONE if the frame does not say.
static uint32_t
code_of(const lg_graph *graph, uint32_t frame)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        unsigned kind = lg__edge_kind(graph, edge);
        if (kind == LG_EDGE_ATTRIBUTE &&
            lg__node_role(graph, target) == LG__ROLE_FUNCTION &&
            lg__package_of(lg_node_text(graph, target)).length > 0)
            return target;
        if (kind == LG_EDGE_GLOBALS &&
            lg_node_folded_into(graph, target) != LG_NONE)
            return lg_node_folded_into(graph, target);
    }
    return LG_NONE;
}

static lg__origin
origin_of_frame(const lg_graph *graph, uint32_t frame, lg_string *package)
{
    uint32_t code = code_of(graph, frame);
    if (code == LG_NONE)
        return lg__node_role(graph, frame) == LG__ROLE_SUSPENDED
                   ? LG__ORIGIN_PROGRAM
                   : LG__ORIGIN_ANYBODY;
    lg_string name = lg_node_text(graph, code);
    *package = lg__package_of(name);
    if (package->length == 0)
        *package = name;
    return lg__package_is_well_known(*package) ? LG__ORIGIN_LIBRARY
                                               : LG__ORIGIN_PROGRAM;
}

lg__origin
lg__node_origin(const lg_graph *graph, uint32_t node, lg_string *package)
{
    lg_string ignored;
    package = package != NULL ? package : &ignored;
    *package = (lg_string){"", 0};
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_TENSOR:
    case LG_CATEGORY_ARRAY:
        return LG__ORIGIN_PROGRAM;
    case LG_CATEGORY_CONTAINER:
        return LG__ORIGIN_ANYBODY;
    case LG_CATEGORY_FUNCTION:
        if (lg__node_role(graph, node) != LG__ROLE_FUNCTION)
            return LG__ORIGIN_ANYBODY;
        return origin_of(lg_node_text(graph, node), package);
    case LG_CATEGORY_TYPE:
        return origin_of(lg_node_text(graph, node), package);
    case LG_CATEGORY_FRAME:
        return origin_of_frame(graph, node, package);
    default:
        break;
    }
    uint32_t type = lg_columns_type(&graph->columns, node);
    lg__origin origin = origin_of(lg_graph_type(graph, type).name, package);
    // Programs put modules together, even those of libraries, so a
    // torch.nn.Module is the program's.
    if (origin == LG__ORIGIN_LIBRARY &&
        lg__node_is_a(graph, node, LG__TORCH_MODULE))
        return LG__ORIGIN_PROGRAM;
    return origin;
}

bool
lg__module_is_library(const lg_graph *graph, uint32_t module)
{
    lg_string name = lg_node_text(graph, module);
    lg_string origin = lg_node_fact_text(graph, module, "origin");
    lg_string package = lg__package_of(name);
    if (package.length == 0)
        package = name;
    if (lg__string_is(name, "__main__") || lg__string_is(name, "__mp_main__"))
        return false;
    if (origin.length > 0 && !lg__string_is(package, "leakgraph"))
        return lg__string_is(origin, "library");
    // A module of the interpreter has no file. Nor does one that a program
    // made.
    return lg__package_is_well_known(package) ||
           (name.length > 0 && name.data[0] == '_');
}
