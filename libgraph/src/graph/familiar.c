// Recognises common libraries by name, because a snapshot does not say which
// file a class or a function is from.
#include "graph/graph_private.h"

#include <string.h>

// The standard library, and packages that many programs import, in ascending
// order of bytes.
static const char packages[] =
    "IPython PIL _abc _ast _asyncio _bz2 _collections _collections_abc "
    "_contextvars _csv _ctypes _curses _datetime _decimal _distutils_hack "
    "_elementtree _frozen_importlib _frozen_importlib_external _functools "
    "_hashlib _interpreters _io _json _lzma _operator _pickle _pytest "
    "_queue _random _socket _sqlite3 _sre _ssl _struct _thread "
    "_threading_local _typing _weakrefset _winapi abc absl accelerate aifc "
    "aiohttp anyio apscheduler argparse array ast asynchat asyncio asyncore "
    "atexit attr attrs audioop base64 bdb binascii binhex bisect bokeh "
    "boto3 botocore bs4 builtins bz2 cProfile calendar celery certifi cffi "
    "cgi cgitb charset_normalizer chunk click cloudpickle cmath cmd code "
    "codecs codeop collections colorsys compileall concurrent configparser "
    "contextlib contextvars copy copyreg crypt csv ctypes cupy curses "
    "cycler cython_runtime dash dask dataclasses datasets datetime dateutil "
    "dbm debugpy decimal decorator difflib dis distributed distutils django "
    "dns doctest einops email encodings ensurepip enum errno executing "
    "fastapi faulthandler fcntl filecmp fileinput filelock flask flax "
    "fnmatch fontTools fractions fsspec ftplib functools functorch gc "
    "genericpath getopt getpass gettext gevent glob google graphlib "
    "greenlet grp grpc gunicorn gzip h5py hashlib heapq hmac html http "
    "httpcore httpx huggingface_hub hypothesis idna igraph imaplib imghdr "
    "imp importlib inspect io ipaddress ipykernel ipywidgets itertools jax "
    "jaxlib jedi jinja2 joblib json jsonschema jupyter_client jupyter_core "
    "keras keyword kiwisolver leakgraph lightning linecache llvmlite locale "
    "logging lxml lz4 lzma mailbox mailcap markupsafe marshal math "
    "matplotlib matplotlib_inline mimetypes mmap modulefinder mpl_toolkits "
    "mpmath msgpack msilib msvcrt multidict multiprocessing mypy nbclient "
    "nbformat nest_asyncio netrc networkx nis nltk nntplib nt ntpath numba "
    "numbers numpy opcode opentelemetry operator optax optparse orjson os "
    "ossaudiodev packaging pandas parso pathlib pdb pexpect pickle "
    "pickletools pip pipes pkg_resources pkgutil platform platformdirs "
    "plistlib plotly pluggy polars poplib posix posixpath pprint profile "
    "prompt_toolkit pstats psutil psycopg2 pty pwd py_compile pyarrow "
    "pyasn1 pybind11_builtins pyclbr pycparser pydantic pydantic_core pydoc "
    "pydoc_data pyexpat pygments pymysql pyparsing pytest pytorch_lightning "
    "pytz queue quopri random ray re readline redis regex reprlib requests "
    "resource rich rlcompleter ruff runpy s3fs safetensors sched scipy "
    "seaborn secrets select selectors sentry_sdk setuptools shelve shlex "
    "shutil signal simplejson six skimage sklearn smtpd smtplib sndhdr "
    "sniffio socket socketserver soupsieve spacy spwd sqlalchemy sqlite3 "
    "sre_compile sre_constants sre_parse ssl stack_data starlette stat "
    "statistics statsmodels string stringprep struct subprocess sunau sympy "
    "symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile "
    "tensorboard tensorflow termios textwrap threading time timeit tkinter "
    "token tokenize tokenizers tomllib toolz torch torchaudio torchgen "
    "torchmetrics torchvision tornado tqdm trace traceback tracemalloc "
    "traitlets transformers trio triton tty turtle typer types typing "
    "typing_extensions tzdata tzlocal unicodedata unittest urllib urllib3 "
    "uu uuid uvicorn uvloop venv vllm wandb warnings wave wcwidth weakref "
    "webbrowser werkzeug winreg winsound wrapt wsgiref xarray xdrlib xml "
    "xmlrpc yaml yarl zipapp zipfile zipimport zlib zmq zoneinfo zstandard ";

lg_string
lg__package_of(lg_string name)
{
    const char *dot = name.length ? memchr(name.data, '.', name.length) : NULL;
    return (lg_string){name.data,
                       dot != NULL ? (uint32_t)(dot - name.data) : 0};
}

// Compares a name with the one in the list that begins there.
static int
compare_at(lg_string name, size_t at)
{
    size_t length = strcspn(packages + at, " ");
    return lg__string_compare(name,
                              (lg_string){packages + at, (uint32_t)length});
}

bool
lg__package_is_familiar(lg_string package)
{
    // Names ascend in order of bytes. The sought name begins between low and
    // high.
    size_t low = 0;
    size_t high = sizeof packages - 1;
    while (package.length > 0 && low < high) {
        size_t at = low + (high - low) / 2;
        while (at > low && packages[at - 1] != ' ')
            at--;
        int order = compare_at(package, at);
        if (order == 0)
            return true;
        if (order < 0)
            high = at;
        else
            low = at + strcspn(packages + at, " ") + 1;
    }
    return false;
}

bool
lg__type_is_familiar(const lg_graph *graph, uint32_t type)
{
    lg_string package = lg__package_of(lg_graph_type(graph, type).name);
    return package.length == 0 || lg__package_is_familiar(package);
}
