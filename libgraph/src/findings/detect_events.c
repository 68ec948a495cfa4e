// Detects many things of a kind in a container: log handlers, log records,
// generators.
#include "findings/detectors.h"

#include <stdlib.h>

enum {
    MANY_THINGS = 16,      // things of one kind in one container
    MANY_LOG_HANDLERS = 8, // handlers of one logger; each writes every message
                           // again
};

// ------------------------------------------------------ things of a kind ---

typedef bool choice(const lg__detection *detection, uint32_t node);

static void
look_for_many(lg__detection *detection, unsigned type_bits, size_t many,
              bool instances, choice *is_chosen)
{
    const lg__gathered *all = lg__detection_all(detection, type_bits);
    lg__detected_group group = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        if (is_chosen == NULL || is_chosen(detection, all->items[i]))
            lg__detected_group_add_shared(detection, &group, all->items[i],
                                          instances);
    lg__detected_group_each(detection, &group, many, lg__detected_group_note);
    lg__free(group.items);
}

static void
look_for_log_handlers(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_LOG_HANDLER, MANY_LOG_HANDLERS, false,
                  NULL);
}

const lg__detector lg__detect_log_handlers = {
    .pattern = {.name = "log-handlers",
                .cause = "A logger has many handlers of one class, because "
                         "code adds another one each time it runs. Each "
                         "handler writes every message.",
                .fix = "Call addHandler() once, when the program starts, or "
                       "removeHandler() and handler.close() afterwards."},
    .least = LG__ANY,
    .look = look_for_log_handlers,
    .effect = LG__FIX_ALL,
};

static void
look_for_log_records(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_LOG_RECORD, MANY_THINGS, true, NULL);
}

const lg__detector lg__detect_log_records = {
    .pattern =
        {.name = "log-records",
         .cause = "A container keeps log records, with the arguments and "
                  "exceptions in them.",
         .fix = "Call flush() or clear() on the container, lower the capacity "
                "of a MemoryHandler, or keep handler.format(record)."},
    .least = LG__MUCH,
    .look = look_for_log_records,
    .effect = LG__FIX_DROPS,
};

static void
look_for_generators(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_SUSPENDED, MANY_THINGS, false, NULL);
}

const lg__detector lg__detect_unfinished_generators = {
    .pattern =
        {.name = "unfinished-generators",
         .cause = "A container keeps generators or coroutines that have not "
                  "finished, with their local variables.",
         .fix =
             "Call close() on each, or drop it, when you no longer need it."},
    .least = LG__MUCH,
    .look = look_for_generators,
    .effect = LG__FIX_ALL,
};
