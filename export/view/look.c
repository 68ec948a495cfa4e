// A look for each category that readers should recognise at a glance.

#include "view/view_private.h"

#include <string.h>

// In the order of the legend.
enum {
    LOOK_ROOT,
    LOOK_OBJECT,
    LOOK_CONTAINER,
    LOOK_TENSOR,
    LOOK_ARRAY,
    LOOK_FIGURE,
    LOOK_FUNCTION,
    LOOK_TYPE,
    LOOK_FRAME,
    LOOK_EXCEPTION,
    LOOK_NATIVE,
    LOOK_MEMORY,
    LOOK_ATOM,
    LOOK_REST,
    LOOK_COUNT,
};

static const lg__view_look looks[LOOK_COUNT] = {
    [LOOK_ROOT] = {"root", LG__INK, LG__INK, "white", NULL, false},
    [LOOK_OBJECT] = {"object", LG__QUIET, "white", LG__INK, NULL, false},
    [LOOK_CONTAINER] = {"container", LG__FAINT, "#F6F8FA", LG__INK, "[ ]",
                        false},
    [LOOK_TENSOR] = {"tensor", "#0969DA", "#DDF4FF", LG__INK, "T", true},
    [LOOK_ARRAY] = {"array", "#0969DA", "#F3FAFF", LG__INK, "A", true},
    [LOOK_FIGURE] = {"figure", "#1A7F37", "#DAFBE1", LG__INK, "F", true},
    [LOOK_FUNCTION] = {"function", "#8250DF", "#FBEFFF", LG__INK, "ƒ", false},
    [LOOK_TYPE] = {"class", "#9A6700", "#FFF8C5", LG__INK, "C", false},
    [LOOK_FRAME] = {"frame", "#BF3989", "#FFEFF7", LG__INK, "›_", false},
    [LOOK_EXCEPTION] = {"exception", LG__ALARM, LG__ALARM_FILL, LG__INK, "!",
                        false},
    [LOOK_NATIVE] = {"native code", LG__ALARM, "white", LG__ALARM, NULL, false},
    [LOOK_MEMORY] = {"memory of C code", "#1B7C83", "#E1F7F5", LG__INK, NULL,
                     false},
    [LOOK_ATOM] = {"value", NULL, NULL, LG__QUIET, NULL, false},
    [LOOK_REST] = {"several", LG__FAINT, "white", LG__QUIET, NULL, false},
};

const lg__view_look *
lg__look_of(const lg__view_node *node)
{
    static const unsigned char by_category[] = {
        [LG_CATEGORY_OTHER] = LOOK_OBJECT,
        [LG_CATEGORY_CONTAINER] = LOOK_CONTAINER,
        [LG_CATEGORY_MODULE] = LOOK_ROOT,
        [LG_CATEGORY_TYPE] = LOOK_TYPE,
        [LG_CATEGORY_FUNCTION] = LOOK_FUNCTION,
        [LG_CATEGORY_FRAME] = LOOK_FRAME,
        [LG_CATEGORY_TENSOR] = LOOK_TENSOR,
        [LG_CATEGORY_ARRAY] = LOOK_ARRAY,
        [LG_CATEGORY_FIGURE] = LOOK_FIGURE,
        [LG_CATEGORY_ROOT] = LOOK_ROOT,
        [LG_CATEGORY_EXCEPTION] = LOOK_EXCEPTION,
        [LG_CATEGORY_ATOM] = LOOK_ATOM,
    };
    if (node->kind == LG__VIEW_NATIVE)
        return &looks[LOOK_NATIVE];
    if (node->kind == LG__VIEW_REST || node->kind == LG__VIEW_SKIP)
        return &looks[LOOK_REST];
    if (node->native)
        return &looks[LOOK_MEMORY];
    return &looks[by_category[node->category]];
}

const lg__view_look *
lg__look_at(size_t index)
{
    return index < LOOK_REST ? &looks[index] : NULL;
}

const char *
lg__badge_of(const lg__view_node *node, const lg__view_look *look)
{
    static const char *const badges[][2] = {
        {"dict", "{ }"},       {"tuple", "( )"},        {"set", "{ }"},
        {"frozenset", "{ }"},  {"mappingproxy", "{ }"}, {"cell", "·"},
        {"frozendict", "{ }"},
    };
    if (!node->type.data)
        return look->badge;
    for (size_t i = 0; i < sizeof badges / sizeof *badges; i++) {
        if (!strcmp(node->type.data, badges[i][0]))
            return badges[i][1];
    }
    return look->badge;
}
