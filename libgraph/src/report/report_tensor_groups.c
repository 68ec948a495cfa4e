// Adds up tensors by kind, device, dtype or shape.
#include "report/report_tensors.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
    lg_string first;
    lg_string second; // dtype of a shape
    const lg_tensor_row *row;
} member;

typedef struct sum {
    const member *example;
    lg_tensor_rows rows; // those of the group; `items` in order of members
} sum;

static int
compare_strings(lg_string a, lg_string b)
{
    uint32_t length = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.data, b.data, length);
    if (order != 0)
        return order;
    return a.length < b.length ? -1 : a.length > b.length;
}

static int
by_key(const void *left, const void *right)
{
    const member *a = left;
    const member *b = right;
    int order = compare_strings(a->second, b->second);
    return order != 0 ? order : compare_strings(a->first, b->first);
}

static int
biggest_first(const void *left, const void *right)
{
    const sum *a = left;
    const sum *b = right;
    if (a->rows.bytes != b->rows.bytes)
        return a->rows.bytes > b->rows.bytes ? -1 : 1;
    return by_key(a->example, b->example);
}

static member
member_of(const lg__tensor_report *to, const lg_tensor_row *row,
          lg_tensor_group group)
{
    member made = {.row = row, .first = {"", 0}, .second = {"", 0}};
    const char *kind = lg_tensor_kind_name(row->kind);
    switch (group) {
    case LG_TENSORS_BY_KIND:
        made.first = (lg_string){kind, (uint32_t)strlen(kind)};
        break;
    case LG_TENSORS_BY_DEVICE:
        made.first = lg_graph_device_name(to->graph, row->device);
        break;
    case LG_TENSORS_BY_SHAPE:
        made.second = lg__tensor_fact(to->graph, row, "shape");
        made.first = lg__tensor_fact(to->graph, row, "dtype");
        break;
    default:
        made.first = lg__tensor_fact(to->graph, row, "dtype");
    }
    return made;
}

const char *
lg__tensor_group_name(lg_tensor_group group)
{
    static const char *const names[] = {"", "kind", "device", "dtype", "shape"};
    return names[group];
}

static void
format_key(const member *of, lg_tensor_group group, lg_text *out)
{
    if (of->first.length == 0)
        lg_text_add(out, "unknown");
    lg__text_add_string(out, of->first);
    if (group == LG_TENSORS_BY_SHAPE && of->first.length > 0) {
        lg_text_add(out, "[");
        lg__text_add_string(out, of->second);
        lg_text_add(out, "]");
    }
}

enum { TOTAL, SHARE, STORAGES, KEY, BYTES, COLUMNS };

static lg_table *
make_table(const lg_graph *graph, lg_tensor_group group)
{
    bool vectors = group != LG_TENSORS_BY_DEVICE && graph->device_count > 0;
    const lg__column columns[COLUMNS] = {
        [TOTAL] = {NULL, "bytes", .type = LG_COLUMN_BYTES, .faces = LG__SHOWN,
                   .least = 11},
        [SHARE] = {NULL, "share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
                   .least = 9},
        [STORAGES] = {"storages", .type = LG_COLUMN_COUNT, .gap = 2,
                      .least = 8},
        [KEY] = {lg__tensor_group_name(group), .gap = 2,
                 .least = vectors ? 25 : 0},
        [BYTES] = {"bytes", "where", .type = LG_COLUMN_SIZE, .flush = LG__LEFT,
                   .gap = 1, .faces = vectors ? 0 : LG__IN_HTML | LG__IN_DATA},
    };
    return lg__table_new(graph, (lg__layout){.noun = "group"}, columns,
                         COLUMNS);
}

static void
put_group(lg__tensor_report *to, const sum *of, lg_tensor_group group)
{
    lg_text key = {0};
    lg_table *table = to->table;
    lg__table_row(table);
    lg__put_count(table, TOTAL, of->rows.bytes);
    lg__put_share(table, SHARE, of->rows.bytes, to->tensors.rows.bytes);
    lg__put_count(table, STORAGES, of->rows.total);
    format_key(of->example, group, &key);
    lg__put_formatted(table, KEY, &key);
    lg__put_vector(table, BYTES, lg__tensor_bytes_on, &of->rows);
}

// The members of one key are adjacent: each sum is a range of them.
static size_t
sum_up(const member *members, size_t count, lg_tensor_row *sorted, sum *sums)
{
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = *members[i].row;
        if (i == 0 || by_key(&members[i], &members[i - 1]) != 0)
            sums[groups++] =
                (sum){&members[i], {.items = &sorted[i], .total = 0}};
        sums[groups - 1].rows.total++;
        sums[groups - 1].rows.bytes += members[i].row->bytes;
    }
    qsort(sums, groups, sizeof *sums, biggest_first);
    return groups;
}

lg_status
lg__tabulate_tensor_groups(lg__tensor_report *to, lg_tensor_group group,
                           size_t limit, lg_error *err)
{
    size_t count = to->tensors.rows.total;
    member *members = malloc((count + 1) * sizeof *members);
    lg_tensor_row *sorted = malloc((count + 1) * sizeof *sorted);
    sum *sums = malloc((count + 1) * sizeof *sums);
    bool enough = members && sorted && sums;
    for (size_t i = 0; i < count && enough; i++)
        members[i] = member_of(to, &to->tensors.rows.items[i], group);
    if (enough)
        qsort(members, count, sizeof *members, by_key);
    size_t groups = enough ? sum_up(members, count, sorted, sums) : 0;
    size_t shown = limit > 0 && limit < groups ? limit : groups;
    to->table = make_table(to->graph, group);
    lg__table_set_count(to->table, groups);
    for (size_t i = 0; i < shown; i++)
        put_group(to, &sums[i], group);
    free(members);
    free(sorted);
    free(sums);
    return enough ? LG_OK : lg__error_memory(err);
}
