#include "frames.h"

#include <leakgraph/leakgraph.h>
#include <string.h>

enum {
    LONGEST = 3800, // a string of the graph is cut at 4,096 bytes
    DEEPEST = 48,
};

static const char *
text_of(PyObject *dict, const char *key)
{
    PyObject *value = PyDict_GetItemString(dict, key);
    const char *text =
        value && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : NULL;
    PyErr_Clear();
    return text ? text : "";
}

static long
line_of(PyObject *dict)
{
    PyObject *value = PyDict_GetItemString(dict, "line");
    long line = value && PyLong_Check(value) ? PyLong_AsLong(value) : 0;
    PyErr_Clear();
    return line;
}

// C++ frames have no file, or "??".
static void
add_frame(lg_text *text, PyObject *frame)
{
    const char *name = text_of(frame, "name");
    const char *file = text_of(frame, "filename");
    if (*name == '\0' && *file == '\0')
        return;
    lg_text_addf(text, "%s%.200s", text->length ? " < " : "",
                 *name ? name : "?");
    if (*file == '\0' || strcmp(file, "??") == 0)
        return;
    size_t length = strlen(file);
    const char *tail = length > 300 ? file + length - 300 : file;
    lg_text_addf(text, " (%s:%ld)", tail, line_of(frame));
}

bool
lg_frames_text(PyObject *frames, char **out)
{
    lg_text text = {0};
    if (frames != NULL && PyList_Check(frames))
        for (Py_ssize_t i = 0; i < PyList_Size(frames) && i < DEEPEST &&
                               text.length < LONGEST - 520;
             i++) {
            PyObject *frame = PyList_GetItem(frames, i);
            if (PyDict_Check(frame))
                add_frame(&text, frame);
        }
    if (text.failed) {
        lg_text_free(&text);
        return false;
    }
    *out = text.data;
    return true;
}
