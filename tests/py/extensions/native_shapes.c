/**
 * Builds structures of C whose blocks and bytes are known: build("list")
 * returns a Holder, whose one word leads to the structure, the bytes that
 * malloc spends on it, and its blocks.
 */
#include <Python.h>
#include <malloc.h>
#include <string.h>

enum { MANY = 600, HEADER = 8 };

/** The first structure takes the blocks in which earlier owners left words,
 * which lead to a few KB of others: it is so long that these are little of it.
 */
enum { LONG = 10 * MANY };

static size_t built_bytes;
static size_t built_blocks;

/** Allocates a block whose words are what malloc left in it. */
static void *
take(size_t bytes)
{
    void *block = malloc(bytes);
    built_bytes += malloc_usable_size(block) + HEADER;
    built_blocks++;
    return block;
}

/** Allocates a text that is not as long as its block. */
static char *
take_text(size_t bytes, int number)
{
    char *text = take(bytes);
    snprintf(text, bytes, "text %d", number);
    return text;
}

typedef struct item {
    struct item *next;
    long number;
    char *text;
    char unused[24];
} item;

static void *
build_list(void)
{
    item *first = NULL;
    for (int i = 0; i < LONG; i++) {
        item *one = take(sizeof *one);
        one->next = first;
        one->number = i;
        one->text = take_text(32 + (size_t)i % 5 * 16, i);
        first = one;
    }
    return first;
}

typedef struct ring {
    struct ring *next;
    struct ring *before;
    long number;
} ring;

static void *
build_ring(void)
{
    ring *first = take(sizeof *first);
    first->next = first->before = first;
    first->number = 0;
    for (int i = 1; i < MANY; i++) {
        ring *one = take(sizeof *one);
        *one = (ring){first, first->before, i};
        first->before->next = one;
        first->before = one;
    }
    return first;
}

typedef struct leaf {
    struct leaf *left;
    struct leaf *right;
    struct leaf *above;
    char *name;
} leaf;

static leaf *
plant(leaf *above, int depth)
{
    if (depth == 0)
        return NULL;
    leaf *one = take(sizeof *one);
    one->above = above;
    one->name = depth % 2 ? take_text(40, depth) : NULL;
    one->left = plant(one, depth - 1);
    one->right = plant(one, depth % 3 ? depth - 1 : depth - 2 > 0 ? 1 : 0);
    return one;
}

static void *
build_tree(void)
{
    return plant(NULL, 12);
}

typedef struct entry {
    struct entry *next;
    char *key;
    void *value;
    size_t hash;
} entry;

typedef struct table {
    entry **buckets;
    size_t count;
    size_t used;
} table;

static void *
build_map(void)
{
    table *map = take(sizeof *map);
    *map = (table){take(1024 * sizeof(entry *)), 1024, 0};
    memset(map->buckets, 0, 1024 * sizeof(entry *));
    for (int i = 0; i < MANY; i++) {
        size_t hash = (size_t)i * 2654435761u;
        entry *one = take(sizeof *one);
        *one = (entry){map->buckets[hash % 1024],
                       take_text(16 + (size_t)i % 7 * 8, i),
                       i % 3 ? take(48) : NULL, hash};
        if (one->value != NULL)
            memset(one->value, 1, 48);
        map->buckets[hash % 1024] = one;
        map->used++;
    }
    return map;
}

typedef struct row {
    int *cells;
    size_t count;
    size_t room;
} row;

typedef struct matrix {
    row *rows;
    size_t count;
    size_t room;
} matrix;

static void *
build_matrix(void)
{
    matrix *all = take(sizeof *all);
    *all = (matrix){take(100 * sizeof(row)), 80, 100};
    for (size_t i = 0; i < 80; i++) {
        size_t count = 10 + i * 7 % 50;
        all->rows[i] = (row){take(4 * count), count, count};
        for (size_t j = 0; j < count; j++)
            all->rows[i].cells[j] = (int)(i * j);
    }
    return all;
}

/** A block with a head before what the program sees, as strings of C libraries
 *  have. */
typedef struct head {
    size_t length;
    size_t owners;
} head;

static void *
build_inside(void)
{
    void **all = take(MANY * sizeof(void *));
    for (int i = 0; i < MANY; i++) {
        head *one = take(sizeof *one + 100);
        *one = (head){(size_t)i, 1};
        memset(one + 1, 'x', 60);
        all[i] = one + 1;
    }
    return all;
}

/** A list whose nodes lie in the middle of what they link. */
typedef struct linked {
    char name[40];
    struct linked *next_inside;
    long number;
} linked;

static void *
build_intrusive(void)
{
    void *first = NULL;
    for (int i = 0; i < MANY; i++) {
        linked *one = take(sizeof *one);
        snprintf(one->name, sizeof one->name, "linked %d", i);
        one->next_inside = first;
        one->number = i;
        first = &one->next_inside;
    }
    return first;
}

static void *
tag(void *block, unsigned bits)
{
    return (char *)block + bits;
}

/** A tree that has the colour of a node in the pointer to it. */
typedef struct tagged {
    void *left;
    void *right;
    long number;
} tagged;

static void *
plant_tagged(int depth)
{
    if (depth == 0)
        return NULL;
    tagged *one = take(sizeof *one);
    *one = (tagged){plant_tagged(depth - 1), plant_tagged(depth - 1), depth};
    return tag(one, (unsigned)depth % 4);
}

static void *
build_tagged(void)
{
    return plant_tagged(9);
}

/** An array in which numbers and pointers take turns, told apart by a bit. */
static void *
build_values(void)
{
    uintptr_t *all = take(MANY * sizeof *all);
    for (size_t i = 0; i < MANY; i++)
        all[i] =
            i % 2 ? i << 1 : (uintptr_t)tag(memset(take(64), (int)i, 64), 1);
    return all;
}

/** What is entered by a table of functions first, as GObject and libxml2 do. */
typedef struct operations {
    void *(*build)(void);
} operations;
static const operations known = {build_list};

typedef struct object {
    const operations *how;
    struct object *child;
    struct object *sibling;
    char *data;
} object;

static object *
make_object(int depth)
{
    object *one = take(sizeof *one);
    *one = (object){&known, NULL, NULL, take_text(200, depth)};
    for (int i = 0; i < 4 && depth > 0; i++) {
        object *child = make_object(depth - 1);
        child->sibling = one->child;
        one->child = child;
    }
    return one;
}

static void *
build_objects(void)
{
    return make_object(4);
}

/** Pages of one size, which a cache lists by an array of pointers to their
 *  ends. */
static void *
build_pages(void)
{
    char **all = take(40 * sizeof *all);
    for (int i = 0; i < 40; i++) {
        char *page = take(4096 + 64);
        memset(page, i, 2000);
        all[i] = page + 4096;
        memset(all[i], 0, 64);
        *(char **)all[i] = page;
    }
    return all;
}

static void *
build_large(void)
{
    void **all = take(4 * sizeof *all);
    for (int i = 0; i < 4; i++)
        all[i] = memset(take(300000), i, 300000);
    return all;
}

static void *
build_one(void)
{
    return memset(take(70000), 7, 70000);
}

/** A struct of one kind, with the only pointer to each of its parts. */
typedef struct state {
    long version;
    char *input;
    char *output;
    struct state *deeper;
    char name[200];
    char *log;
} state;

static void *
build_state(void)
{
    state *inner = take(sizeof *inner);
    *inner =
        (state){3, take_text(5000, 1), NULL, NULL, "inner", take_text(300, 2)};
    state *outer = take(sizeof *outer + 64);
    *outer = (state){
        4, take_text(6000, 1), take_text(7000, 2), inner, "outer", NULL};
    return outer;
}

static void *volatile registry;

static void *
build_registry(void)
{
    void *made = build_map();
    registry = made;
    return NULL;
}

static __thread item *volatile mine;

static void *
build_local(void)
{
    mine = build_list();
    return NULL;
}

static void *
build_lost(void)
{
    item *first = build_list();
    first = NULL;
    return first;
}

static const struct shape {
    const char *name;
    void *(*build)(void);
} shapes[] = {
    {"list", build_list},
    {"ring", build_ring},
    {"tree", build_tree},
    {"map", build_map},
    {"matrix", build_matrix},
    {"inside", build_inside},
    {"intrusive", build_intrusive},
    {"tagged", build_tagged},
    {"values", build_values},
    {"objects", build_objects},
    {"pages", build_pages},
    {"large", build_large},
    {"one", build_one},
    {"state", build_state},
    {"registry", build_registry},
    {"local", build_local},
    {"lost", build_lost},
};

typedef struct Holder {
    PyObject_HEAD
    void *root;
} Holder;

static PyType_Slot holder_slots[] = {{0, NULL}};
static PyType_Spec holder_spec = {.name = "native_shapes.Holder",
                                  .basicsize = sizeof(Holder),
                                  .flags = Py_TPFLAGS_DEFAULT,
                                  .slots = holder_slots};
static PyObject *holder_type;

static PyObject *
build(PyObject *self, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    Holder *made = (Holder *)PyObject_CallObject(holder_type, NULL);
    (void)self;
    built_bytes = built_blocks = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && text; i++)
        if (made != NULL && strcmp(shapes[i].name, text) == 0) {
            made->root = shapes[i].build();
            return Py_BuildValue("Nnn", made, (Py_ssize_t)built_bytes,
                                 (Py_ssize_t)built_blocks);
        }
    return PyErr_Format(PyExc_ValueError, "no shape has the name %R", name);
}

/** Calls a function while words on the stack lead into the structure of the
 *  first Holder of a list. */
static PyObject *
on_stack(PyObject *self, PyObject *arguments)
{
    enum { WORDS = 64 };
    void *volatile words[WORDS];
    PyObject *holders;
    PyObject *function;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &holders, &function))
        return NULL;
    void **at = ((Holder *)PyList_GET_ITEM(holders, 0))->root;
    for (int i = 0; i < WORDS; i++, at = *at)
        words[i] = (char *)at + i % 3 * 8;
    PyObject *result = PyObject_CallObject(function, NULL);
    return words[0] != NULL ? result : NULL;
}

/** A struct of C that has an object, which the collector does not see. */
typedef struct handle {
    PyObject *object;
    long number;
    char text[100];
} handle;

/** Returns a Holder whose structure holds an object. */
static PyObject *
hold(PyObject *self, PyObject *object)
{
    Holder *made = (Holder *)PyObject_CallObject(holder_type, NULL);
    (void)self;
    built_bytes = built_blocks = 0;
    handle *one = take(sizeof *one);
    Py_INCREF(object);
    *one = (handle){object, 1, "handle"};
    made->root = one;
    return Py_BuildValue("Nnn", made, (Py_ssize_t)built_bytes,
                         (Py_ssize_t)built_blocks);
}

/** Returns a Holder whose own block has 5,000 bytes more. */
static PyObject *
wide(PyObject *self, PyObject *none)
{
    enum { MORE = 5000 };
    Holder *made = PyObject_Malloc(sizeof *made + MORE);
    (void)self;
    (void)none;
    memset(made, 0, sizeof *made + MORE);
    return PyObject_Init((PyObject *)made, (PyTypeObject *)holder_type);
}

/** Forgets to let go of an object. */
static PyObject *
forget(PyObject *self, PyObject *object)
{
    (void)self;
    Py_INCREF(object);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"build", build, METH_O, NULL},
    {"hold", hold, METH_O, NULL},
    {"on_stack", on_stack, METH_VARARGS, NULL},
    {"forget", forget, METH_O, NULL},
    {"wide", wide, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "native_shapes",
                             .m_methods = functions, .m_size = -1};

PyMODINIT_FUNC
PyInit_native_shapes(void)
{
    PyObject *made = PyModule_Create(&module);
    holder_type = PyType_FromSpec(&holder_spec);
    Py_XINCREF(holder_type);
    if (made != NULL && holder_type != NULL)
        PyModule_AddObject(made, "Holder", holder_type);
    return made;
}
