/**
 * Builds structures of C++ whose blocks and bytes are known: see
 * native_shapes.c.
 */
#include <Python.h>

#include <any>
#include <deque>
#include <functional>
#include <list>
#include <malloc.h>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

static size_t built_bytes, built_blocks;

void *
operator new(size_t bytes)
{
    void *block = malloc(bytes);
    built_bytes += malloc_usable_size(block) + 8;
    built_blocks++;
    return block;
}

void
operator delete(void *block) noexcept
{
    if (block == nullptr)
        return;
    built_bytes -= malloc_usable_size(block) + 8;
    built_blocks--;
    free(block);
}

void
operator delete(void *block, size_t) noexcept
{
    operator delete(block);
}

namespace
{

constexpr int many = 600;

std::string
text(int number)
{
    return std::string(number % 3 ? 40 : 5, 'x') + std::to_string(number);
}

struct Shape {
    virtual ~Shape() = default;
    virtual int sides() const = 0;
    std::string name;
};

struct Square : Shape {
    int sides() const override { return 4; }
    std::vector<double> corners = std::vector<double>(8);
};

struct Group : Shape {
    int sides() const override { return 0; }
    std::vector<std::unique_ptr<Shape>> parts;
};

struct Named {
    virtual ~Named() = default;
    long number = 1;
};

/** The second base lies behind the first, and pointers to it lead there. */
struct Both : Shape, Named {
    int sides() const override { return 1; }
    std::vector<int> more = std::vector<int>(30);
};

struct Peer {
    std::vector<std::shared_ptr<Peer>> next;
    std::weak_ptr<Peer> above;
    std::string name;
};

void *
vectors()
{
    auto *made = new std::vector<std::vector<int>>;
    for (int i = 0; i < many; i++)
        made->emplace_back(10 + i % 40, i);
    return made;
}

void *
list()
{
    auto *made = new std::list<std::string>;
    for (int i = 0; i < many; i++)
        made->push_back(text(i));
    return made;
}

void *
map()
{
    auto *made = new std::map<std::string, std::vector<long>>;
    for (int i = 0; i < many; i++)
        (*made)[text(i)] = std::vector<long>(i % 9, i);
    return made;
}

void *
hash_map()
{
    auto *made = new std::unordered_map<std::string, std::string>;
    for (int i = 0; i < many; i++)
        (*made)[text(i)] = text(i + 1);
    return made;
}

void *
deque()
{
    auto *made = new std::deque<std::string>;
    for (int i = 0; i < many; i++)
        made->push_back(text(i));
    return made;
}

void *
classes()
{
    auto *made = new Group;
    for (int i = 0; i < many; i++) {
        if (i % 3 == 0)
            made->parts.emplace_back(new Group);
        else
            made->parts.emplace_back(new Square);
        made->parts.back()->name = text(i);
    }
    return made;
}

void *
second_base()
{
    auto *made = new std::vector<Named *>;
    for (int i = 0; i < many; i++)
        made->push_back(new Both);
    return made;
}

std::shared_ptr<Peer>
peer(const std::shared_ptr<Peer> &above, int depth)
{
    auto made = depth % 2 ? std::make_shared<Peer>()
                          : std::shared_ptr<Peer>(new Peer);
    made->above = above;
    made->name = text(depth);
    for (int i = 0; i < 3 && depth > 0; i++)
        made->next.push_back(peer(made, depth - 1));
    return made;
}

void *
shared()
{
    return new std::shared_ptr<Peer>(peer(nullptr, 5));
}

void *
functions()
{
    auto *made = new std::map<int, std::function<size_t()>>;
    for (int i = 0; i < many; i++)
        (*made)[i] = [kept = text(i + 1), number = i] {
            return kept.size() + static_cast<size_t>(number);
        };
    return made;
}

void *
variants()
{
    using any_of = std::variant<long, std::string, std::vector<int>>;
    auto *made = new std::vector<any_of>;
    for (int i = 0; i < many; i++)
        if (i % 3 == 0)
            made->emplace_back(long(i));
        else if (i % 3 == 1)
            made->emplace_back(text(i));
        else
            made->emplace_back(std::vector<int>(20, i));
    return made;
}

void *
anything()
{
    auto *made = new std::vector<std::any>;
    for (int i = 0; i < many; i++)
        if (i % 2)
            made->emplace_back(text(i));
        else
            made->emplace_back(std::map<int, int>{{i, i}});
    return made;
}

std::map<int, std::string> registered;

void *
registry()
{
    for (int i = 0; i < many; i++)
        registered[i] = text(i + 1);
    return nullptr;
}

void *
cycle_lost()
{
    auto first = std::make_shared<Peer>();
    auto second = std::make_shared<Peer>();
    first->name = second->name = text(1);
    first->next.push_back(second);
    second->next.push_back(first);
    return nullptr;
}

const struct {
    const char *name;
    void *(*build)();
} shapes[] = {
    {"vectors", vectors},         {"list", list},
    {"map", map},                 {"hash_map", hash_map},
    {"deque", deque},             {"classes", classes},
    {"second_base", second_base}, {"shared", shared},
    {"functions", functions},     {"variants", variants},
    {"anything", anything},       {"registry", registry},
    {"cycle_lost", cycle_lost},
};

struct Holder {
    PyObject_HEAD
    void *root;
};

PyType_Slot holder_slots[] = {{0, nullptr}};
PyType_Spec holder_spec = {"native_classes.Holder", sizeof(Holder), 0,
                           Py_TPFLAGS_DEFAULT, holder_slots};
PyObject *holder_type;

PyObject *
build(PyObject *, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    auto *made = reinterpret_cast<Holder *>(
        PyObject_CallObject(holder_type, nullptr));
    built_bytes = built_blocks = 0;
    for (const auto &shape : shapes)
        if (made && text && std::string_view(shape.name) == text) {
            made->root = shape.build();
            return Py_BuildValue("Nnn", made, (Py_ssize_t)built_bytes,
                                 (Py_ssize_t)built_blocks);
        }
    return PyErr_Format(PyExc_ValueError, "no shape has the name %R", name);
}

PyMethodDef functions_of_module[] = {{"build", build, METH_O, nullptr},
                                     {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "native_classes", nullptr, -1,
                      functions_of_module, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC
PyInit_native_classes()
{
    PyObject *made = PyModule_Create(&module);
    holder_type = PyType_FromSpec(&holder_spec);
    if (made && holder_type) {
        Py_INCREF(holder_type);
        PyModule_AddObject(made, "Holder", holder_type);
    }
    return made;
}
