// Answers questions with tables, by what their descriptions say.
//
// The options of an answer begin as the description has them. Each option that
// is given, or has a preset, then sets its member. The answer's rows and facts
// become cells column by column: a column reads the member at its offset, or
// has a function that writes its text.
#include "table/table_private.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/scope.h>
#include <leakgraph/internal/wording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Who sees a column that has no readers in this answer.
enum { NOBODY = 16 };

size_t
lg_question_option_count(const lg_question *question)
{
    size_t count = 0;
    while (question->options[count].name != NULL)
        count++;
    return count;
}

// Returns the number of fields before the one that is all zeros.
static size_t
count_fields(const lg_field *fields)
{
    size_t count = 0;
    while (fields[count].name != NULL || fields[count].heading != NULL)
        count++;
    return count;
}

// Adds to a message that another option of the question takes the word.
static void
suggest_option(const lg_question *question, const char *word, lg_error *err)
{
    for (const lg_option *other = question->options; other->name; other++)
        for (size_t i = 0; other->words != NULL && other->words[i]; i++)
            if (strcmp(other->words[i], word) == 0) {
                size_t used = strlen(err->message);
                snprintf(err->message + used, sizeof err->message - used,
                         "; did you mean %s=%s?", other->name, word);
            }
}

static lg_status
set_device(const lg_question *question, const lg_ask *ask,
           const lg_option *option, const char *name, uint32_t *out,
           lg_error *err)
{
    if (name == NULL ||
        (option->preset != NULL && strcmp(name, option->preset) == 0)) {
        *out = LG_NONE;
        return LG_OK;
    }
    lg_status status = lg_graph_device_find(ask->graph, name, out, err);
    if (status == LG_ENOTFOUND && err != NULL) {
        err->status = LG_EINVAL;
        suggest_option(question, name, err);
    }
    return status == LG_ENOTFOUND ? LG_EINVAL : status;
}

// Sets the node that was given, or the first that a selector names.
static lg_status
set_object(const lg_ask *ask, const lg_given *given, lg_node *out,
           lg_error *err)
{
    lg_nodes nodes = {0};
    if (given->text == NULL) {
        *out = (lg_node)given->number;
        return LG_OK;
    }
    lg_status status =
        lg_graph_select(ask->graph, given->text, ask->monitor, &nodes, err);
    if (status == LG_OK)
        *out = nodes.items[0];
    lg_nodes_free(&nodes);
    return status;
}

// Sets the member of an option that is given, or has a preset. Those of the
// scope set it together.
static lg_status
set_member(const lg_question *question, const lg_ask *ask,
           const lg_option *option, const lg_given *given, char *options,
           lg_error *err)
{
    void *member = options + option->offset;
    lg_given value = *given;
    lg_status status = LG_OK;
    if (!value.given && option->preset != NULL)
        status =
            lg_option_read(option, option->name, option->preset, &value, err);
    if (status != LG_OK || (!value.given && option->preset == NULL))
        return status;
    switch (option->type) {
    case LG_OPTION_FLAG:
        *(bool *)member = value.number != 0;
        break;
    case LG_OPTION_LIMIT:
        *(size_t *)member = (size_t)value.number;
        break;
    case LG_OPTION_BYTES:
        *(int64_t *)member =
            value.number > INT64_MAX ? INT64_MAX : (int64_t)value.number;
        break;
    case LG_OPTION_TEXT:
    case LG_OPTION_WORDS:
        *(const char **)member = value.text;
        break;
    case LG_OPTION_CHOICE:
    case LG_OPTION_SET:
        *(unsigned *)member = (unsigned)value.number;
        break;
    case LG_OPTION_TYPE:
        *(lg_asked_type *)member = (lg_asked_type){value.text, value.types};
        break;
    case LG_OPTION_SHARE:
        *(double *)member = value.share;
        break;
    case LG_OPTION_OBJECT:
        return set_object(ask, &value, member, err);
    case LG_OPTION_DEVICE:
        return set_device(question, ask, option, value.text, member, err);
    default:
        break;
    }
    return LG_OK;
}

// What an answer uses while it is made.
typedef struct used {
    lg_scope *scope;
    lg_asked_baseline baseline;
    const char *path; // of the baseline
    lg_nodes nodes;   // that a selector names
    lg_edges edges;   // that a text names
} used;

static void
release(used *held)
{
    lg_scope_free(held->scope);
    lg_baseline_free(held->baseline.known);
    lg_nodes_free(&held->nodes);
    lg_edges_free(&held->edges);
}

// Opens the baseline that was given.
static lg_status
open_baseline(const lg_question *question, const lg_ask *ask, used *out,
              lg_error *err)
{
    const lg_option *file = NULL;
    const lg_option *update = NULL;
    for (size_t i = 0;
         i < lg_question_option_count(question) && ask->given != NULL; i++) {
        const lg_option *option = &question->options[i];
        if (option->type == LG_OPTION_BASELINE && ask->given[i].given) {
            file = option;
            out->path = ask->given[i].text;
        } else if (option->type == LG_OPTION_UPDATE && ask->given[i].number) {
            update = option;
        }
    }
    out->baseline.update = update != NULL;
    if (file != NULL)
        return lg_baseline_load(out->path, update != NULL, &out->baseline.known,
                                err);
    return update == NULL ? LG_OK
                          : lg_error_set(err, LG_EINVAL,
                                         "%s needs a file: give baseline, too",
                                         update->name);
}

void
lg__add_remedy(const lg_ask *ask, const char *options, const char *form,
               lg_text *out)
{
    if (ask->reader == LG_READER_ASKS)
        lg_text_add(out, options);
    else if (ask->reader == LG_READER_FILLS)
        lg_text_add(out, form);
}

lg_status
lg_question_check(const lg_question *question, const lg_ask *ask, lg_error *err)
{
    uint32_t device;
    used held = {0};
    lg_status status = LG_OK;
    for (size_t i = 0; i < lg_question_option_count(question) && !status; i++)
        if (question->options[i].type == LG_OPTION_DEVICE && ask->given != NULL)
            status = set_device(question, ask, &question->options[i],
                                ask->given[i].text, &device, err);
    if (status == LG_OK)
        status = open_baseline(question, ask, &held, err);
    release(&held);
    return status;
}

// Finds what the modules hold that were given. `offset` gets the member.
static lg_status
find_scope(const lg_question *question, const lg_ask *ask, size_t *offset,
           lg_scope **out, lg_error *err)
{
    bool mine = false;
    const char *module = NULL;
    for (size_t i = 0; question->options[i].name != NULL; i++) {
        const lg_option *option = &question->options[i];
        if (option->type == LG_OPTION_MINE)
            mine = ask->given[i].number != 0;
        else if (option->type == LG_OPTION_MODULE)
            module = ask->given[i].text;
        else
            continue;
        *offset = option->offset;
    }
    return lg_scope_new(ask->graph, mine, module, ask->monitor, out, err);
}

// Sets the nodes that were given, or that a selector names.
static lg_status
set_objects(const lg_question *question, const lg_ask *ask,
            const lg_given *given, used *held, lg_nodes *out, lg_error *err)
{
    lg_status status = LG_OK;
    if (given->nodes != NULL)
        *out = *given->nodes;
    else if (given->text == NULL)
        status = lg_error_set(err, LG_EINVAL,
                              "%s needs objects: give a selector, such as "
                              "type:dict",
                              question->name);
    else
        status = lg_graph_select(ask->graph, given->text, ask->monitor,
                                 &held->nodes, err);
    if (status == LG_OK && given->nodes == NULL)
        *out = held->nodes;
    return status;
}

// Sets the references that were given, or that a text names.
static lg_status
set_cuts(const lg_question *question, const lg_ask *ask, const lg_given *given,
         used *held, lg_edges *out, lg_error *err)
{
    lg_status status = LG_OK;
    if (given->edges == NULL && given->text == NULL)
        return lg_error_set(err, LG_EINVAL,
                            "%s needs a reference, such as "
                            "train.trainer.losses",
                            question->name);
    if (given->edges == NULL)
        status = lg_graph_references(ask->graph, given->text, ask->monitor,
                                     &held->edges, err);
    *out = given->edges != NULL ? *given->edges : held->edges;
    return status;
}

static lg_status
set_options(const lg_question *question, const lg_ask *ask, used *held,
            char *options, lg_error *err)
{
    size_t offset = SIZE_MAX;
    memcpy(options, question->in_c->usual, question->in_c->options_size);
    lg_status status = open_baseline(question, ask, held, err);
    for (size_t i = 0; question->options[i].name != NULL && !status; i++) {
        const lg_option *option = &question->options[i];
        if (option->type == LG_OPTION_BASELINE)
            *(lg_asked_baseline *)(void *)(options + option->offset) =
                held->baseline;
        else if (option->type == LG_OPTION_OBJECTS)
            status = set_objects(question, ask, &ask->given[i], held,
                                 (void *)(options + option->offset), err);
        else if (option->type == LG_OPTION_CUTS)
            status = set_cuts(question, ask, &ask->given[i], held,
                              (void *)(options + option->offset), err);
        else
            status =
                set_member(question, ask, option, &ask->given[i], options, err);
    }
    if (status == LG_OK)
        status = find_scope(question, ask, &offset, &held->scope, err);
    if (status == LG_OK && offset != SIZE_MAX)
        *(const lg_scope **)(void *)(options + offset) = held->scope;
    return status;
}

static uint64_t
number_at(const void *base, size_t offset)
{
    uint64_t number;
    memcpy(&number, (const char *)base + offset, sizeof number);
    return number;
}

// Puts a count; none for the LG_NONE of a short one.
static void
put_count(lg_table *table, size_t column, const lg_field *field,
          const void *row)
{
    const void *member = (const char *)row + field->offset;
    if (field->of != LG_FIELD_SHORT)
        lg__put_count(table, column, number_at(row, field->offset));
    else if (*(const uint32_t *)member != LG_NONE)
        lg__put_count(table, column, *(const uint32_t *)member);
}

static void
put_node_text(lg_table *table, size_t column, const lg_ask *ask,
              const lg_field *field, uint32_t node)
{
    lg_text title = {0};
    if (node == LG_NONE)
        return;
    if (field->of == LG_FIELD_TYPE) {
        lg__put_string(
            table, column,
            lg_graph_type(ask->graph,
                          lg_columns_type(lg_graph_columns(ask->graph), node))
                .name);
        return;
    }
    lg_node_title(ask->graph, node, false, &title);
    lg__put_formatted(table, column, &title);
}

static void
put_text(lg_table *table, size_t column, const lg_ask *ask, const void *answer,
         const void *row, const lg_field *field)
{
    const void *member = (const char *)row + field->offset;
    lg_text text = {0};
    if (field->write != NULL) {
        field->write(ask, answer, row, &text);
        lg__put_formatted(table, column, &text);
    } else if (field->words != NULL) {
        lg__put_literal(table, column, field->words[*(const unsigned *)member]);
    } else if (field->of != LG_FIELD_OWN) {
        put_node_text(table, column, ask, field, *(const lg_node *)member);
    } else {
        lg__put_string(table, column, *(const lg_string *)member);
    }
}

static void
put_cell(lg_table *table, size_t column, const lg_ask *ask, const void *answer,
         const void *row, const lg_field *field)
{
    const void *member = (const char *)row + field->offset;
    if (field->put != NULL) {
        field->put(ask, answer, row, field, table, column);
        return;
    }
    switch (field->type) {
    case LG_COLUMN_TEXT:
    case LG_COLUMN_PATH:
        put_text(table, column, ask, answer, row, field);
        break;
    case LG_COLUMN_NODE:
        lg__put_node(table, column, ask->graph, *(const lg_node *)member);
        break;
    case LG_COLUMN_NUMBER:
        if (*(const int64_t *)member >= 0)
            lg__put_number(table, column, *(const int64_t *)member);
        break;
    case LG_COLUMN_BOOL:
        lg__put_bool(table, column, *(const bool *)member);
        break;
    case LG_COLUMN_SIZE:
        if (*(const uint64_t *const *)member != NULL)
            lg__put_each(table, column, *(const uint64_t *const *)member);
        break;
    case LG_COLUMN_SHARE:
        lg__put_share(table, column, number_at(row, field->offset),
                      number_at(answer, field->whole));
        break;
    default:
        put_count(table, column, field, row);
    }
}

// Puts the cells that somebody sees.
static void
put_row(lg_table *table, const lg_ask *ask, const void *answer, const void *row,
        const lg_field *fields, size_t count)
{
    for (size_t i = 0; i < count && table != NULL; i++)
        if (table->columns[i].shown_in != NOBODY && !fields[i].together)
            put_cell(table, i, ask, answer, row, &fields[i]);
}

static unsigned char
shown_in_of(const lg_field *field, const lg_ask *ask, const void *answer)
{
    const lg_look *look = &field->look;
    unsigned in = look->in ? look->in : LG_SHOWN | LG_IN_DATA;
    if (look->shown != NULL && !look->shown(ask, answer))
        in &= LG_IN_DATA;
    if (field->name == NULL)
        in &= LG_SHOWN;
    return (unsigned char)(in != 0 ? in : NOBODY);
}

static bool
is_text(const lg_field *field)
{
    return field->type == LG_COLUMN_TEXT || field->type == LG_COLUMN_PATH;
}

static void
list_columns(const lg_field *fields, size_t count, const lg_ask *ask,
             const void *answer, lg__column *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (lg__column){
            // A list whose elements are no rows has one column without a name.
            .name = fields[i].name && *fields[i].name ? fields[i].name : NULL,
            .heading = fields[i].look.head ? fields[i].look.head(answer)
                                           : fields[i].heading,
            .type = fields[i].type,
            .shown_in = shown_in_of(&fields[i], ask, answer),
            .gap = fields[i].look.gap,
            .least = fields[i].look.least,
            .tree = fields[i].look.indented   ? LG__INDENTED
                    : fields[i].look.branched ? LG__BRANCHED
                                              : LG__FLAT,
            .none = fields[i].look.none,
            .below = fields[i].look.below,
            .flush = fields[i].look.left    ? LG__LEFT
                     : fields[i].look.right ? LG__RIGHT
                                            : LG__BY_TYPE,
            .chart = (lg__chart)fields[i].look.chart,
            .delta = (lg__delta)fields[i].look.delta,
            .lines = fields[i].look.lines,
            .always = is_text(&fields[i]) && !fields[i].optional,
            .alone = true,
        };
}

size_t
lg__list_columns(const lg_ask *ask, const void *answer, const lg_field *fields,
                 lg__column *out)
{
    size_t count = count_fields(fields);
    list_columns(fields, count, ask, answer, out);
    return count;
}

lg_table *
lg__put_empty_list(const lg_ask *ask, const void *answer, const lg_field *field,
                   lg_table *table, size_t column)
{
    lg__column columns[LG__MOST_FIELDS];
    size_t count = lg__list_columns(ask, answer, field->inner, columns);
    return lg__put_table(table, column, columns, count);
}

void
lg__put_list_row(const lg_ask *ask, const void *answer, const lg_field *field,
                 const void *row, lg_table *list)
{
    lg__table_row(list);
    put_row(list, ask, answer, row, field->inner, count_fields(field->inner));
}

void
lg__put_list(const lg_ask *ask, const void *answer, const lg_field *field,
             const lg__rows *rows, lg_table *table, size_t column)
{
    lg_table *list = lg__put_empty_list(ask, answer, field, table, column);
    for (size_t i = 0; i < rows->count; i++)
        lg__put_list_row(ask, answer, field,
                         (const char *)rows->items + i * rows->size, list);
}

static void
put_facts(lg_table *table, const lg_question *question, const lg_ask *ask,
          const void *answer)
{
    lg__column columns[LG__MOST_FIELDS];
    size_t count = lg__list_columns(ask, answer, question->facts, columns);
    lg_table *facts = lg__table_facts(table, columns, count);
    put_row(facts, ask, answer, answer, question->facts, count);
    if (question->in_c->facts != NULL)
        question->in_c->facts(ask, answer, facts);
}

bool
lg__row_is_little(const lg_ask *ask, size_t limit, size_t before,
                  uint64_t bytes, uint64_t whole)
{
    enum { SHOWN_SHARE = 1000, ALWAYS_SHOWN = 3 };
    const lg_given *given = ask->given != NULL ? &ask->given[limit] : NULL;
    return before >= ALWAYS_SHOWN && bytes < whole / SHOWN_SHARE &&
           (given == NULL || !given->given || given->usual);
}

void
lg__put_change(lg_table *table, const lg_ask *ask, const lg_thing *thing)
{
    lg_change change;
    if (table == NULL || table->changes == 0 ||
        !ask->changes->find(ask->changes, thing, &change))
        return;
    table->changed = true;
    lg__put_number(table, table->changes, change.objects);
    lg__put_number(table, table->changes + 1, change.bytes);
    lg__put_number(table, table->changes + 2, change.each);
}

void
lg__put_object_change(lg_table *table, const lg_ask *ask, lg_node node,
                      const uint64_t *retained)
{
    lg_thing thing = {.node = node};
    if (retained != NULL)
        thing.bytes =
            lg_bytes_sum(retained, (size_t)ask->graph->device_count + 1);
    lg__put_change(table, ask, &thing);
}

static void
list_changes(const lg_ask *ask, const char *counted, lg__column *out)
{
    const lg__column columns[LG__CHANGES] = {
        {.heading = counted ? counted : "Δ objects", .delta = LG__MORE},
        {.heading = "Δ bytes", .delta = LG__BYTES_MORE},
        {.heading = ask->changes->each, .delta = LG__BYTES_MORE},
    };
    for (size_t i = 0; i < LG__CHANGES; i++) {
        out[i] = columns[i];
        out[i].type = LG_COLUMN_NUMBER;
        out[i].shown_in = LG_IN_HTML;
        out[i].flush = LG__RIGHT;
    }
}

// Says how all that the answer counts changed.
static void
add_whole_change(const lg_question *question, const lg_ask *ask,
                 lg_table *table)
{
    const lg_thing all = {.kind = LG_THING_TALLY,
                          .tally = question->in_c->tally,
                          .node = LG_NONE,
                          .whole = true};
    lg_change change;
    lg_text said = {0};
    if (question->in_c->tallied == NULL || ask->changes == NULL ||
        !ask->changes->find(ask->changes, &all, &change) ||
        (change.objects == 0 && change.bytes == 0))
        return;
    lg_text_add(&said, "Since the first snapshot: ");
    lg_text_add_delta(&said, change.objects, false);
    lg_text_addf(&said, " %s, ", question->in_c->tallied);
    lg_text_add_delta(&said, change.bytes, true);
    lg_text_add(&said, ", ");
    lg_text_add_delta(&said, change.each, true);
    lg_text_addf(&said, " %s.\n", ask->changes->each);
    lg__table_format_below(table, &said);
}

bool
lg_question_thing(const lg_question *question, const lg_ask *ask,
                  const void *answer, const void *row, lg_thing *out)
{
    *out = (lg_thing){.node = LG_NONE};
    if (!question->in_c->thing(ask, answer, row, out))
        return false;
    if (out->kind == LG_THING_ROW)
        out->detail = lg__string_of(question->name);
    return true;
}

static void
put_row_change(lg_table *table, const lg_question *question, const lg_ask *ask,
               const void *answer, const void *row)
{
    const lg_answering *in_c = question->in_c;
    const char *base = row;
    lg_thing thing;
    if (table == NULL || table->changes == 0)
        return;
    if (in_c->retained > 0)
        lg__put_object_change(
            table, ask, *(const lg_node *)(const void *)(base + in_c->node),
            *(const uint64_t *const *)(const void *)(base + in_c->retained));
    else if (lg_question_thing(question, ask, answer, row, &thing))
        lg__put_change(table, ask, &thing);
}

lg_table *
lg__table_compared_part(lg_table *table, const lg_ask *ask, lg__layout layout,
                        const lg__column *columns, size_t count,
                        const char *counted)
{
    lg__column all[LG__MOST_FIELDS + LG__CHANGES];
    if (ask == NULL || ask->changes == NULL)
        return lg__table_part(table, layout, columns, count);
    memcpy(all, columns, count * sizeof *columns);
    list_changes(ask, counted, all + count);
    lg_table *part = lg__table_part(table, layout, all, count + LG__CHANGES);
    if (part != NULL)
        part->changes = count;
    return part;
}

void
lg__hide_unchanged(lg_table *table)
{
    for (size_t i = 0; i < LG__CHANGES && table != NULL && table->changes > 0 &&
                       !table->changed;
         i++)
        table->columns[table->changes + i].shown_in = NOBODY;
}

// Returns how many rows people and programs get.
static size_t
count_rows(const lg_question *question, const lg_ask *ask, const void *answer)
{
    size_t count = (size_t)number_at(answer, question->in_c->count);
    return ask->limit > 0 && ask->limit < count ? ask->limit : count;
}

// Makes the table on the devices of the answer, if it has its own.
static lg_table *
new_table(const lg_answering *in_c, const lg_ask *ask, const void *answer,
          const lg__column *columns, size_t count)
{
    const char *base = answer;
    const lg__layout layout = {.noun = in_c->noun ? in_c->noun : "row",
                               .blocks = in_c->blocks,
                               .shown_in = in_c->in,
                               .bare = in_c->bare &&
                                       number_at(answer, in_c->count) == 0};
    if (in_c->device_names == 0)
        return lg__table_new(ask->graph, layout, columns, count);
    const void *devices = base + in_c->devices;
    const void *names = base + in_c->device_names;
    return lg__table_new_on(*(const lg_string *const *)names,
                            *(const uint32_t *)devices + 1, layout, columns,
                            count);
}

static lg_table *
begin_table(const lg_question *question, const lg_ask *ask, const void *answer)
{
    const lg_answering *in_c = question->in_c;
    lg__column columns[LG__MOST_FIELDS + LG_MORE_COLUMNS + LG__CHANGES];
    lg_text names[LG_MORE_COLUMNS] = {{0}};
    size_t count = lg__list_columns(ask, answer, question->fields, columns);
    size_t more = in_c->more != NULL ? in_c->more(answer, names) : 0;
    bool compared =
        ask->changes != NULL && (in_c->thing != NULL || in_c->retained > 0);
    bool named = true;
    for (size_t i = 0; i < more; i++) {
        named = named && !names[i].failed;
        columns[count++] = (lg__column){.name = names[i].data,
                                        .type = LG_COLUMN_BYTES,
                                        .shown_in = LG__IN_HTML};
    }
    if (compared)
        list_changes(ask, in_c->counted, columns + count);
    lg_table *table = named ? new_table(in_c, ask, answer, columns,
                                        count + (compared ? LG__CHANGES : 0))
                            : NULL;
    if (table != NULL && compared)
        table->changes = count;
    for (size_t i = 0; i < more; i++)
        lg_text_free(&names[i]);
    return table;
}

static void
add_row(const lg_question *question, const lg_ask *ask, const void *answer,
        size_t index, size_t fields, lg_table *table)
{
    const lg_answering *in_c = question->in_c;
    const void *rows = (const char *)answer + in_c->rows;
    const void *row = *(const char *const *)rows + index * in_c->row_size;
    bool heads = in_c->heads != NULL && in_c->heads(row);
    (heads ? lg__table_heading_row : lg__table_row)(table);
    put_row(table, ask, answer, row, question->fields, fields);
    if (in_c->row != NULL)
        in_c->row(ask, answer, row, table);
    put_row_change(table, question, ask, answer, row);
    if (in_c->after != NULL)
        in_c->after(ask, answer, index, table);
}

lg_status
lg_question_tabulate(const lg_question *question, const lg_ask *ask,
                     const void *answer, lg_table **out, lg_error *err)
{
    const lg_answering *in_c = question->in_c;
    size_t count = count_rows(question, ask, answer);
    size_t fields = count_fields(question->fields);
    lg_table *table = begin_table(question, ask, answer);
    if (in_c->above != NULL) {
        lg_text above = {0};
        in_c->above(ask, answer, &above);
        lg__table_format_above(table, &above);
    }
    for (size_t i = 0; i < count; i++)
        add_row(question, ask, answer, i, fields, table);
    if (in_c->total > 0)
        lg__table_set_count(table, (size_t)number_at(answer, in_c->total));
    else if (ask->limit > 0)
        lg__table_set_count(table, (size_t)number_at(answer, in_c->count));
    put_facts(table, question, ask, answer);
    if (in_c->below != NULL)
        in_c->below(ask, answer, table);
    add_whole_change(question, ask, table);
    lg__hide_unchanged(table);
    if (in_c->text != NULL && table != NULL) {
        in_c->text(ask, answer, &table->text);
        table->failed |= table->text.failed;
    }
    return lg__table_finish(table, out, err);
}

// Asks with options that are set, and makes the table of the answer.
static lg_status
answer_with(const lg_question *question, const lg_ask *ask, lg_table **out,
            lg_error *err)
{
    const lg_answering *in_c = question->in_c;
    void *answer = calloc(1, in_c->answer_size);
    if (answer == NULL)
        return lg__error_memory(err);
    lg_status status = in_c->ask(ask, answer, err);
    if (status == LG_OK) {
        status = lg_question_tabulate(question, ask, answer, out, err);
        in_c->free(answer);
    }
    free(answer);
    return status;
}

// Answers, and saves what the baseline was asked to learn.
static lg_status
answer_and_save(const lg_question *question, const lg_ask *ask,
                const used *held, lg_table **out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = answer_with(question, ask, &table, err);
    if (status == LG_OK && held->baseline.update)
        status = lg_baseline_save(held->baseline.known, held->path, err);
    if (status == LG_OK)
        *out = table;
    else
        lg_table_free(table);
    return status;
}

lg_status
lg_question_ask(const lg_question *question, const lg_ask *asked,
                lg_table **out, lg_error *err)
{
    static const lg_given missing[LG_MOST_OPTIONS];
    lg_ask ask = *asked;
    used held = {0};
    char *options = malloc(question->in_c->options_size);
    if (ask.given == NULL)
        ask.given = missing;
    if (ask.analysis == NULL &&
        (lg_question_needs(question, ask.given) & LG_NEEDS_ANALYSIS)) {
        free(options);
        return lg_error_set(err, LG_EINVAL, "%s needs an analysis",
                            question->name);
    }
    if (ask.compared == NULL && (question->needs & LG_NEEDS_SEVERAL)) {
        free(options);
        return lg_error_set(err, LG_EINVAL, "%s needs several snapshots",
                            question->name);
    }
    lg_status status = options == NULL
                           ? lg__error_memory(err)
                           : set_options(question, &ask, &held, options, err);
    ask.options = options;
    if (status == LG_OK)
        status = answer_and_save(question, &ask, &held, out, err);
    release(&held);
    free(options);
    return status;
}

unsigned
lg_question_needs(const lg_question *question, const lg_given *given)
{
    unsigned needs = question->needs & (LG_NEEDS_ANALYSIS | LG_USES_ANALYSIS);
    for (size_t i = 0; i < lg_question_option_count(question) && given != NULL;
         i++)
        if (question->options[i].type == LG_OPTION_CHOICE &&
            question->analysed > 0 && given[i].number >= question->analysed)
            return 0;
    return needs;
}

size_t
lg_question_option(const lg_question *question, const char *name)
{
    for (size_t i = 0; i < lg_question_option_count(question); i++)
        if (strcmp(question->options[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}
