/** The queue of C++ objects that the pass has yet to visit. */
#include "bytes/torch/torch.h"

#include <string.h>

void
lg__torch_push(lg__torch *torch, uintptr_t address, uint32_t node,
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

uint32_t
lg__torch_intern(lg__torch *torch, const char *text)
{
    uint32_t id = lg_builder_intern(torch->builder, text, strlen(text));
    return id != UINT32_MAX ? id : 0;
}
