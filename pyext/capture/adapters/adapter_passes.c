/**
 * The course of the adapters through a capture.
 */
#include "capture/adapters/adapter_pass.h"

#include <stdlib.h>
#include <string.h>

/** Whether a list of names, separated by commas, has this one, or is "all". */
static bool
is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    if (strcmp(list, "all") == 0)
        return true;
    while (*list != '\0') {
        size_t part = strcspn(list, ",");
        if (part == length && strncmp(list, name, length) == 0)
            return true;
        list += part + (list[part] == ',');
    }
    return false;
}

/** Whether LEAKGRAPH_WITHOUT in the environment leaves an adapter out: to see
 *  what it costs, or where it does harm. */
static bool
is_left_out(lg_survey *survey)
{
    const char *list = getenv("LEAKGRAPH_WITHOUT");
    if (list == NULL || !is_listed(list, survey->adapter->name))
        return false;
    lg_survey_note(survey, "not inspected: left out by LEAKGRAPH_WITHOUT");
    return true;
}

bool
lg_surveys_open(lg_walk *walk)
{
    walk->surveys = lg_walk_keep(walk, sizeof *walk->surveys);
    if (walk->surveys == NULL)
        return false;
    /* What adapters allocate must not set off a collection: it would free the
     * very garbage that is to be seen. */
    bool collecting = lg_collector_pause(walk->interpreter);
    for (size_t i = 0; lg_adapters[i] != NULL && i < LG_ADAPTERS_MAX; i++) {
        lg_survey *survey = &walk->surveys->each[i];
        survey->walk = walk;
        survey->adapter = lg_adapters[i];
        if (is_left_out(survey) ||
            !survey->adapter->prepare(survey, &survey->state))
            survey->adapter = NULL;
        PyErr_Clear();
    }
    lg_collector_resume(walk->interpreter, collecting);
    return true;
}

void
lg_survey_choose(lg_walk *walk, lg_type_info *info)
{
    for (size_t i = 0; i < LG_ADAPTERS_MAX; i++) {
        lg_survey *survey = &walk->surveys->each[i];
        unsigned kind = survey->adapter != NULL
                            ? survey->adapter->kind(survey->state, info->type)
                            : 0;
        if (kind != 0) {
            info->adapter = (uint8_t)(i + 1);
            info->adapter_kind = (uint8_t)kind;
            return;
        }
    }
}

void
lg_survey_instance(lg_walk *walk, uint32_t node, const lg_type_info *info)
{
    lg_survey *survey = &walk->surveys->each[info->adapter - 1];
    size_t size = (survey->noted_count + (size_t)1) * sizeof(lg_noted);
    if (!lg_walk_scratch(walk, &survey->noted, size))
        return;
    lg_noted *noted = survey->noted.data;
    noted[survey->noted_count++] = (lg_noted){node, info->adapter_kind};
}

void
lg_survey_visit(lg_walk *walk, PyObject *object, const lg_type_info *info)
{
    lg_survey *survey = &walk->surveys->each[info->adapter - 1];
    if (survey->adapter->visit != NULL)
        survey->adapter->visit(survey, survey->state, object,
                               info->adapter_kind);
}

bool
lg_surveys_have_news(const lg_walk *walk)
{
    for (size_t i = 0; i < LG_ADAPTERS_MAX; i++) {
        const lg_survey *survey = &walk->surveys->each[i];
        if (survey->given < survey->noted_count)
            return true;
    }
    return walk->walked < walk->builder->node_count;
}

/** In a free-threaded build sizes wait until other threads run again. */
static void
ask_sizes(lg_walk *walk)
{
    if (!LG_FREE_THREADED)
        lg_sizes_finish(walk);
}

void
lg_surveys_run(lg_walk *walk)
{
    do {
        ask_sizes(walk);
        for (size_t i = 0; i < LG_ADAPTERS_MAX; i++) {
            lg_survey *survey = &walk->surveys->each[i];
            if (survey->adapter != NULL)
                survey->adapter->survey(survey, survey->state);
            /* What an adapter leaves, it does not want. */
            survey->given = survey->noted_count;
        }
        lg_walk_run(walk);
    } while (lg_surveys_have_news(walk) && walk->builder->status == LG_OK);
    ask_sizes(walk);
}

void
lg_surveys_settle(lg_walk *walk)
{
    for (size_t i = 0; i < LG_ADAPTERS_MAX; i++) {
        lg_survey *survey = &walk->surveys->each[i];
        if (survey->adapter != NULL && survey->adapter->settle != NULL)
            survey->adapter->settle(survey, survey->state);
    }
}

static PyObject *
noted_object(const lg_survey *survey, uint32_t i)
{
    const lg_noted *noted = survey->noted.data;
    return (PyObject *)(uintptr_t)survey->walk->builder->address[noted[i].node];
}

static bool
will_ask(const lg_survey *survey)
{
    return survey->adapter != NULL && survey->adapter->ask != NULL;
}

void
lg_surveys_hold(lg_walk *walk)
{
    for (size_t i = 0; i < LG_ADAPTERS_MAX; i++) {
        lg_survey *survey = &walk->surveys->each[i];
        if (!will_ask(survey))
            continue;
        for (; survey->held < survey->noted_count; survey->held++)
            Py_INCREF(noted_object(survey, survey->held));
    }
}

static void
release(lg_survey *survey)
{
    while (survey->held > 0)
        Py_DECREF(noted_object(survey, --survey->held));
}

void
lg_surveys_ask(lg_walk *walk)
{
    lg_surveys_hold(walk);
    for (size_t i = 0; i < LG_ADAPTERS_MAX; i++) {
        lg_survey *survey = &walk->surveys->each[i];
        if (!will_ask(survey))
            continue;
        survey->given = 0;
        survey->adapter->ask(survey, survey->state);
        PyErr_Clear();
    }
    for (size_t i = 0; i < LG_ADAPTERS_MAX; i++)
        release(&walk->surveys->each[i]);
}

void
lg_surveys_close(lg_walk *walk)
{
    if (walk->surveys == NULL)
        return;
    for (size_t i = 0; i < LG_ADAPTERS_MAX; i++) {
        lg_survey *survey = &walk->surveys->each[i];
        release(survey);
        if (survey->adapter != NULL)
            survey->adapter->finish(survey->state);
        lg_walk_scratch_free(walk, &survey->noted);
    }
}
