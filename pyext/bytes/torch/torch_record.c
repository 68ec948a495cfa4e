/** Counted C++ objects: their nodes, and the owners that the pass found. */
#include "bytes/torch/torch.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

/* The queue of C++ objects that the pass has yet to visit. */

/** Appends a task. */
static void
torch_push(lg__torch *torch, uintptr_t address, uint32_t node,
           lg__torch_kind kind)
{
    if (torch->task_end == torch->task_capacity) {
        size_t capacity = torch->task_capacity ? 2 * torch->task_capacity : 512;
        lg__torch_task *tasks =
            lg__pass_keep(torch->pass, capacity * sizeof *tasks);
        if (tasks == NULL)
            return;
        size_t waiting = torch->task_end - torch->task_begin;
        if (waiting)
            memcpy(tasks, torch->tasks + torch->task_begin,
                   waiting * sizeof *tasks);
        torch->tasks = tasks;
        torch->task_capacity = capacity;
        torch->task_begin = 0;
        torch->task_end = waiting;
    }
    torch->tasks[torch->task_end++] = (lg__torch_task){address, node, kind};
}

enum { WORD = sizeof(uintptr_t) };

static uint32_t
low(uintptr_t word)
{
    return (uint32_t)(word & UINT32_MAX);
}

/** The number of owners of a tensor, a storage or a counted Node. */
static uint32_t
owners_of(lg__torch *torch, uintptr_t address)
{
    return low(lg__memory_word(torch->memory, address + WORD));
}

/** The number of owners of a Node: its own count, or that of the shared_ptr's
 *  block. */
static uint32_t
owners_of_node(lg__torch *torch, uintptr_t node)
{
    if (torch->layout->node_counted)
        return owners_of(torch, node);
    uintptr_t block = lg__memory_word(torch->memory, node + 2 * WORD);
    return low(lg__memory_word(torch->memory, block + WORD));
}

/** Fills an empty slot with the record of an address. */
static lg__torch_record *
record_in(lg__torch *torch, lg__torch_slot *slot, uintptr_t address)
{
    lg__torch_record *record = lg__pass_keep(torch->pass, sizeof *record);
    if (record == NULL)
        return NULL;
    record->address = address;
    record->node = LG_NONE;
    record->first_source = LG_NONE;
    record->bound = LG_NONE;
    record->module = LG_NONE;
    lg__torch_fill(&torch->records, slot, address, record);
    return record;
}

static lg__torch_record *
record_at(lg__torch *torch, uintptr_t address, bool *made)
{
    lg__torch_slot *slot =
        lg__torch_slot_of(torch->pass, &torch->records, address);
    *made = slot != NULL && slot->value == NULL;
    if (!*made)
        return slot != NULL ? slot->value : NULL;
    return record_in(torch, slot, address);
}

/** The Python object of a C++ object, if the Python object refers back. */
static uintptr_t
object_of(lg__torch *torch, uintptr_t address, uint16_t up, uint16_t down)
{
    uintptr_t object =
        lg__memory_word(torch->memory, address + up) & ~(uintptr_t)1;
    if (object == 0 || lg__memory_word(torch->memory, object + down) != address)
        return 0;
    return object;
}

/** Joins a C++ object with its Python object. Usually the Python object owns
 *  the C++ object. From 2.10 on (without borrowing), C++ refers to the Python
 *  object while it has other owners; before, only while it owns the Python
 *  object. */
static void
join_object(lg__torch *torch, lg__torch_record *record, uintptr_t object,
            uint16_t borrows)
{
    record->python = true;
    record->node = lg__pass_object(torch->pass, (PyObject *)object);
    if (borrows) {
        unsigned char flag = 0;
        lg__memory_copy(torch->memory, object + borrows, &flag, 1);
        record->holds = flag & 1;
        if (!record->holds && record->owners)
            record->owners--;
    } else {
        record->holds = record->owners >= 2;
        if (record->owners)
            record->owners--;
    }
}

lg__torch_record *
lg__torch_tensor(lg__torch *torch, uintptr_t impl)
{
    const lg__torch_layout *layout = torch->layout;
    lg__torch_slot *slot =
        lg__torch_slot_of(torch->pass, &torch->records, impl);
    if (slot == NULL || slot->value != NULL)
        return slot != NULL ? slot->value : NULL;
    const lg__torch_class *class = lg__torch_class_of(torch, impl);
    if (class == NULL || class->kind != LG__TORCH_IMPL)
        return NULL;
    lg__torch_record *record = record_in(torch, slot, impl);
    if (record == NULL)
        return NULL;
    record->owners = owners_of(torch, impl);
    uintptr_t object =
        object_of(torch, impl, layout->impl_object, layout->wrapper_impl);
    if (object != 0) {
        join_object(torch, record, object, layout->wrapper_borrows);
        return record;
    }
    record->node = lg__pass_native(torch->pass, (const void *)impl, class->type,
                                   lg__memory_block(torch->memory, impl), NULL);
    torch_push(torch, impl, record->node, LG__TORCH_IMPL);
    return record;
}

/** Joins a PyNode with its ctx, and any other Node with its wrapper if it has
 *  one. Up to 2.12 a PyNode owns its ctx, and a wrapper owns its node. */
static uintptr_t
object_of_node(lg__torch *torch, uintptr_t node, const lg__torch_class *class)
{
    const lg__torch_layout *layout = torch->layout;
    return class->python ? object_of(torch, node, layout->python_context,
                                     layout->context_node)
                         : object_of(torch, node, layout->node_object,
                                     layout->function_node);
}

static void
join_node(lg__torch *torch, lg__torch_record *record, uintptr_t object,
          const lg__torch_class *class)
{
    if (torch->layout->node_counted || !class->python) {
        join_object(torch, record, object, 0);
        record->holds = record->holds && torch->layout->node_counted;
    } else {
        record->python = true;
        record->holds = true;
        record->node = lg__pass_object(torch->pass, (PyObject *)object);
    }
}

lg__torch_record *
lg__torch_node(lg__torch *torch, uintptr_t node)
{
    lg__torch_slot *slot =
        lg__torch_slot_of(torch->pass, &torch->records, node);
    if (slot == NULL || slot->value != NULL)
        return slot != NULL ? slot->value : NULL;
    const lg__torch_class *class = lg__torch_class_of(torch, node);
    if (class == NULL || class->kind != LG__TORCH_AUTOGRAD)
        return NULL;
    lg__torch_record *record = record_in(torch, slot, node);
    if (record == NULL)
        return NULL;
    record->owners = owners_of_node(torch, node);
    uintptr_t object = object_of_node(torch, node, class);
    if (object != 0)
        join_node(torch, record, object, class);
    else
        record->node = lg__pass_native(torch->pass, (const void *)node,
                                       class->type, 0, NULL);
    torch_push(torch, node, record->node, LG__TORCH_AUTOGRAD);
    return record;
}

lg__torch_record *
lg__torch_script(lg__torch *torch, uintptr_t address)
{
    lg__torch_slot *slot =
        lg__torch_slot_of(torch->pass, &torch->records, address);
    if (slot == NULL || slot->value != NULL)
        return slot != NULL ? slot->value : NULL;
    const lg__torch_class *class = lg__torch_class_of(torch, address);
    if (class == NULL || class->kind < LG__TORCH_OBJECT)
        return NULL;
    lg__torch_record *record = record_in(torch, slot, address);
    if (record == NULL)
        return NULL;
    record->owners = owners_of(torch, address);
    record->node =
        lg__pass_native(torch->pass, (const void *)address, class->type,
                        lg__memory_block(torch->memory, address), NULL);
    torch_push(torch, address, record->node, class->kind);
    return record;
}

lg__torch_record *
lg__torch_storage(lg__torch *torch, uintptr_t storage, bool *first)
{
    const lg__torch_layout *layout = torch->layout;
    lg__torch_record *record = record_at(torch, storage, first);
    if (record == NULL || !*first)
        return record;
    record->owners = owners_of(torch, storage);
    uintptr_t object = layout->storage_object
                           ? object_of(torch, storage, layout->storage_object,
                                       layout->owner_impl)
                           : 0;
    if (object != 0)
        join_object(torch, record, object, layout->owner_borrows);
    return record;
}

bool
lg__torch_first(lg__torch *torch, uintptr_t address)
{
    bool made;
    record_at(torch, address, &made);
    return made;
}

/** Names an edge that tp_traverse reported for C++, if there is one. */
static bool
name_reported(lg__torch *torch, uint32_t source, uint32_t target,
              uint32_t label)
{
    lg_builder *builder = torch->builder;
    if (!lg__pass_has_edge(torch->pass, source, target))
        return false;
    uint64_t i, end;
    lg_builder_edges(builder, source, &i, &end);
    for (; i < end; i++) {
        unsigned kind = lg_builder_kind(builder, i) & LG_EDGE_KIND_MASK;
        if (lg_builder_target(builder, i) != target ||
            (kind != LG_EDGE_REFERENCE && kind != LG_EDGE_FIELD))
            continue;
        lg_builder_rename(builder, i, LG_EDGE_ATTRIBUTE | LG_EDGE_TRAVERSED,
                          label);
        return true;
    }
    return false;
}

static void
link_as(lg__torch *torch, uint32_t source, lg__torch_record *target,
        unsigned kind, uint32_t label)
{
    lg_builder *builder = torch->builder;
    target->found++;
    if (target->node == LG_NONE)
        return;
    if (!target->python) {
        lg_builder_add_late_edge(builder, source, target->node, kind, label);
    } else if (target->holds &&
               name_reported(torch, source, target->node, label)) {
        target->holds = false; /* that edge explains the reference */
    } else if (target->first_source == LG_NONE) {
        target->first_source = source;
        target->first_label = label;
        target->first_kind = (uint8_t)kind;
    } else {
        lg_builder_add_late_edge(builder, source, target->node,
                                 kind | LG_EDGE_UNCOUNTED, label);
    }
}

void
lg__torch_link(lg__torch *torch, uint32_t source, lg__torch_record *target,
               uint32_t label)
{
    link_as(torch, source, target, LG_EDGE_ATTRIBUTE, label);
}

void
lg__torch_link_member(lg__torch *torch, uint32_t source,
                      lg__torch_record *target, uint32_t label)
{
    link_as(torch, source, target, LG_EDGE_NATIVE, label);
}

void
lg__torch_link_element(lg__torch *torch, uint32_t source,
                       lg__torch_record *target, uint32_t index)
{
    link_as(torch, source, target, LG_EDGE_INDEX, index);
}

static void
hold_as(lg__torch *torch, uint32_t source, uintptr_t object, unsigned kind,
        uint32_t label)
{
    if (object == 0)
        return;
    uint32_t node = lg__pass_object(torch->pass, (PyObject *)object);
    if (node != LG_NONE && !lg__pass_has_edge(torch->pass, source, node))
        lg_builder_add_late_edge(torch->builder, source, node, kind, label);
}

void
lg__torch_hold(lg__torch *torch, uint32_t source, uintptr_t object,
               uint32_t label)
{
    hold_as(torch, source, object, LG_EDGE_ATTRIBUTE, label);
}

void
lg__torch_hold_member(lg__torch *torch, uint32_t source, uintptr_t object,
                      uint32_t label)
{
    hold_as(torch, source, object, LG_EDGE_NATIVE, label);
}

lg__torch_record *
lg__torch_value_record(lg__torch *torch, const lg__torch_value *value)
{
    const lg__torch_script_layout *layout = &torch->layout->script;
    if (value->tag == layout->tag_int || !lg__is_address(value->payload))
        return NULL;
    if (value->tag == layout->tag_tensor)
        return lg__torch_tensor(torch, value->payload);
    return lg__torch_script(torch, value->payload);
}
