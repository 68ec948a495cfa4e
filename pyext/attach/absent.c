/** Replaces the rest of this folder on other processors. */
#include "attach/attach.h"

#include <leakgraph/internal/writing.h>

#include <Python.h>

static lg_status
refuse(lg_error *err)
{
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "leakgraph attaches on x86-64 only: use leakgraph run");
}

lg_status
lg__attach_version(int process, bool filtered, unsigned *out, lg_error *err)
{
    (void)process, (void)filtered, (void)out;
    return refuse(err);
}

lg_status
lg__attach(const lg__attach_request *request, int library,
           lg__attach_result *out, lg_error *err)
{
    (void)request, (void)library, (void)out;
    return refuse(err);
}

/** No script asks for them here. */
PyMODINIT_FUNC PyInit_leakgraph_attached(void);
PyMODINIT_FUNC PyModExport_leakgraph_attached(void);

PyMODINIT_FUNC
PyInit_leakgraph_attached(void)
{
    PyErr_SetNone(PyExc_ImportError);
    return NULL;
}

PyMODINIT_FUNC
PyModExport_leakgraph_attached(void)
{
    return PyInit_leakgraph_attached();
}
