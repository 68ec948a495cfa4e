// Recognises common libraries by name, because a snapshot does not say which
// file a class or a function is from.
#include "graph/graph_private.h"

#include <string.h>

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
// It begins between low and high.
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
