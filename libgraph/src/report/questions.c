// The questions, in the order in which lists show them, and for programs: by
// name, with options as texts, and their descriptions as JSON.
#include "report/report_private.h"

#include <stdlib.h>
#include <string.h>

const lg_question *
lg_question_at(size_t index)
{
    static const lg_question *const questions[] = {
        &lg__ask_top,         &lg__ask_types,   &lg__ask_tensors,
        &lg__ask_figures,     &lg__ask_cycles,  &lg__ask_waste,
        &lg__ask_findings,    &lg__ask_threads, &lg__ask_native,
        &lg__ask_allocations, &lg__ask_search,  &lg__ask_dominators,
        &lg__ask_paths,       &lg__ask_memory,  &lg__ask_what_if,
        &lg__ask_growth,      &lg__ask_ranks,   &lg__ask_retained,
    };
    size_t count = sizeof questions / sizeof *questions;
    return index < count ? questions[index] : NULL;
}

const lg_question *
lg_question_find(const char *name)
{
    size_t i = 0;
    const lg_question *question;
    while ((question = lg_question_at(i)) != NULL &&
           strcmp(question->name, name) != 0)
        i++;
    return question;
}

static lg_status
count_answer(lg_row_counting *counting, const lg_question *question,
             const lg_ask *ask, const void *answer, lg_error *err)
{
    const lg_answering *in_c = question->in_c;
    const char *base = answer;
    const char *row = *(const char *const *)(const void *)(base + in_c->rows);
    size_t count = *(const size_t *)(const void *)(base + in_c->count);
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && !status; i++, row += in_c->row_size) {
        lg_thing thing;
        if (lg_question_thing(question, ask, answer, row, &thing))
            status = lg_row_counting_add(counting, &thing, err);
    }
    return status;
}

static lg_status
count_question(lg_row_counting *counting, const lg_question *question,
               lg_ask ask, lg_error *err)
{
    const lg_answering *in_c = question->in_c;
    lg_status status = LG_OK;
    for (size_t i = 0; in_c->every && in_c->every[i] && !status; i++) {
        void *answer = calloc(1, in_c->answer_size);
        if (answer == NULL)
            return lg__error_memory(err);
        ask.options = in_c->every[i];
        status = in_c->ask(&ask, answer, err);
        if (!status) {
            status = count_answer(counting, question, &ask, answer, err);
            in_c->free(answer);
        }
        free(answer);
    }
    return status;
}

lg_status
lg_summary_count_rows(lg_summary *summary, const lg_analysis *analysis,
                      const lg_monitor *monitor, lg_error *err)
{
    const lg_ask ask = {.graph = lg_analysis_graph(analysis),
                        .analysis = analysis,
                        .monitor = monitor};
    const lg_question *question;
    lg_row_counting *counting;
    lg_status status =
        lg_row_counting_begin(summary, analysis, monitor, &counting, err);
    if (status)
        return status;
    for (size_t i = 0; (question = lg_question_at(i)) != NULL && !status; i++)
        status = count_question(counting, question, ask, err);
    lg_row_counting_end(counting);
    return status;
}

static void
write_text(lg_json *json, const char *name, const char *text)
{
    if (text == NULL)
        lg_json_null(json, name);
    else
        lg_json_string(json, name, text, strlen(text));
}

static void
write_words(lg_json *json, const char *const *words)
{
    if (words == NULL)
        return;
    lg_json_array(json, "words");
    for (size_t i = 0; words[i] != NULL; i++)
        write_text(json, NULL, words[i]);
    lg_json_end(json);
}

static void
write_options(lg_json *json, const lg_question *question)
{
    // In the order of lg_option_type.
    static const char *const types[] = {
        "flag",   "limit", "choice", "device",  "set",   "text",
        "bytes",  "mine",  "module", "words",   "type",  "baseline",
        "update", "share", "object", "objects", "check", "cuts"};
    lg_json_lines(json, "options");
    for (size_t i = 0; question->options[i].name != NULL; i++) {
        const lg_option *option = &question->options[i];
        lg_json_object(json, NULL);
        write_text(json, "name", option->name);
        write_text(json, "type", types[option->type]);
        write_words(json, option->words);
        write_text(json, "preset", option->preset);
        write_text(json, "help", option->help);
        lg_json_end(json);
    }
    lg_json_end(json);
}

// Writes the fields that programs get.
static void
write_fields(lg_json *json, const char *name, const lg_field *fields)
{
    static const char *const types[] = {
        "text",  "path", "node",    "count", "number", "bytes", "size",
        "share", "bool", "numbers", "list",  "record", "real"};
    lg_json_lines(json, name);
    for (const lg_field *field = fields;
         field->name != NULL || field->heading != NULL; field++) {
        if (field->name == NULL || field->richer ||
            (field->look.in != 0 && !(field->look.in & LG_IN_PROGRAMS)))
            continue;
        lg_json_object(json, NULL);
        write_text(json, "name", field->name);
        write_text(json, "type", types[field->type]);
        write_words(json, field->words);
        lg_json_bool(json, "optional", field->optional);
        if (field->or_text)
            lg_json_bool(json, "or_text", true);
        write_text(json, "help", field->help);
        if (field->row != NULL)
            write_text(json, "row", field->row);
        if (field->inner != NULL)
            write_fields(json, "fields", field->inner);
        lg_json_end(json);
    }
    lg_json_end(json);
}

static void
write_question(lg_json *json, const lg_question *question)
{
    lg_json_object(json, NULL);
    write_text(json, "name", question->name);
    write_text(json, "title", question->title);
    write_text(json, "help", question->help);
    write_text(json, "about", question->about);
    write_text(json, "order", question->order);
    write_text(json, "example", question->example);
    write_text(json, "result", question->result);
    write_text(json, "row", question->row);
    lg_json_bool(json, "needs_analysis",
                 (question->needs & LG_NEEDS_ANALYSIS) != 0);
    lg_json_bool(json, "needs_contents",
                 (question->needs & LG_NEEDS_CONTENTS) != 0);
    lg_json_bool(json, "needs_several",
                 (question->needs & LG_NEEDS_SEVERAL) != 0);
    write_options(json, question);
    write_fields(json, "fields", question->fields);
    write_fields(json, "facts", question->facts);
    lg_json_end(json);
}

lg_status
lg_questions_json(lg_text *out, lg_error *err)
{
    lg_json json = {.out = out};
    lg_json_object(&json, NULL);
    lg_json_lines(&json, "questions");
    for (size_t i = 0; lg_question_at(i) != NULL; i++)
        write_question(&json, lg_question_at(i));
    lg_json_end(&json);
    lg_json_end(&json);
    return lg_json_finish(&json, err);
}

const char *
lg_question_name(const lg_question *question)
{
    return question->name;
}

const char *
lg_question_title(const lg_question *question)
{
    return question->title;
}

bool
lg_question_needs_analysis(const lg_question *question)
{
    return (lg_question_needs(question, NULL) & LG_NEEDS_ANALYSIS) != 0;
}

static lg_status
refuse(const lg_question *question, const char *text, size_t length,
       lg_error *err)
{
    lg_text names = {0};
    for (const lg_option *option = question->options; option->name; option++) {
        lg_text_add(&names, option == question->options ? "" : ", ");
        lg_text_add(&names, option->name);
    }
    lg_status status = lg_error_set(
        err, LG_EINVAL, "%s has no option \"%.*s\": use %s", question->name,
        (int)length, text, names.data ? names.data : "none");
    lg_text_free(&names);
    return status;
}

// Reads "name=value", or "name" of a flag.
static lg_status
read_option(const lg_question *question, const char *text, lg_given *given,
            lg_error *err)
{
    size_t length = strcspn(text, "=");
    size_t i = 0;
    while (question->options[i].name != NULL &&
           (strlen(question->options[i].name) != length ||
            strncmp(question->options[i].name, text, length) != 0))
        i++;
    const lg_option *option = &question->options[i];
    if (option->name == NULL)
        return refuse(question, text, length, err);
    bool is_flag = lg_option_is_flag(option);
    bool has_value = text[length] != '\0';
    if (is_flag == has_value)
        return lg_error_set(err, LG_EINVAL, "%s of %s %s: write \"%s%s\"",
                            option->name, question->name,
                            is_flag ? "takes no value" : "needs a value",
                            option->name, is_flag ? "" : "=VALUE");
    return lg_option_read(option, option->name,
                          text + length + (has_value ? 1 : 0), &given[i], err);
}

lg_status
lg_question_table(const lg_question *question, const lg_graph *graph,
                  const lg_analysis *analysis, const char *const *options,
                  const lg_monitor *monitor, lg_table **out, lg_error *err)
{
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    for (size_t i = 0; options != NULL && options[i] != NULL; i++) {
        lg_status status = read_option(question, options[i], given, err);
        if (status != LG_OK)
            return status;
    }
    const lg_ask ask = {.graph = graph,
                        .analysis = analysis,
                        .given = given,
                        .monitor = monitor};
    return lg_question_ask(question, &ask, out, err);
}
