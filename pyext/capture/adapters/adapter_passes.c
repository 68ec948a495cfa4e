/** Runs the adapters of a capture. */
#include "capture/adapters/adapter_pass.h"

#include <stdlib.h>
#include <string.h>

/** Whether a list of names, separated by commas, has this name, or is "all". */
static bool
is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    if (strcmp(list, "all") == 0)
        return true;
    while (*list != '\0') {
        size_t part = strcspn(list, ",");
        if (part == length && strncmp(list, name, length) == 0)
            return true;
        list += part + (list[part] == ',');
    }
    return false;
}

/** Whether LEAKGRAPH_WITHOUT in the environment leaves out the adapter. */
static bool
is_left_out(lg__adapter_pass *pass)
{
    const char *list = getenv("LEAKGRAPH_WITHOUT");
    if (list == NULL || !is_listed(list, pass->adapter->name))
        return false;
    lg__pass_note(pass, "not inspected: left out by LEAKGRAPH_WITHOUT");
    return true;
}

bool
lg__passes_open(lg__heap_walk *walk, const lg__adapter *const *adapters)
{
    walk->passes = lg__walk_keep(walk, sizeof *walk->passes);
    if (walk->passes == NULL)
        return false;
    for (size_t i = 0; adapters[i] != NULL && i < LG__ADAPTERS_MAX; i++) {
        lg__adapter_pass *pass = &walk->passes->each[i];
        pass->walk = walk;
        pass->adapter = adapters[i];
        if (is_left_out(pass) || !pass->adapter->prepare(pass, &pass->state))
            pass->adapter = NULL;
        PyErr_Clear();
    }
    return true;
}

static void
choose(lg__heap_walk *walk, lg__type_info *info)
{
    for (size_t i = 0; i < LG__ADAPTERS_MAX; i++) {
        lg__adapter_pass *pass = &walk->passes->each[i];
        unsigned kind = pass->adapter != NULL
                            ? pass->adapter->kind(pass->state, info->type)
                            : 0;
        if (kind != 0) {
            info->adapter = (uint8_t)(i + 1);
            info->adapter_kind = (uint8_t)kind;
            return;
        }
    }
}

static void
instance(lg__heap_walk *walk, uint32_t node, const lg__type_info *info)
{
    lg__adapter_pass *pass = &walk->passes->each[info->adapter - 1];
    size_t size = (pass->noted_count + (size_t)1) * sizeof(lg__noted);
    if (!lg__walk_scratch(walk, &pass->noted, size))
        return;
    lg__noted *noted = pass->noted.data;
    noted[pass->noted_count++] = (lg__noted){node, info->adapter_kind};
}

static void
visit(lg__heap_walk *walk, PyObject *object, const lg__type_info *info)
{
    lg__adapter_pass *pass = &walk->passes->each[info->adapter - 1];
    if (pass->adapter->visit != NULL)
        pass->adapter->visit(pass, pass->state, object, info->adapter_kind);
}

const lg__walk_hooks lg__passes_hooks = {
    .choose = choose,
    .instance = instance,
    .visit = visit,
};

bool
lg__passes_have_news(const lg__heap_walk *walk)
{
    for (size_t i = 0; i < LG__ADAPTERS_MAX; i++) {
        const lg__adapter_pass *pass = &walk->passes->each[i];
        if (pass->given < pass->noted_count)
            return true;
    }
    return walk->walked < walk->builder->node_count;
}

/** A free-threaded build reads sizes once other threads run again. */
static void
ask_sizes(lg__heap_walk *walk)
{
    if (!LG__FREE_THREADED)
        lg__sizes_finish(walk);
}

void
lg__passes_run(lg__heap_walk *walk)
{
    do {
        ask_sizes(walk);
        for (size_t i = 0; i < LG__ADAPTERS_MAX; i++) {
            lg__adapter_pass *pass = &walk->passes->each[i];
            if (pass->adapter != NULL)
                pass->adapter->pass(pass, pass->state);
            /* Drop the instances that the adapter has left: it does not want
               them. */
            pass->given = pass->noted_count;
        }
        lg__walk_run(walk);
    } while (lg__passes_have_news(walk) && walk->builder->status == LG_OK);
    ask_sizes(walk);
}

void
lg__passes_settle(lg__heap_walk *walk)
{
    for (size_t i = 0; i < LG__ADAPTERS_MAX; i++) {
        lg__adapter_pass *pass = &walk->passes->each[i];
        if (pass->adapter != NULL && pass->adapter->settle != NULL)
            pass->adapter->settle(pass, pass->state);
    }
}

static PyObject *
noted_object(const lg__adapter_pass *pass, uint32_t i)
{
    const lg__noted *noted = pass->noted.data;
    return (PyObject *)(uintptr_t)lg_builder_address(pass->walk->builder,
                                                     noted[i].node);
}

static bool
will_ask(const lg__adapter_pass *pass)
{
    return pass->adapter != NULL && pass->adapter->ask != NULL;
}

void
lg__passes_hold(lg__heap_walk *walk)
{
    for (size_t i = 0; i < LG__ADAPTERS_MAX; i++) {
        lg__adapter_pass *pass = &walk->passes->each[i];
        if (!will_ask(pass))
            continue;
        for (; pass->held < pass->noted_count; pass->held++)
            Py_INCREF(noted_object(pass, pass->held));
    }
}

static void
release(lg__adapter_pass *pass)
{
    while (pass->held > 0)
        Py_DECREF(noted_object(pass, --pass->held));
}

void
lg__passes_ask(lg__heap_walk *walk)
{
    lg__passes_hold(walk);
    for (size_t i = 0; i < LG__ADAPTERS_MAX; i++) {
        lg__adapter_pass *pass = &walk->passes->each[i];
        if (!will_ask(pass))
            continue;
        pass->given = 0;
        if (walk->builder->status != LG_ECANCELLED)
            pass->adapter->ask(pass, pass->state);
        PyErr_Clear();
    }
    for (size_t i = 0; i < LG__ADAPTERS_MAX; i++)
        release(&walk->passes->each[i]);
}

void
lg__pass_interrupt(lg__adapter_pass *pass)
{
    PyObject **raised = pass->walk->passes->raised;
    if (raised[0] == NULL)
        PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
    pass->walk->builder->status = LG_ECANCELLED;
}

void
lg__passes_take_raised(lg__heap_walk *walk, PyObject *raised[3])
{
    for (size_t i = 0; i < 3; i++) {
        raised[i] = walk->passes->raised[i];
        walk->passes->raised[i] = NULL;
    }
}

void
lg__passes_close(lg__heap_walk *walk)
{
    if (walk->passes == NULL)
        return;
    for (size_t i = 0; i < LG__ADAPTERS_MAX; i++) {
        lg__adapter_pass *pass = &walk->passes->each[i];
        release(pass);
        if (pass->adapter != NULL)
            pass->adapter->finish(pass->state);
        lg__walk_scratch_free(walk, &pass->noted);
    }
}
