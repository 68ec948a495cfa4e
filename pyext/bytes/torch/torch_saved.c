/** Tensors saved for backward: SavedVariables in a node, in a vector, in a
 *  ctx. */
#include "bytes/torch/torch.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <string.h>

enum { WORD = sizeof(uintptr_t), SAVED_WORDS = 32 };

static bool
is_kind(lg__torch *torch, uintptr_t object, lg__torch_kind kind)
{
    const lg__torch_class *class =
        lg__is_address(object) ? lg__torch_class_of(torch, object) : NULL;
    return class != NULL && class->kind == kind;
}

/** Returns whether the words between the tensor and the flags are possible: the
 *  gradient of forward mode, a weak reference to a node, and a counter, if they
 *  are in use. Each is a pointer to an object with a vtable, or the first of
 *  the two words of a shared_ptr, and never a tensor. */
static bool
is_quiet(lg__torch *torch, const uintptr_t *words, size_t end)
{
    for (size_t i = 1; i < end; i++) {
        if (words[i] == 0)
            continue;
        if (!lg__is_address(words[i]))
            return false;
        const lg__torch_class *class = lg__torch_class_of(torch, words[i]);
        if (class == NULL && i + 1 < end && lg__is_address(words[i + 1]))
            class = lg__torch_class_of(torch, words[++i]);
        if (class == NULL || class->kind == LG__TORCH_IMPL)
            return false;
    }
    return true;
}

/** Returns whether the five flags are possible: each is 0 or 1, and with a
 *  tensor the first is 0. */
static bool
are_flags(uint64_t flags, bool tensor)
{
    return (flags & UINT64_C(0xfefefefefe)) == 0 && !(tensor && (flags & 1));
}

/* Uninitialised memory, such as the unused half of a number, may hold the
   remains of another node. So this checks each word. */
bool
lg__torch_is_saved(lg__torch *torch, const uintptr_t *words, size_t length)
{
    const lg__torch_layout *layout = torch->layout;
    if (length < layout->saved_size)
        return false;
    bool none = words[0] == layout->undefined;
    if (!none && !is_kind(torch, words[0], LG__TORCH_IMPL))
        return false;
    uintptr_t hooks = words[layout->saved_hooks / WORD];
    uintptr_t node = words[layout->saved_grad_fn / WORD];
    uintptr_t leaf = layout->saved_leaf ? words[layout->saved_leaf / WORD] : 0;
    if (hooks == 0 ? (node | leaf) != 0
                   : !is_kind(torch, hooks, LG__TORCH_HOOKS))
        return false;
    uintptr_t counter =
        layout->saved_counter ? words[layout->saved_counter / WORD] : 0;
    if (layout->saved_counter && !none && counter == 0)
        return false;
    /* The version and the number of the output stand right before the flags. */
    return are_flags(words[layout->saved_flags / WORD], !none) &&
           is_quiet(torch, words, layout->saved_flags / WORD - 1);
}

/** Links what hooks in Python made from the tensor, and their functions. */
static void
link_hooks(lg__torch *torch, uint32_t node, uintptr_t hooks,
           const lg__torch_labels *labels)
{
    const lg__torch_layout *layout = torch->layout;
    lg__memory *memory = torch->memory;
    lg__torch_hold(torch, node,
                   lg__memory_word(memory, hooks + layout->hooks_packed),
                   labels->packed);
    lg__torch_hold(torch, node,
                   lg__memory_word(memory, hooks + layout->hooks_unpack),
                   labels->unpack);
    if (layout->hooks_pack)
        lg__torch_hold(torch, node,
                       lg__memory_word(memory, hooks + layout->hooks_pack),
                       torch->names.pack);
}

static void
link_node(lg__torch *torch, uint32_t node, uintptr_t target)
{
    lg__torch_record *record =
        target != 0 ? lg__torch_node(torch, target) : NULL;
    if (record != NULL)
        lg__torch_link(torch, node, record, torch->names.grad_fn);
}

/** Returns whether the tensor was modified in place after it was saved, so that
 *  a backward pass would raise an error. */
static bool
is_modified(lg__torch *torch, const uintptr_t *words)
{
    const lg__torch_layout *layout = torch->layout;
    uint32_t saved, now;
    if (layout->saved_version == 0)
        return false;
    uintptr_t counter =
        layout->saved_counter
            ? words[layout->saved_counter / WORD]
            : lg__memory_word(torch->memory, words[0] + layout->impl_version);
    if (!lg__is_address(counter) ||
        !lg__memory_copy(torch->memory, counter + layout->counter_version, &now,
                         sizeof now))
        return false;
    memcpy(&saved, (const char *)words + layout->saved_version, sizeof saved);
    return saved != now;
}

void
lg__torch_link_saved(lg__torch *torch, uint32_t node, const uintptr_t *words,
                     const lg__torch_labels *labels, lg__torch_tally *tally)
{
    const lg__torch_layout *layout = torch->layout;
    lg__torch_record *tensor = words[0] != layout->undefined
                                   ? lg__torch_tensor(torch, words[0])
                                   : NULL;
    uintptr_t hooks = words[layout->saved_hooks / WORD];
    if (tensor != NULL)
        lg__torch_link(torch, node, tensor, labels->tensor);
    tally->saved += tensor != NULL || hooks != 0;
    if (hooks == 0) {
        tally->modified += tensor != NULL && is_modified(torch, words);
        return;
    }
    tally->hooked++;
    tally->cost += lg__memory_block(torch->memory, hooks);
    const lg__torch_class *class = lg__torch_class_of(torch, hooks);
    if (class != NULL && class->python)
        link_hooks(torch, node, hooks, labels);
    link_node(torch, node, words[layout->saved_grad_fn / WORD]);
    if (layout->saved_leaf)
        link_node(torch, node, words[layout->saved_leaf / WORD]);
}

bool
lg__torch_is_saved_list(lg__torch *torch, const uintptr_t *words, size_t length)
{
    size_t each = torch->layout->saved_size;
    uintptr_t saved[SAVED_WORDS];
    if (length < 3 * WORD || !lg__is_address(words[0]) ||
        words[1] <= words[0] || words[2] < words[1] ||
        (words[1] - words[0]) % each != 0 || (words[2] - words[0]) % each != 0)
        return false;
    return lg__memory_copy(torch->memory, words[0], saved, each) &&
           lg__torch_is_saved(torch, saved, each);
}

void
lg__torch_link_saved_list(lg__torch *torch, uint32_t node,
                          const uintptr_t *words, const char *prefix,
                          const char *name, lg__torch_tally *tally)
{
    size_t each = torch->layout->saved_size, index = 0;
    uintptr_t saved[SAVED_WORDS];
    for (uintptr_t at = words[0]; at < words[1]; at += each, index++) {
        char x[160];
        if (!lg__memory_copy(torch->memory, at, saved, each) ||
            !lg__torch_is_saved(torch, saved, each))
            break;
        snprintf(x, sizeof x, "%s[%zu]", name, index);
        lg__torch_labels labels = lg__torch_labels_of(torch, prefix, x);
        lg__torch_link_saved(torch, node, saved, &labels, tally);
    }
}

static void
add_count(lg__torch *torch, uint32_t node, uint32_t key, uint32_t count)
{
    char text[16];
    uint32_t value = 0;
    if (count == 0)
        return;
    if (count < LG__TORCH_NUMBERS) {
        value = torch->number[count];
    } else {
        snprintf(text, sizeof text, "%u", count);
        value = lg__torch_intern(torch, text);
    }
    lg_builder_add_fact_ids(torch->builder, node, key, value);
}

void
lg__torch_note_tally(lg__torch *torch, uint32_t node,
                     const lg__torch_tally *tally)
{
    lg__pass_add_size(torch->pass, node, (int64_t)tally->cost);
    add_count(torch, node, torch->names.saved, tally->saved);
    add_count(torch, node, torch->names.hooked, tally->hooked);
    add_count(torch, node, torch->names.modified, tally->modified);
}

void
lg__torch_walk_context(lg__torch *torch, PyObject *context, uint32_t node)
{
    uintptr_t words[3];
    lg__torch_tally tally = {0};
    memcpy(words, (const char *)context + torch->layout->context_saved,
           sizeof words);
    if (!lg__torch_is_saved_list(torch, words, sizeof words))
        return;
    lg__torch_link_saved_list(torch, node, words, "saved_", "tensors", &tally);
    tally.cost += lg__memory_block(torch->memory, words[0]);
    lg__torch_note_tally(torch, node, &tally);
}

void
lg__torch_walk_saved(lg__torch *torch, PyObject *saved, uint32_t node)
{
    const lg__torch_layout *layout = torch->layout;
    uintptr_t words[SAVED_WORDS], address;
    const char *object = (const char *)saved;
    lg__torch_tally tally = {0};
    lg__torch_labels labels = {torch->names.data, torch->names.data,
                               torch->names.unpack};
    if (!layout->raw_owned || !(object[layout->raw_owned] & 1))
        return;
    memcpy(&address, object + layout->raw_saved, sizeof address);
    if (!lg__memory_copy(torch->memory, address, words, layout->saved_size) ||
        !lg__torch_is_saved(torch, words, layout->saved_size))
        return;
    lg__torch_link_saved(torch, node, words, &labels, &tally);
    tally.cost += lg__memory_block(torch->memory, address);
    lg__torch_note_tally(torch, node, &tally);
}
