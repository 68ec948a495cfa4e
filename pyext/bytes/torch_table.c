#include "torch.h"

#include <string.h>

enum { FIRST_CAPACITY = 256 };

static size_t
place_of(const lg_torch_table *table, uintptr_t key)
{
    return (key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20 &
           (table->capacity - 1);
}

/** The slot that has the key, or the empty one where it belongs. */
static lg_torch_slot *
find(const lg_torch_table *table, uintptr_t key)
{
    size_t at = place_of(table, key);
    while (table->slots[at].value != NULL && table->slots[at].key != key)
        at = (at + 1) & (table->capacity - 1);
    return &table->slots[at];
}

static bool
grow(lg_torch *torch, lg_torch_table *table)
{
    lg_torch_table grown = *table;
    grown.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
    grown.slots =
        lg_survey_keep(torch->survey, grown.capacity * sizeof *grown.slots);
    if (grown.slots == NULL)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].value != NULL)
            *find(&grown, table->slots[i].key) = table->slots[i];
    *table = grown;
    return true;
}

lg_torch_slot *
lg_torch_slot_of(lg_torch *torch, lg_torch_table *table, uintptr_t key)
{
    if (2 * table->count >= table->capacity && !grow(torch, table))
        return NULL;
    return find(table, key);
}

void
lg_torch_fill(lg_torch_table *table, lg_torch_slot *slot, uintptr_t key,
              void *value)
{
    *slot = (lg_torch_slot){key, value};
    table->count++;
}

void
lg_torch_push(lg_torch *torch, uintptr_t address, uint32_t node, bool tensor)
{
    if (torch->task_end == torch->task_capacity) {
        size_t capacity = torch->task_capacity ? 2 * torch->task_capacity : 512;
        lg_torch_task *tasks =
            lg_survey_keep(torch->survey, capacity * sizeof *tasks);
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
    torch->tasks[torch->task_end++] = (lg_torch_task){address, node, tensor};
}

uint32_t
lg_torch_intern(lg_torch *torch, const char *text)
{
    uint32_t id = lg_builder_intern(torch->builder, text, strlen(text));
    return id != UINT32_MAX ? id : 0;
}
