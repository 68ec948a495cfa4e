// Completes command lines. The shell hands over the line; the verbs, their
// options and the words of these come from the descriptions, the selectors from
// the snapshot that the line names.

#include "command/command.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/hops.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_WORDS = 64, MOST_SELECTORS = 200 };

typedef struct typed {
    char *words[MOST_WORDS]; // the last one is to be completed
    size_t count;
    lg_text found;
} typed;

static const char *
last_of(const typed *line)
{
    return line->words[line->count - 1];
}

static void
offer(typed *line, const char *word, size_t length)
{
    const char *begun = last_of(line);
    if (strncmp(word, begun, strlen(begun)))
        return;
    lg_text_add_bytes(&line->found, word, length);
    lg_text_add(&line->found, "\n");
}

const char *
lg__verb_name(size_t index)
{
    size_t count = 0;
    for (; lg__python_verb_at(count); count++)
        if (count == index)
            return lg__python_verb_at(index)->name;
    for (index -= count, count = 0; lg__verb_at(count); count++)
        if (count == index)
            return lg__verb_at(count)->name;
    const lg_question *question = lg__question_verb_at(index - count);
    return question ? lg__question_verb_name(question) : NULL;
}

static void
offer_words(typed *line, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++)
        offer(line, words[i], strlen(words[i]));
}

static void
offer_verbs(typed *line)
{
    const char *name;
    for (size_t i = 0; (name = lg__verb_name(i)) != NULL; i++)
        offer(line, name, strlen(name));
    offer_words(line, (const char *const[]){"help", "--help", "--version",
                                            "--" LG__COLOR, NULL});
}

static void
visit_options(const char *verb, lg__option_visit *visit, void *context)
{
    if (lg__verb_find(verb))
        lg__arguments_visit(lg__verb_find(verb), visit, context);
    else if (lg__question_verb_find(verb))
        lg__question_visit(lg__question_verb_find(verb), visit, context);
    else if (lg__python_verb_find(verb))
        for (const lg__option_face *option =
                 lg__python_verb_find(verb)->options;
             option->name; option++)
            visit(context, option);
    visit(context, &(lg__option_face){LG__COLOR, true, lg__color_words});
}

static void
offer_option(void *context, const lg__option_face *option)
{
    typed *line = context;
    char form[48];
    int length = snprintf(form, sizeof form, "-%s%s",
                          option->name[1] ? "-" : "", option->name);
    offer(line, form, (size_t)length);
}

// Remembers the words of the option before the last word.
typedef struct before {
    const char *name;
    bool takes_value;
    const char *const *words;
} before;

static void
find_before(void *context, const lg__option_face *option)
{
    before *of = context;
    if (strcmp(of->name, option->name))
        return;
    of->takes_value = option->takes_value;
    of->words = option->words;
}

static bool
is_folder(const char *folder, const char *name)
{
    lg_text path = {0};
    struct stat about;
    lg_text_addf(&path, "%s/%s", folder, name);
    bool is = path.data && !stat(path.data, &about) && S_ISDIR(about.st_mode);
    lg_text_free(&path);
    return is;
}

static bool
is_snapshot(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && (!strcmp(end, ".lgs") || !strcmp(end, ".lgg"));
}

// Offers folders, and files: snapshots, or any.
static void
offer_files(typed *line, bool any)
{
    const char *begun = last_of(line);
    const char *slash = strrchr(begun, '/');
    size_t length = slash ? (size_t)(slash - begun) + 1 : 0;
    lg_text folder = {0}, path = {0};
    lg_text_add_bytes(&folder, begun, length);
    lg_text_add(&folder, ".");
    DIR *open = folder.data ? opendir(folder.data) : NULL;
    for (struct dirent *each; open && (each = readdir(open)) != NULL;) {
        bool leads = is_folder(folder.data, each->d_name);
        if (each->d_name[0] == '.' ||
            (!leads && !any && !is_snapshot(each->d_name)))
            continue;
        path.length = 0;
        lg_text_add_bytes(&path, begun, length);
        lg_text_addf(&path, "%s%s", each->d_name, leads ? "/" : "");
        offer(line, path.data ? path.data : "", path.length);
    }
    if (open)
        closedir(open);
    lg_text_free(&folder);
    lg_text_free(&path);
}

// Shells offer only what begins like the word, so each name has the `name:` of
// the word.
static void
offer_selectors(typed *line, const char *path)
{
    static const char name[] = "name:";
    const char *word = last_of(line);
    bool named = !strncmp(word, name, strlen(name));
    lg_graph *graph = NULL;
    lg_text found = {0};
    if (lg_graph_load(path, LG_LOAD_MAPPED, NULL, &graph, NULL))
        return;
    if (!lg_graph_complete(graph, word, MOST_SELECTORS, &found, NULL) &&
        found.length > 0)
        for (char *rest = NULL, *one = strtok_r(found.data, "\n", &rest); one;
             one = strtok_r(NULL, "\n", &rest))
            lg_text_addf(&line->found, "%s%s\n", named ? name : "", one);
    lg_text_free(&found);
    lg_graph_free(graph);
}

static bool
takes_selector(const char *verb)
{
    const lg__verb *found = lg__verb_find(verb);
    const lg_question *question = lg__question_verb_find(verb);
    return question ? question->options->type == LG_OPTION_OBJECT ||
                          question->options->type == LG_OPTION_OBJECTS
                    : found && strstr(found->usage, "SELECTOR") != NULL;
}

// Completes what is neither an option nor the value of one, or a selector.
static void
offer_argument(typed *line, bool selector)
{
    const char *first = NULL;
    for (size_t i = 1; i + 1 < line->count && !first; i++)
        if (line->words[i][0] != '-' && is_snapshot(line->words[i]))
            first = line->words[i];
    if (first && selector)
        offer_selectors(line, first);
    else
        offer_files(line, !lg__verb_find(line->words[0]) &&
                              !lg__question_verb_find(line->words[0]));
}

static void
complete(typed *line)
{
    const char *begun = last_of(line);
    const char *word = line->count > 1 ? line->words[line->count - 2] : "";
    before of = {.name = lg__option_name(word) ? lg__option_name(word) : ""};
    if (line->count == 1) {
        offer_verbs(line);
        offer_files(line, false);
        return;
    }
    if (lg__script_at(line->words, line->count - 1) < line->count - 1) {
        offer_files(line, true);
        return;
    }
    visit_options(line->words[0], find_before, &of);
    if (of.words)
        offer_words(line, of.words);
    else if (of.takes_value && !strcmp(of.name, "cut"))
        offer_argument(line, true);
    else if (of.takes_value)
        offer_files(line, true);
    else if (*begun == '-')
        visit_options(line->words[0], offer_option, line);
    else if (!strcmp(line->words[0], "completion"))
        offer_words(line, (const char *const[]){"bash", "zsh", "fish", NULL});
    else if (!strcmp(line->words[0], "help"))
        offer_verbs(line);
    else
        offer_argument(line, takes_selector(line->words[0]));
}

// Splits a line as shells do, without expanding anything. The words are in
// `into`, which is as long as the line.
static void
split(const char *text, char *into, typed *line)
{
    char quote = '\0';
    bool inside = false;
    line->count = 0;
    for (; *text && line->count < MOST_WORDS - 1; text++) {
        bool space = !quote && strchr(" \t\n", *text);
        if (space && inside)
            *into++ = '\0';
        if (!space && !inside)
            line->words[line->count++] = into;
        inside = !space;
        if (!quote && strchr("'\"", *text))
            quote = *text;
        else if (*text == quote)
            quote = '\0';
        else if (*text == '\\' && text[1] && quote != '\'')
            *into++ = *++text;
        else if (!space)
            *into++ = *text;
    }
    *into = '\0';
    if (!inside)
        line->words[line->count++] = into;
}

static void
drop_words(typed *line, size_t count)
{
    line->count -= count;
    memmove(line->words, line->words + count,
            line->count * sizeof *line->words);
}

int
lg__complete_line(const char *text)
{
    typed line = {.count = 0};
    char *memory = malloc(strlen(text) + 2);
    if (!memory)
        return LG__EXIT_INCOMPLETE;
    split(text, memory, &line);
    drop_words(&line, 1);
    while (line.count > 2 && !strcmp(line.words[0], "--" LG__COLOR))
        drop_words(&line, 2);
    if (line.count > 0)
        complete(&line);
    fwrite(line.found.data ? line.found.data : "", 1, line.found.length,
           stdout);
    lg_text_free(&line.found);
    free(memory);
    return LG__EXIT_FINE;
}
