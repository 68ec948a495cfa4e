// The calls of a producer. Failure is sticky: see builder.h.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

void
lg__builder_fail(lg_builder *builder, lg_status status)
{
    if (builder->status == LG_OK)
        builder->status = status;
}

lg_status
lg__builder_status(const lg_builder *builder, lg_error *err)
{
    switch (builder->status) {
    case LG_OK:
        return LG_OK;
    case LG_ELIMIT:
        return lg_error_set(err, LG_ELIMIT,
                            "more objects or references than a graph "
                            "can hold (4 billion of each)");
    case LG_ECANCELLED:
        return lg_error_set(err, LG_ECANCELLED,
                            "cancelled while comparing contents");
    case LG_EINVAL:
        return lg_error_set(err, LG_EINVAL,
                            "a node was opened out of order, or put on a "
                            "device that was not added");
    default:
        return lg__error_memory(err);
    }
}

bool
lg__rest_push(struct lg_builder_rest *rest, enum lg__array_name name,
              uint32_t value)
{
    uint32_t *place =
        lg__vector_extend(&rest->allocator, &rest->table[name], 1);
    if (place == NULL)
        return false;
    *place = value;
    return true;
}

static void
push(lg_builder *builder, enum lg__array_name name, uint32_t value)
{
    if (!lg__rest_push(builder->rest, name, value))
        lg__builder_fail(builder, LG_ENOMEM);
}

static void
rest_init(struct lg_builder_rest *rest, const lg_allocator *allocator)
{
    memset(rest, 0, sizeof *rest);
    rest->allocator = *allocator;
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++)
        rest->table[i].element = lg__array_infos[i].element;
    rest->strings.offset = &rest->table[LG__STRING_OFFSET];
    rest->strings.bytes = &rest->table[LG__STRING_BYTES];
    rest->text.element = sizeof(lg__node_text);
    lg__packing_open(allocator, 0, &rest->left.read);
    lg__packing_open(allocator, 0, &rest->left.next);
    rest->far.element = sizeof(lg__node_number);
    rest->size = lg__numbers_open(sizeof(uint16_t), true);
    rest->refcount = lg__numbers_open(sizeof(uint8_t), false);
    rest->found = lg__numbers_open(sizeof(uint8_t), true);
    rest->counts = lg__counts_open();
    rest->held.element = sizeof(lg__node_number);
    rest->placed.element = sizeof(lg__node_number);
    rest->late.element = sizeof(lg__late_edge);
    rest->tentative.element = sizeof(lg__late_edge);
    rest->span.element = sizeof(lg__span);
    rest->fact.element = sizeof(lg__fact);
    rest->segment.element = sizeof(lg__segment);
    rest->block.element = sizeof(lg_block);
    rest->content.element = sizeof(lg__content);
    lg__windows_open(&rest->windows);
}

// String 0 is empty and type 0 is "?".
static void
add_firsts(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    uint64_t *offset =
        lg__vector_extend(&rest->allocator, &rest->table[LG__STRING_OFFSET], 1);
    if (offset == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return;
    }
    *offset = 0;
    push(builder, LG__TYPE_FIRST_BASE, 0);
    lg_builder_intern(builder, "", 0);
    lg_builder_add_type(builder, "?", 1, LG_NONE, NULL, 0);
}

lg_status
lg_builder_new_in(const lg_allocator *allocator, lg_builder **out,
                  lg_error *err)
{
    lg_allocator chosen = allocator ? *allocator : lg_allocator_default();
    lg_builder *builder = lg__allocate(&chosen, sizeof *builder);
    struct lg_builder_rest *rest = lg__allocate(&chosen, sizeof *rest);
    if (builder == NULL || rest == NULL) {
        lg__deallocate(&chosen, builder, sizeof *builder);
        lg__deallocate(&chosen, rest, sizeof *rest);
        lg__allocator_release(&chosen);
        return lg__error_memory(err);
    }
    memset(builder, 0, sizeof *builder);
    builder->open_node = LG_NONE;
    builder->rest = rest;
    rest_init(rest, &chosen);
    add_firsts(builder);
    if (builder->status != LG_OK) {
        lg_builder_free(builder);
        return lg__error_memory(err);
    }
    *out = builder;
    return LG_OK;
}

lg_status
lg_builder_new(lg_builder **out, lg_error *err)
{
    return lg_builder_new_in(NULL, out, err);
}

lg_node
lg_builder_add_node(lg_builder *builder, uint64_t address)
{
    lg_node node = lg_builder_number_node(builder, address);
    if (node != LG_NONE) {
        lg_builder_put_type(builder, node, 0);
        builder->size[node] = 0;
        builder->refcount[node] = 0;
    }
    return node;
}

void
lg_builder_open(lg_builder *builder, lg_node node)
{
    lg_builder_begin_edges(builder, node);
}

void
lg_builder_add_edge(lg_builder *builder, lg_node target, unsigned kind,
                    uint32_t payload)
{
    if (target > LG_TARGET_MASK && target != LG_NONE &&
        !lg__builder_widen_targets(builder))
        return;
    lg_builder_append_edge(builder, target, kind, payload);
}

static void
free_made(struct lg_builder_rest *rest)
{
    for (size_t i = 0; i <= LG_NARROW_FOUND; i++) {
        const lg__made_column *made = &rest->made[i];
        lg__deallocate(&rest->allocator, made->array.owned,
                       made->array.owned_size);
        lg__deallocate(&rest->allocator, made->beside.owned,
                       made->beside.owned_size);
    }
}

static void
builder_free_columns(lg_builder *builder)
{
    for (int i = 0; i < LG__OPEN_COUNT; i++) {
        lg__vector column =
            lg__builder_take(builder, (enum lg__open_column)i, 0);
        lg__vector_free(&builder->rest->allocator, &column);
    }
}

void
lg_builder_free(lg_builder *builder)
{
    if (builder == NULL)
        return;
    struct lg_builder_rest *rest = builder->rest;
    lg_allocator allocator = rest->allocator;
    builder_free_columns(builder);
    lg__strings_free(&allocator, &rest->strings);
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++)
        lg__vector_free(&allocator, &rest->table[i]);
    lg__additions_free(builder);
    lg__windows_free(&allocator, &rest->windows);
    lg__deallocate(&allocator, rest->payloads.block, rest->payloads.block_size);
    lg__vector_free(&allocator, &rest->payloads.listed);
    lg__vector_free(&allocator, &rest->text);
    lg__deallocate(&allocator, rest->texts,
                   lg__marked_blocks(builder->node_count) *
                       sizeof *rest->texts);
    lg__packing_free(&allocator, &rest->left.read);
    lg__packing_free(&allocator, &rest->left.next);
    lg__vector_free(&allocator, &rest->far);
    lg__vector_free(&allocator, &rest->size.listed);
    lg__vector_free(&allocator, &rest->refcount.listed);
    lg__vector_free(&allocator, &rest->found.listed);
    lg__counts_free(&allocator, &rest->counts);
    free_made(rest);
    lg__vector_free(&allocator, &rest->held);
    lg__vector_free(&allocator, &rest->placed);
    lg__vector_free(&allocator, &rest->late);
    lg__vector_free(&allocator, &rest->tentative);
    lg__vector_free(&allocator, &rest->span);
    lg__vector_free(&allocator, &rest->fact);
    lg__vector_free(&allocator, &rest->segment);
    lg__vector_free(&allocator, &rest->block);
    lg__vector_free(&allocator, &rest->content);
    lg__deallocate(&allocator, rest, sizeof *rest);
    lg__deallocate(&allocator, builder, sizeof *builder);
    lg__allocator_release(&allocator);
}

void
lg_builder_add_late_edge(lg_builder *builder, lg_node source, lg_node target,
                         unsigned kind, uint32_t payload)
{
    if (target == LG_NONE || source == LG_NONE)
        return;
    struct lg_builder_rest *rest = builder->rest;
    lg__late_edge *edge = lg__vector_extend(&rest->allocator, &rest->late, 1);
    if (edge == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return;
    }
    *edge = (lg__late_edge){source, target, payload, kind};
}

static void
add_number(lg_builder *builder, lg__vector *vector, uint32_t node,
           uint64_t number)
{
    if (node >= builder->node_count)
        return;
    lg__node_number *place =
        lg__vector_extend(&builder->rest->allocator, vector, 1);
    if (place == NULL)
        lg__builder_fail(builder, LG_ENOMEM);
    else
        *place = (lg__node_number){number, node};
}

// Adds a value that replaces earlier ones of the node. Its upper bits are the
// order of arrival.
static void
add_latest(lg_builder *builder, lg__vector *vector, uint32_t node,
           uint32_t value)
{
    uint64_t order = vector->count;
    add_number(builder, vector, node, order << 32 | value);
}

void
lg_builder_set_size(lg_builder *builder, lg_node node, uint64_t bytes)
{
    struct lg_builder_rest *rest = builder->rest;
    if (node < builder->node_count &&
        !lg__numbers_set(&rest->allocator, &rest->size, builder->size, node,
                         bytes))
        lg__builder_fail(builder, LG_ENOMEM);
}

uint64_t
lg_builder_size(const lg_builder *builder, lg_node node)
{
    return node < builder->node_count
               ? lg__numbers_get(&builder->rest->size, builder->size, node)
               : 0;
}

void
lg_builder_list_refcount(lg_builder *builder, lg_node node, uint64_t count)
{
    struct lg_builder_rest *rest = builder->rest;
    if (!lg__numbers_set(&rest->allocator, &rest->refcount, builder->refcount,
                         node, count < UINT32_MAX ? count : UINT32_MAX))
        lg__builder_fail(builder, LG_ENOMEM);
}

uint64_t
lg_builder_refcount(const lg_builder *builder, lg_node node)
{
    return lg__numbers_get(&builder->rest->refcount, builder->refcount, node);
}

void
lg_builder_list_address(lg_builder *builder, lg_node node, uint64_t address)
{
    builder->address_high[node] = 0;
    lg__builder_hold(builder, true);
    add_number(builder, &builder->rest->far, node, address);
    lg__builder_hold(builder, false);
}

uint32_t
lg_builder_add_device(lg_builder *builder, const char *name)
{
    push(builder, LG__DEVICE_NAME,
         lg_builder_intern(builder, name, strlen(name)));
    return builder->status == LG_OK
               ? (uint32_t)builder->rest->table[LG__DEVICE_NAME].count
               : LG_NONE;
}

void
lg_builder_set_device(lg_builder *builder, lg_node node, uint32_t device)
{
    if (device > builder->rest->table[LG__DEVICE_NAME].count)
        lg__builder_fail(builder, LG_EINVAL);
    else
        add_latest(builder, &builder->rest->placed, node, device);
}

uint32_t
lg_builder_add_segment(lg_builder *builder, const lg_segment *segment)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__segment *place = lg__vector_extend(&rest->allocator, &rest->segment, 1);
    if (place == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return LG_NONE;
    }
    uint32_t index = (uint32_t)(rest->segment.count - 1);
    *place = (lg__segment){*segment, index};
    return index;
}

void
lg_builder_add_block(lg_builder *builder, const lg_block *block)
{
    struct lg_builder_rest *rest = builder->rest;
    lg_block *place = lg__vector_extend(&rest->allocator, &rest->block, 1);
    if (place == NULL)
        lg__builder_fail(builder, LG_ENOMEM);
    else
        *place = *block;
}

void
lg_builder_add_found(lg_builder *builder, lg_node node, uint32_t count)
{
    add_number(builder, &builder->rest->held, node, count);
}

uint32_t
lg_builder_intern(lg_builder *builder, const char *bytes, size_t length)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t id =
        lg__strings_intern(&rest->allocator, &rest->strings, bytes, length);
    if (id == LG_NONE)
        lg__builder_fail(builder, LG_ENOMEM);
    return id;
}

void
lg_builder_set_text_id(lg_builder *builder, lg_node node, uint32_t string)
{
    struct lg_builder_rest *rest = builder->rest;
    if (node >= builder->node_count || string == LG_NONE)
        return;
    lg__node_text *place = lg__vector_extend(&rest->allocator, &rest->text, 1);
    if (place == NULL)
        lg__builder_fail(builder, LG_ENOMEM);
    else
        *place = (lg__node_text){node, string};
}

void
lg_builder_set_text(lg_builder *builder, lg_node node, const char *bytes,
                    size_t length)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t id =
        lg__strings_append(&rest->allocator, &rest->strings, bytes, length);
    if (id == LG_NONE)
        lg__builder_fail(builder, LG_ENOMEM);
    else
        lg_builder_set_text_id(builder, node, id);
}

void
lg_builder_add_fact(lg_builder *builder, lg_node node, const char *key,
                    const char *value, size_t length)
{
    lg_builder_add_fact_ids(builder, node,
                            lg_builder_intern(builder, key, strlen(key)),
                            lg_builder_intern(builder, value, length));
}

void
lg_builder_add_fact_number(lg_builder *builder, lg_node node, const char *key,
                           uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    lg_builder_add_fact(builder, node, key, digits + at, sizeof digits - at);
}

void
lg_builder_add_fact_ids(lg_builder *builder, lg_node node, uint32_t key,
                        uint32_t value)
{
    struct lg_builder_rest *rest = builder->rest;
    if (node >= builder->node_count)
        return;
    lg__fact *fact = lg__vector_extend(&rest->allocator, &rest->fact, 1);
    if (fact == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return;
    }
    *fact = (lg__fact){node, key, value};
}

// The standard library may be in `lib64`.
bool
lg_path_is_installed(lg_string path)
{
    static const char *const folders[] = {
        "/site-packages/",
        "/dist-packages/",
        "/lib/python3",
        "/lib64/python3",
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (lg__string_contains(path, folders[i]))
            return true;
    return false;
}

void
lg_builder_set_origin(lg_builder *builder, lg_node module, lg_string path)
{
    bool installed = lg_path_is_installed(path);
    lg_builder_add_fact(builder, module, "origin",
                        installed ? "library" : "program", 7);
}

static bool
move_types(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    const size_t capacity = builder->node_capacity;
    if (!lg__column_grow(&rest->allocator, &builder->wide_type,
                         sizeof *builder->wide_type, 0, capacity))
        return false;
    rest->capacity[LG__OPEN_WIDE_TYPE] = capacity;
    for (uint32_t node = 0; node < builder->node_count; node++)
        builder->wide_type[node] = builder->type[node];
    lg__vector narrow = lg__builder_take(builder, LG__OPEN_TYPE, 0);
    lg__vector_free(&rest->allocator, &narrow);
    return true;
}

// Gives types four bytes instead of two.
static void
widen_types(lg_builder *builder)
{
    if (builder->wide_type != NULL ||
        (builder->node_capacity == 0 && !lg_builder_grow_nodes(builder)))
        return;
    lg__builder_hold(builder, true);
    if (!move_types(builder))
        lg__builder_fail(builder, LG_ENOMEM);
    lg__builder_hold(builder, false);
}

uint32_t
lg_builder_add_type(lg_builder *builder, const char *name, size_t length,
                    lg_node node, const uint32_t *mro, uint32_t mro_count)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t type = (uint32_t)rest->table[LG__TYPE_NAME].count;
    if (type >= UINT16_MAX)
        widen_types(builder);
    push(builder, LG__TYPE_NAME, lg_builder_intern(builder, name, length));
    push(builder, LG__TYPE_NODE, node);
    push(builder, LG__TYPE_BASE, type);
    for (uint32_t i = 0; i < mro_count; i++)
        push(builder, LG__TYPE_BASE, mro[i]);
    push(builder, LG__TYPE_FIRST_BASE,
         (uint32_t)rest->table[LG__TYPE_BASE].count);
    return builder->status == LG_OK ? type : LG_NONE;
}

void
lg_builder_add_root(lg_builder *builder, lg_node node, lg_root_kind kind,
                    const char *name, size_t length)
{
    struct lg_builder_rest *rest = builder->rest;
    if (node == LG_NONE)
        return;
    uint8_t *place =
        lg__vector_extend(&rest->allocator, &rest->table[LG__ROOT_KIND], 1);
    if (place == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return;
    }
    *place = (uint8_t)kind;
    push(builder, LG__ROOT_NODE, node);
    push(builder, LG__ROOT_NAME, lg_builder_intern(builder, name, length));
}

void
lg_builder_set_info(lg_builder *builder, const char *key, const char *value)
{
    struct lg_builder_rest *rest = builder->rest;
    uint32_t key_id = lg_builder_intern(builder, key, strlen(key));
    uint32_t value_id = lg_builder_intern(builder, value, strlen(value));
    const uint32_t *keys = rest->table[LG__INFO_KEY].data;
    uint32_t *values = rest->table[LG__INFO_VALUE].data;
    if (builder->status != LG_OK)
        return;
    for (size_t i = 0; i < rest->table[LG__INFO_KEY].count; i++) {
        if (keys[i] == key_id) {
            values[i] = value_id;
            return;
        }
    }
    push(builder, LG__INFO_KEY, key_id);
    push(builder, LG__INFO_VALUE, value_id);
}

void
lg_builder_set_partial(lg_builder *builder, const char *why)
{
    lg_builder_set_info(builder, "partial", why);
}
