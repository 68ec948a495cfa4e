#include "bytes/common/frames.h"

#include <leakgraph/internal/writing.h>
#include <leakgraph/text.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The names are those that PyTorch's CapturedTraceback writes: demangled ones
// of C++, and "??" or no file where there are no debug symbols.

static bool
has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool
is_without_file(const char *file)
{
    return *file == '\0' || strcmp(file, "??") == 0;
}

// A name may go on after its arguments: " const", " [clone .isra.0]".
static bool
ends_arguments(const char *after)
{
    return *after == '\0' || *after == ' ';
}

// Finds the parenthesis that the one before `end` closes.
static const char *
opening_of(const char *name, const char *end)
{
    size_t depth = 0;
    for (const char *at = end; at > name; at--) {
        depth += at[-1] == ')';
        if (at[-1] == '(' && --depth == 0)
            return at - 1;
    }
    return NULL;
}

/** Returns how many bytes of a name to show: a function of C++ is shown without
 *  its arguments. */
static size_t
frame_name_length(const char *name)
{
    const char *last = strrchr(name, ')');
    const char *open =
        last != NULL && strstr(name, "::") != NULL && ends_arguments(last + 1)
            ? opening_of(name, last + 1)
            : NULL;
    return open != NULL && open > name && open[-1] != ':'
               ? (size_t)(open - name)
               : strlen(name);
}

static bool
is_machinery_of_cpp(const char *name)
{
    static const char *const parts[] = {
        "torch::unwind::",
        "torch::CapturedTraceback::",
        "::gather_with_cpp",
        "CUDACachingAllocator::",
        "c10::impl::wrap_kernel_",
        "c10::Dispatcher::",
        "::redispatch",
        "at::detail::empty_",
        "pybind11::",
        "std::_Function_handler<",
    };
    const char *end = name + frame_name_length(name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *found = strstr(name, parts[i]);
        if (found != NULL && found < end)
            return true;
    }
    return false;
}

static bool
is_of_interpreter(const char *name)
{
    static const char *const prefixes[] = {
        "_Py", "Py", "pymain_", "pybind11_", "__libc_", "_start", "clone",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (has_prefix(name, prefixes[i]))
            return true;
    return false;
}

/** Returns whether a frame is machinery: it is in every stack with functions of
 *  C++, and says nothing about who allocates. Machinery is the unwinder, the
 *  allocator itself, PyTorch's dispatcher, pybind11, and the interpreter's C
 *  functions, which have no file. A function of Python is never machinery. */
static bool
frame_is_machinery(const char *name, const char *file)
{
    if (strstr(name, "::") != NULL)
        return is_machinery_of_cpp(name);
    return is_without_file(file) && is_of_interpreter(name);
}

/** Returns the part of a path to show: for an installed package, the part below
 *  the folder of packages; "" if there is no file. */
static const char *
frame_file(const char *file)
{
    static const char *const folders[] = {
        "/site-packages/",
        "/dist-packages/",
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *found = strstr(file, folders[i]);
        if (found != NULL)
            return found + strlen(folders[i]);
    }
    return is_without_file(file) ? "" : file;
}

enum {
    LONGEST = 3800,  // the graph cuts strings at 4,096 bytes
    NAME = 200,      // the most bytes of a function's name
    FILE_NAME = 300, // the most bytes at the end of a file's name
    DEEPEST = 48,
    KNOWN_BITS = 15, // a training run with compiled code has some thousand
    KNOWN = 1 << KNOWN_BITS,
    NOTE = 200,
};

/** A frame, with a reference that keeps its address valid, and its text. */
typedef struct known_frame {
    PyObject *frame;
    char *text; // NULL: no text
    size_t length;
} known_frame;

struct lg__frames {
    PyObject *name, *filename, *line; // the keys of a frame's dict
    known_frame known[KNOWN];         // by a hash of the address
};

lg__frames *
lg__frames_open(void)
{
    lg__frames *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->name = PyUnicode_InternFromString("name");
    self->filename = PyUnicode_InternFromString("filename");
    self->line = PyUnicode_InternFromString("line");
    if (self->name == NULL || self->filename == NULL || self->line == NULL) {
        PyErr_Clear();
        lg__frames_close(self);
        return NULL;
    }
    return self;
}

static void
forget(known_frame *known)
{
    Py_CLEAR(known->frame);
    free(known->text);
    known->text = NULL;
}

void
lg__frames_close(lg__frames *self)
{
    if (self == NULL)
        return;
    for (size_t i = 0; i < KNOWN; i++)
        forget(&self->known[i]);
    Py_XDECREF(self->name);
    Py_XDECREF(self->filename);
    Py_XDECREF(self->line);
    free(self);
}

static const char *
text_of(PyObject *dict, PyObject *key)
{
    PyObject *value = PyDict_GetItem(dict, key);
    const char *text =
        value && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : NULL;
    PyErr_Clear();
    return text ? text : "";
}

static long
line_of(PyObject *dict, PyObject *key)
{
    PyObject *value = PyDict_GetItem(dict, key);
    long line = value && PyLong_Check(value) ? PyLong_AsLong(value) : 0;
    PyErr_Clear();
    return line;
}

static void
write_frame(const lg__frames *self, lg_text *text, PyObject *frame)
{
    const char *name = text_of(frame, self->name);
    const char *file = text_of(frame, self->filename);
    size_t length = frame_name_length(name);
    if ((length == 0 && *file == '\0') || frame_is_machinery(name, file))
        return;
    if (length == 0)
        lg_text_add(text, "?");
    lg_text_addf(text, "%.*s", (int)(length < NAME ? length : NAME), name);
    const char *shown = frame_file(file);
    if (*shown == '\0')
        return;
    size_t beyond = strlen(shown) > FILE_NAME ? strlen(shown) - FILE_NAME : 0;
    lg_text_addf(text, " (%s:%ld)", shown + beyond, line_of(frame, self->line));
}

// Writes the text of a frame, or NULL if it has none; false when memory ran
// out.
static bool
find_frame(lg__frames *self, PyObject *frame, const known_frame **out)
{
    uint64_t hash = (uintptr_t)frame / 16 * UINT64_C(0x9e3779b97f4a7c15);
    known_frame *known = &self->known[hash >> (64 - KNOWN_BITS)];
    if (known->frame != frame) {
        lg_text text = {0};
        write_frame(self, &text, frame);
        if (text.failed) {
            lg_text_free(&text);
            return false;
        }
        forget(known);
        Py_INCREF(frame);
        *known = (known_frame){frame, text.data, text.length};
    }
    *out = known;
    return true;
}

// Writes the note of the program, if it is printable and cannot be taken for a
// frame.
static void
write_metadata(lg_text *text, PyObject *metadata)
{
    const char *note = metadata && PyUnicode_Check(metadata)
                           ? PyUnicode_AsUTF8(metadata)
                           : NULL;
    PyErr_Clear();
    if (note == NULL || *note == '\0')
        return;
    lg_text_add(text, "user_metadata '");
    for (size_t i = 0; note[i] != '\0'; i++) {
        bool odd = (unsigned char)note[i] < ' ' || note[i] == '<';
        bool begins = ((unsigned char)note[i] & 0xc0) != 0x80;
        if (i >= NOTE && begins)
            break;
        lg_text_addf(text, "%c", odd ? '?' : note[i]);
    }
    lg_text_add(text, "'");
}

bool
lg__frames_text(lg__frames *self, PyObject *metadata, PyObject *frames,
                char **out)
{
    lg_text text = {0};
    Py_ssize_t count =
        frames != NULL && PyList_Check(frames) ? PyList_GET_SIZE(frames) : 0;
    int shown = 0;
    *out = NULL;
    write_metadata(&text, metadata);
    for (Py_ssize_t i = 0;
         i < count && shown < DEEPEST && text.length < LONGEST - 520; i++) {
        const known_frame *known = NULL;
        PyObject *frame = PyList_GET_ITEM(frames, i);
        if (!PyDict_Check(frame))
            continue;
        text.failed = text.failed || !find_frame(self, frame, &known);
        if (known == NULL || known->text == NULL)
            continue;
        shown++;
        if (text.length > 0)
            lg_text_add_bytes(&text, " < ", 3);
        lg_text_add_bytes(&text, known->text, known->length);
    }
    if (text.failed) {
        lg_text_free(&text);
        return false;
    }
    *out = text.data;
    return true;
}
