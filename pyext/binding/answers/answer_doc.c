/**
 * The docstrings of the functions and methods of questions.
 */
#include "binding/answers/answer_doc.h"

#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>
#include <string.h>

/* In columns: docstrings, and the names of options in them. */
enum { DOC_WIDTH = 80, DOC_INDENT = 10 };

bool
lg__option_stands_alone(const lg_option *first)
{
    return first->type == LG_OPTION_LIMIT || first->type == LG_OPTION_WORDS ||
           first->type == LG_OPTION_OBJECT || lg_option_is_required(first);
}

bool
lg__option_is_argument(const lg_option *option)
{
    return option->name != NULL && option->type != LG_OPTION_CHECK;
}

static void
add_preset(const lg_option *option, lg_text *out)
{
    const char *word =
        option->type == LG_OPTION_CHOICE ? option->words[0] : option->preset;
    lg_text_addf(out, "%s%s", option->name,
                 lg_option_is_required(option) ? "" : "=");
    if (lg_option_is_required(option))
        return;
    if (lg_option_is_flag(option))
        lg_text_add(out, "False");
    else if (word == NULL || strcmp(word, "all") == 0)
        lg_text_add(out, "None");
    else if (option->type == LG_OPTION_LIMIT || option->type == LG_OPTION_SHARE)
        lg_text_add(out, word);
    else
        lg_text_addf(out, "'%s'", word);
}

/* Writes `waste($self, /, limit=20, *, libraries=False, progress=None)`. */
static void
add_signature(const lg_question *question, bool function, lg_text *out)
{
    const lg_option *option = question->options;
    lg_text_addf(out, "%s($%s, /", question->name,
                 function ? "module" : "self");
    if (lg__option_stands_alone(option)) {
        lg_text_add(out, ", ");
        add_preset(option++, out);
    }
    lg_text_add(out, ", *");
    for (; lg__option_is_argument(option); option++) {
        lg_text_add(out, ", ");
        add_preset(option, out);
    }
    lg_text_add(out, ", progress=None");
    if (function && (question->needs & LG_NEEDS_CONTENTS))
        lg_text_add(out, ", contents=True");
    lg_text_add(out, ")\n--\n\n");
}

static void
add_choices(const char *const *words, lg_text *out)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        lg_text_addf(out, "%s`%s`", i > 0 ? ", " : ": ", words[i]);
}

static void
add_option(const char *name, const char *help, const char *const *words,
           lg_text *out)
{
    lg_text line = {0};
    lg_text_add(&line, help);
    add_choices(words, &line);
    lg_text_addf(out, "\n%-*s", DOC_INDENT - 1, name);
    lg_text_add(out, strlen(name) < DOC_INDENT ? " " : "  ");
    lg_text_add_wrapped(out, line.data ? line.data : "", DOC_INDENT, DOC_INDENT,
                        DOC_WIDTH, '\'');
    out->failed |= line.failed;
    lg_text_free(&line);
}

void
lg__answer_doc_add(const lg_question *question, bool function, lg_text *out)
{
    char first = question->help[0];
    add_signature(question, function, out);
    lg_text_addf(out, "%c%s.\n\n", first >= 'a' ? first - 'a' + 'A' : first,
                 question->help + 1);
    lg_text about = {0};
    lg_text_addf(&about, "%s%s", function ? "Takes a snapshot. " : "",
                 question->about);
    if (!function && (question->needs & LG_NEEDS_ANALYSIS))
        lg_text_add(&about, " PartialError on a snapshot of a part of the "
                            "heap.");
    lg_text_add_wrapped(out, about.data ? about.data : "", 0, 0, DOC_WIDTH,
                        '\'');
    lg_text_free(&about);
    lg_text_add(out, "\n");
    for (const lg_option *option = question->options;
         lg__option_is_argument(option); option++)
        add_option(option->name, option->help, option->words, out);
    add_option("progress", "as in snapshot()", NULL, out);
    if (function && (question->needs & LG_NEEDS_CONTENTS))
        add_option("contents", "find equal str, bytes and arrays, too", NULL,
                   out);
}
