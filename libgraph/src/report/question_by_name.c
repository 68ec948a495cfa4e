// Questions for programs: their descriptions by name, and options as texts.
#include "report/report_private.h"

#include <string.h>

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
