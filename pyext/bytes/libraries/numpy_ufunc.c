/**
 * A ufunc keeps its loops for each combination of types, which its tp_traverse
 * leaves out. They take about 1 MiB in each process with numpy.
 */
#include "bytes/libraries/numpy_ufunc.h"

#include "capture/common/capture_common.h"

/** Words of a ufunc (numpy/ufuncobject.h). numpy only ever appends to it: the
 *  loops came with numpy 1.22, as a list, and are a dict since 2.5. */
enum { USER_LOOPS = 12, LOOPS = 28, WORDS };

static PyObject *
word_of(PyObject *ufunc, int word)
{
    return ((PyObject **)ufunc)[word];
}

/** Returns whether instances of the type may hold the loops. */
static bool
holds_loops(const PyTypeObject *type)
{
    return type == &PyList_Type || type == &PyDict_Type;
}

PyTypeObject *
lg__ufunc_type(void)
{
    PyObject *numpy = lg__pass_module("numpy");
    PyObject *add = numpy != NULL ? lg__pass_member(numpy, "add") : NULL;
    PyTypeObject *type = lg__c_type_in("numpy", "ufunc");
    PyObject loops;
    if (type == NULL || add == NULL || Py_TYPE(add) != type ||
        type->tp_basicsize < (Py_ssize_t)(WORDS * sizeof(PyObject *)) ||
        !lg__peek(&loops, word_of(add, LOOPS), sizeof loops) ||
        !holds_loops(Py_TYPE(&loops)))
        return NULL;
    return type;
}

void
lg__ufunc_visit(lg__adapter_pass *pass, PyObject *ufunc)
{
    PyObject *loops = word_of(ufunc, LOOPS);
    PyObject *user = word_of(ufunc, USER_LOOPS);
    if (loops != NULL && holds_loops(Py_TYPE(loops)))
        lg__pass_name_edge(pass, loops, LG_EDGE_ATTRIBUTE, "_loops");
    if (user != NULL && PyDict_CheckExact(user))
        lg__pass_name_edge(pass, user, LG_EDGE_ATTRIBUTE, "userloops");
}
