/** Autograd nodes, and the tensors that they save for backward. */
#include "bytes/torch/torch.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <string.h>

/** Tensors saved for backward: SavedVariables in a node, in a vector, in a
 *  ctx. */

enum { WORD = sizeof(uintptr_t), SAVED_WORDS = 32 };

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

/** Returns whether these words are a SavedVariable. */
/* Uninitialised memory, such as the unused half of a number, may hold the
   remains of another node. So this checks each word. */
static bool
torch_is_saved(lg__torch *torch, const uintptr_t *words, size_t length)
{
    const lg__torch_layout *layout = torch->layout;
    if (length < layout->saved_size)
        return false;
    bool none = words[0] == layout->undefined;
    if (!none && !lg__torch_is_a(torch, words[0], LG__TORCH_IMPL))
        return false;
    uintptr_t hooks = words[layout->saved_hooks / WORD];
    uintptr_t node = words[layout->saved_grad_fn / WORD];
    uintptr_t leaf = layout->saved_leaf ? words[layout->saved_leaf / WORD] : 0;
    if (hooks == 0 ? (node | leaf) != 0
                   : !lg__torch_is_a(torch, hooks, LG__TORCH_HOOKS))
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

/** Links the objects that a SavedVariable refers to. */
static void
torch_link_saved(lg__torch *torch, uint32_t node, const uintptr_t *words,
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

/** Returns whether these three words are a vector of SavedVariables that is not
 *  empty. */
static bool
torch_is_saved_list(lg__torch *torch, const uintptr_t *words, size_t length)
{
    size_t each = torch->layout->saved_size;
    uintptr_t saved[SAVED_WORDS];
    if (length < 3 * WORD || !lg__is_address(words[0]) ||
        words[1] <= words[0] || words[2] < words[1] ||
        (words[1] - words[0]) % each != 0 || (words[2] - words[0]) % each != 0)
        return false;
    return lg__memory_copy(torch->memory, words[0], saved, each) &&
           torch_is_saved(torch, saved, each);
}

/** Links all SavedVariables of a vector, with the index after each name. */
static void
torch_link_saved_list(lg__torch *torch, uint32_t node, const uintptr_t *words,
                      const char *prefix, const char *name,
                      lg__torch_tally *tally)
{
    size_t each = torch->layout->saved_size, index = 0;
    uintptr_t saved[SAVED_WORDS];
    for (uintptr_t at = words[0]; at < words[1]; at += each, index++) {
        char x[160];
        if (!lg__memory_copy(torch->memory, at, saved, each) ||
            !torch_is_saved(torch, saved, each))
            break;
        snprintf(x, sizeof x, "%s[%zu]", name, index);
        lg__torch_labels labels = lg__torch_labels_of(torch, prefix, x);
        torch_link_saved(torch, node, saved, &labels, tally);
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

/** Adds the bytes and the facts to the node. */
static void
torch_note_tally(lg__torch *torch, uint32_t node, const lg__torch_tally *tally)
{
    lg__pass_add_size(torch->pass, node, (int64_t)tally->cost);
    add_count(torch, node, torch->names.saved, tally->saved);
    add_count(torch, node, torch->names.hooked, tally->hooked);
    add_count(torch, node, torch->names.modified, tally->modified);
}

/** Adds the tensors that a Function written in Python saved. */
static void
walk_context(lg__torch *torch, PyObject *context, uint32_t node)
{
    uintptr_t words[3];
    lg__torch_tally tally = {0};
    memcpy(words, (const char *)context + torch->layout->context_saved,
           sizeof words);
    if (!torch_is_saved_list(torch, words, sizeof words))
        return;
    torch_link_saved_list(torch, node, words, "saved_", "tensors", &tally);
    tally.cost += lg__memory_block(torch->memory, words[0]);
    torch_note_tally(torch, node, &tally);
}

/** Adds what a SavedTensor object shows, if it owns that. */
static void
walk_saved(lg__torch *torch, PyObject *saved, uint32_t node)
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
        !torch_is_saved(torch, words, layout->saved_size))
        return;
    torch_link_saved(torch, node, words, &labels, &tally);
    tally.cost += lg__memory_block(torch->memory, address);
    torch_note_tally(torch, node, &tally);
}

/**
 * Autograd nodes: their edges, and what their members own. A generated node
 * (MulBackward0) has SavedVariables, vectors of them, and plain data. Any other
 * node may own tensors as well.
 */

enum { BODY_WORDS = 1024, SLOTS = 32, EDGES = 1 << 20 };

/** A copy of a node, of at most BODY_WORDS. */
typedef struct node_body {
    uintptr_t words[BODY_WORDS];
    size_t length; /**< length in bytes */
    size_t cost;   /**< bytes of the node and of its shared_ptr's block */
} node_body;

/** Up to 2.12 a shared_ptr owns the node. Its block lies right before the node
 *  (make_shared) or elsewhere. */
static bool
read_body(lg__torch *torch, uintptr_t node, node_body *out)
{
    const lg__torch_layout *layout = torch->layout;
    size_t block = 0;
    out->cost = 0;
    if (!layout->node_counted) {
        uintptr_t counts = lg__memory_word(torch->memory, node + 2 * WORD);
        out->cost = lg__memory_block(torch->memory, counts);
        if (counts == node - 2 * WORD)
            block = out->cost > 2 * WORD ? out->cost - 2 * WORD : 0;
    }
    if (block == 0) {
        block = lg__memory_block(torch->memory, node);
        out->cost += block;
    }
    out->length = block > WORD ? block - WORD : 0;
    if (out->length < layout->node_members)
        out->length = layout->node_members;
    if (out->length > sizeof out->words)
        out->length = sizeof out->words;
    return lg__memory_copy(torch->memory, node, out->words, out->length);
}

static uint32_t
label_of_edge(lg__torch *torch, size_t i)
{
    char text[48];
    if (i < LG__TORCH_NUMBERS)
        return torch->next[i];
    snprintf(text, sizeof text, "next_functions[%zu][0]", i);
    return lg__torch_intern(torch, text);
}

static void
link_edges(lg__torch *torch, const node_body *body, uint32_t node)
{
    const lg__torch_layout *layout = torch->layout;
    size_t at = layout->node_edges / WORD;
    uintptr_t begin = body->words[at], end = body->words[at + 1];
    if (end <= begin || (end - begin) / layout->edge_size > EDGES)
        return;
    for (size_t i = 0; begin + i * layout->edge_size < end; i++) {
        uintptr_t next =
            lg__memory_word(torch->memory, begin + i * layout->edge_size);
        lg__torch_record *record =
            next != 0 ? lg__torch_node(torch, next) : NULL;
        if (record == NULL)
            continue;
        lg__torch_link(torch, node, record, label_of_edge(torch, i));
    }
}

static void
link_hook(lg__torch *torch, uintptr_t hook, uint32_t node)
{
    const lg__torch_class *class =
        lg__is_address(hook) ? lg__torch_class_of(torch, hook) : NULL;
    if (class != NULL && class->kind == LG__TORCH_HOOK)
        lg__torch_hold(torch, node, lg__memory_word(torch->memory, hook + WORD),
                       torch->names.node_hooks);
}

/** Adds the members that every Node has before those of its class: vectors of
 *  hooks, and the record of anomaly detection. Returns their size. */
static size_t
link_head(lg__torch *torch, uintptr_t address, const node_body *body,
          uint32_t node)
{
    const lg__torch_layout *layout = torch->layout;
    size_t edges = layout->node_edges / WORD;
    for (size_t i = 1; i < layout->node_members / WORD; i++) {
        uintptr_t word = body->words[i], end = body->words[i + 1];
        if (!lg__is_address(word) || (i >= edges && i < edges + 3) ||
            (word >= address && word < address + body->length) || end <= word ||
            end - word > 256 * WORD)
            continue;
        for (uintptr_t at = word; at < end; at += WORD)
            link_hook(torch, lg__memory_word(torch->memory, at), node);
    }
    uintptr_t metadata = body->words[layout->node_metadata / WORD];
    const lg__torch_class *class =
        metadata != 0 ? lg__torch_class_of(torch, metadata) : NULL;
    if (class == NULL || class->kind != LG__TORCH_ANOMALY)
        return 0;
    lg__torch_hold(
        torch, node,
        lg__memory_word(torch->memory, metadata + layout->metadata_dict),
        torch->names.metadata);
    return lg__memory_block(torch->memory, metadata);
}

/** A place in a node that saves a tensor, or a list of tensors. */
typedef struct slot {
    uint16_t word;
    bool list;
} slot;

static void
link_slot(lg__torch *torch, uint32_t node, const uintptr_t *words,
          const lg__torch_class *class, unsigned i, bool named, bool list,
          lg__torch_tally *tally)
{
    char x[16];
    snprintf(x, sizeof x, "%u", i);
    const char *name = named ? class->saved[i] : x;
    if (list) {
        torch_link_saved_list(torch, node, words, "_saved_", name, tally);
    } else if (named) {
        torch_link_saved(torch, node, words, &class->labels[i], tally);
    } else {
        lg__torch_labels labels = lg__torch_labels_of(torch, "_saved_", x);
        torch_link_saved(torch, node, words, &labels, tally);
    }
}

/** Finds the places; returns how many. */
static unsigned
find_slots(lg__torch *torch, const node_body *body, slot *slots)
{
    const lg__torch_layout *layout = torch->layout;
    unsigned count = 0;
    size_t k = layout->node_members / WORD, end = body->length / WORD;
    while (k < end && count < SLOTS) {
        const uintptr_t *words = body->words + k;
        size_t left = (end - k) * WORD;
        bool one = torch_is_saved(torch, words, left);
        bool list = !one && torch_is_saved_list(torch, words, left);
        if (one || list)
            slots[count++] = (slot){(uint16_t)k, list};
        k += one ? layout->saved_size / WORD : list ? 3 : 1;
    }
    return count;
}

static void
link_saved(lg__torch *torch, const node_body *body,
           const lg__torch_class *class, uint32_t node, lg__torch_tally *tally)
{
    slot slots[SLOTS];
    unsigned count = find_slots(torch, body, slots);
    /* An empty list leaves no trace, so the names of the others are unknown. */
    bool named = count == class->saved_count;
    for (unsigned i = 0; i < count; i++)
        link_slot(torch, node, body->words + slots[i].word, class, i, named,
                  slots[i].list, tally);
}

static bool
link_tensor(lg__torch *torch, uintptr_t word, uint32_t node, uint32_t label)
{
    lg__torch_record *tensor =
        lg__is_address(word) ? lg__torch_tensor(torch, word) : NULL;
    if (tensor != NULL)
        lg__torch_link(torch, node, tensor, label);
    return tensor != NULL;
}

/** Adds what else a handwritten node owns: tensors, vectors of them, other
 *  nodes. */
static void
link_others(lg__torch *torch, const node_body *body, uint32_t node)
{
    const lg__torch_layout *layout = torch->layout;
    size_t k = layout->node_members / WORD, end = body->length / WORD;
    while (k < end) {
        const uintptr_t *words = body->words + k;
        if (torch_is_saved(torch, words, (end - k) * WORD)) {
            k += layout->saved_size / WORD;
            continue;
        }
        k++;
        if (link_tensor(torch, words[0], node, torch->names.tensor))
            continue;
        lg__torch_record *other =
            lg__is_address(words[0]) ? lg__torch_node(torch, words[0]) : NULL;
        if (other != NULL)
            lg__torch_link(torch, node, other, torch->names.function);
        if (other != NULL || k + 1 >= end || !lg__is_address(words[0]) ||
            words[1] <= words[0] || words[1] - words[0] > 4096 * WORD ||
            words[2] < words[1])
            continue;
        for (uintptr_t at = words[0]; at < words[1]; at += WORD)
            if (!link_tensor(torch, lg__memory_word(torch->memory, at), node,
                             torch->names.tensor))
                break;
    }
}

/** The bytes of vectors of plain data among the members: sizes, dimensions. */
static size_t
cost_of_vectors(lg__torch *torch, const node_body *body)
{
    size_t cost = 0, end = body->length / WORD;
    for (size_t k = torch->layout->node_members / WORD; k + 2 < end; k++) {
        const uintptr_t *words = body->words + k;
        size_t room = words[2] - words[0];
        if (!lg__is_address(words[0]) || words[1] < words[0] ||
            words[2] < words[1] || room == 0 || room > 1 << 20)
            continue;
        size_t block = lg__memory_block(torch->memory, words[0]);
        if (block < room + WORD || block > room + 4 * WORD)
            continue;
        cost += block;
        k += 2;
    }
    return cost;
}

static void
walk_node(lg__torch *torch, const lg__torch_task *task)
{
    const uintptr_t address = task->address;
    const uint32_t node = task->node;
    const lg__torch_layout *layout = torch->layout;
    const lg__torch_class *class = lg__torch_class_of(torch, address);
    lg__torch_tally tally = {0};
    node_body body;
    if (class == NULL || !read_body(torch, address, &body))
        return;
    if (!class->python)
        lg_builder_put_type(torch->builder, node, class->type);
    tally.cost =
        body.cost +
        lg__memory_block(torch->memory, body.words[layout->node_edges / WORD]);
    link_edges(torch, &body, node);
    tally.cost += link_head(torch, address, &body, node);
    if (class->accumulates) {
        link_tensor(torch, body.words[layout->accumulate_leaf / WORD], node,
                    torch->names.variable);
    } else if (!class->python) {
        link_saved(torch, &body, class, node, &tally);
        if (!class->generated)
            link_others(torch, &body, node);
        tally.cost += cost_of_vectors(torch, &body);
    }
    torch_note_tally(torch, node, &tally);
}

/** Up to 2.12 a ctx does not own its node, which may be gone. */
static void
scan_context(lg__torch *torch, const lg__instance *instance)
{
    const lg__torch_layout *layout = torch->layout;
    uintptr_t node = lg__torch_word_at(instance->object, layout->context_node);
    if (!layout->node_counted) {
        uintptr_t counts =
            lg__torch_word_at(instance->object, layout->context_node + WORD);
        if ((lg__memory_word(torch->memory, counts + WORD) & UINT32_MAX) == 0)
            node = 0;
    }
    if (node != 0)
        lg__torch_node(torch, node);
    walk_context(torch, instance->object, instance->node);
}

static void
scan_instance(lg__torch *torch, const lg__instance *instance)
{
    if (instance->kind == LG__TORCH_CONTEXT)
        scan_context(torch, instance);
    else if (instance->kind == LG__TORCH_SAVED)
        walk_saved(torch, instance->object, instance->node);
    else
        lg__torch_node(torch, lg__torch_word_at(instance->object,
                                                torch->layout->function_node));
}

const lg__torch_sort lg__torch_nodes = {scan_instance, walk_node};
