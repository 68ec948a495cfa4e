/**
 * Futures. A future has a value of TorchScript: a tensor, a container, or what
 * keeps a Python object. Until then, it has a vector of the functions that wait
 * for the value. It also notes the storages of its value without owning them.
 */
#include "bytes/torch/torch_bound.h"

enum {
    WORD = sizeof(uintptr_t),
    MEMBERS = 64, /**< the most words of a future */
};

static void
link_value(lg__torch *torch, uint32_t node, uintptr_t word)
{
    const lg__torch_class *class =
        lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
    lg__torch_record *record = NULL;
    if (class != NULL && class->kind == LG__TORCH_IMPL)
        record = lg__torch_tensor(torch, word);
    else if (class != NULL && class->kind >= LG__TORCH_OBJECT)
        record = lg__torch_script(torch, word);
    if (record != NULL)
        lg__torch_link_member(torch, node, record,
                              lg__torch_intern(torch, "value()"));
}

/** Searches a vector for functions. The first word of a function is no object
 *  of PyTorch, unlike that of a reference to a storage. */
static void
search_vector(lg__torch *torch, uint32_t node, const uintptr_t *words)
{
    if (words[0] < words[1] && lg__torch_is_vector(torch, words) &&
        lg__torch_class_of(torch, lg__memory_word(torch->memory, words[0])) ==
            NULL)
        lg__torch_search_waiting(torch, words[0], node);
}

void
lg__torch_walk_future(lg__torch *torch, const lg__torch_task *task)
{
    uintptr_t words[MEMBERS];
    size_t begin = torch->layout->impl_storage;
    size_t size = lg__memory_block(torch->memory, task->address);
    size_t count = size > begin + WORD ? (size - begin - WORD) / WORD : 0;
    count = count < MEMBERS ? count : MEMBERS;
    if (!lg__memory_copy(torch->memory, task->address + begin, words,
                         count * WORD))
        return;
    for (size_t i = 0; i < count; i++) {
        link_value(torch, task->node, words[i]);
        if (i + 3 <= count)
            search_vector(torch, task->node, words + i);
    }
}
