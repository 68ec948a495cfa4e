/** pyarrow's pool: its allocator, and what that has in use and in memory. */
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/pyarrow.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** A Result<int64_t> of Arrow: the address of an error, and the number. The
 *  other words make the compiler return it through memory, as C++ does. */
typedef struct result {
    void *error;
    int64_t number;
    void *unused[2];
} result;

typedef result get_stat(const char *name);

/** Arrow's function for the counters of its jemalloc; NULL if there is none.
 *  Nothing but the module leads to the library that has it. */
static get_stat *
find_counters(PyObject *module)
{
    PyObject *file = lg__pass_member(module, "__file__");
    const char *path =
        file != NULL && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;
    void *library = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    PyErr_Clear();
    if (library == NULL)
        return NULL;
    void *symbol = dlsym(library, "_ZN5arrow17jemalloc_get_statEPKc");
    dlclose(library);
    get_stat *function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/** Notes the pages that jemalloc has in memory, with what is free in them. */
static void
ask_jemalloc(lg__adapter_pass *pass, PyObject *module)
{
    get_stat *counters = find_counters(module);
    char text[24];
    if (counters == NULL)
        return;
    result pages = counters("stats.resident");
    if (pages.error != NULL || pages.number <= 0)
        return;
    snprintf(text, sizeof text, "%" PRId64, pages.number);
    lg_builder_set_info(lg__pass_builder(pass), "memory.jemalloc", text);
}

/** Notes which allocator pyarrow's pool uses. */
static void
ask_allocator(lg__adapter_pass *pass, PyObject *module)
{
    PyObject *pool = lg__ask_method(module, "default_memory_pool");
    PyObject *name =
        pool != NULL ? lg__ask_attribute(pool, "backend_name") : NULL;
    const char *text =
        name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    if (text != NULL)
        lg_builder_set_info(lg__pass_builder(pass), "memory.pyarrow_allocator",
                            text);
    if (text != NULL && strcmp(text, "jemalloc") == 0)
        ask_jemalloc(pass, module);
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(pool);
}

void
lg__arrow_ask_pool(lg__adapter_pass *pass)
{
    uint64_t bytes;
    char text[24];
    PyObject *module = lg__pass_module("pyarrow.lib");
    if (module == NULL)
        return;
    ask_allocator(pass, module);
    if (!lg__ask_number(lg__ask_method(module, "total_allocated_bytes"),
                        &bytes) ||
        bytes == 0)
        return;
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    lg_builder_set_info(lg__pass_builder(pass), "memory.pyarrow", text);
}
