// Which references a program can cut.
#include "drawn.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/why.h>

#include <string.h>

typedef struct explained {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_why why;
} explained;

// Ends the story, and asks why the thing is alive.
static explained
explain(story *made, uint32_t thing)
{
    explained out = {.graph = story_end(made)};
    out.analysis = analysed(out.graph);
    REQUIRE(lg_node_why(out.analysis, thing, NULL, &out.why, NULL) == LG_OK);
    return out;
}

static void
explained_free(explained *of)
{
    lg_why_clear(&of->why);
    lg_analysis_free(of->analysis);
    lg_graph_free(of->graph);
}

// Returns whether a program can cut the reference to the thing.
static bool
can_cut_last(const explained *of)
{
    const lg_path *path = &of->why.path;
    return lg_hop_can_be_cut(of->graph, &path->hops[path->count - 1]);
}

// Attributes that a program can only read, of instances of subclasses, too.
static void
read_only(void)
{
    static const struct {
        const char *type;
        const char *base;
        const char *name; // NULL: an item
        bool can;
    } cases[] = {
        {"numpy.ndarray", NULL, "base", false},
        {"app.Array", "numpy.ndarray", "base", false},
        {"app.Array", "numpy.ndarray", "owner", true},
        {"app.Thing", NULL, "base", true},
        {"app.Row", "tuple", NULL, false},
        {"app.Row", "tuple", "extra", true},
        {"list", NULL, NULL, true},
        {"super", NULL, "__self__", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        story made = story_begin();
        if (cases[i].base != NULL)
            story_type(&made, cases[i].type, cases[i].base);
        uint32_t module = story_module(&made, "app");
        uint32_t holder = story_add(&made, cases[i].type, NULL, 64);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_attribute(&made, module, "holder", holder);
        if (cases[i].name != NULL)
            story_attribute(&made, holder, cases[i].name, thing);
        else
            story_edge(&made, holder, thing, LG_EDGE_INDEX, 0);
        explained got = explain(&made, thing);
        CHECK(got.why.path.count == 2);
        CHECK(can_cut_last(&got) == cases[i].can);
        CHECK(got.why.frees[0] && got.why.frees[1] == cases[i].can);
        explained_free(&got);
    }
}

// A call lets go of what the interpreter holds for a program. Its native
// structures hold other things as long as they like.
static void
calls(void)
{
    static const struct {
        const char *label;
        const char *call; // what the hint begins with; NULL: there is none
    } cases[] = {
        {"atexit handlers", "atexit.unregister() "},
        {"profile function", "sys.setprofile(None) "},
        {"trace function", "sys.settrace(None) "},
        {"async_gen_firstiter", "sys.set_asyncgen_hooks(None, None) "},
        {"async_gen_finalizer", "sys.set_asyncgen_hooks(None, None) "},
        {"signal handler 10", "signal.signal(N, signal.SIG_DFL) "},
        {"signal handlers", NULL},
        {"completer", "readline.set_completer(None) "},
        {"startup_hook", "readline.set_startup_hook(None) "},
        {"pre_input_hook", "readline.set_pre_input_hook(None) "},
        {"completion_display_matches_hook",
         "readline.set_completion_display_matches_hook(None) "},
        {"completers", NULL},
        {"profile", NULL},
        {"module state", NULL},
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        const char *label = cases[i / 2].label, *call = cases[i / 2].call;
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_edge(&made, module, thing, LG_EDGE_NATIVE,
                   lg_builder_intern(made.builder, label, strlen(label)));
        if (i % 2) // then both references must go
            story_attribute(&made, module, "name", thing);
        explained got = explain(&made, thing);
        CHECK(i % 2 || got.why.frees_count == (call != NULL));
        CHECK(got.why.cuts.is_kept == (call == NULL));
        CHECK((got.why.hint == LG_HINT_CALL) == (call != NULL));
        lg_text told = {0};
        lg_why_hint_format(&got.why, &told);
        CHECK(call == NULL || !strncmp(told.data, call, strlen(call)));
        lg_text_free(&told);
        lg_text json = {0};
        REQUIRE(lg_report_why(&got.why, NULL, NULL, LG_FORMAT_JSON, &json,
                              NULL) == LG_OK);
        const char *hint = strstr(json.data, "\"hint\": \"");
        CHECK((hint != NULL) == (call != NULL));
        CHECK(hint == NULL || !strncmp(hint + 9, call, strlen(call)));
        lg_text_free(&json);
        explained_free(&got);
    }
}

// Nothing can be taken out of some lists of the interpreter, unless a program
// has them, too.
static void
registered_for_good(void)
{
    static const struct {
        const char *label;
        bool can;
    } cases[] = {
        {"before_forkers", false},      {"after_forkers_parent", false},
        {"after_forkers_child", false}, {"audit_hooks", false},
        {"gc.callbacks", true},         {"codec_search_path", true},
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        const char *label = cases[i / 2].label;
        story made = story_begin();
        uint32_t state = story_module(&made, "state");
        uint32_t list = story_add(&made, "list", NULL, 64);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_edge(&made, state, list, LG_EDGE_NATIVE,
                   lg_builder_intern(made.builder, label, strlen(label)));
        story_edge(&made, list, thing, LG_EDGE_INDEX, 0);
        if (i % 2)
            story_attribute(&made, state, "list", list);
        explained got = explain(&made, thing);
        CHECK(got.why.cuts.is_kept == !(i % 2 || cases[i / 2].can));
        CHECK(got.why.frees[1] == (i % 2 || cases[i / 2].can));
        explained_free(&got);
    }
}

// A program cannot change a dict of which it has only views, nor a list that
// only an iterator has.
static void
only_viewed(void)
{
    static const struct {
        const char *view;
        bool can;
    } cases[] = {
        {"mappingproxy", false},
        {"dict_items", false},
        {"list_iterator", false},
        {"list_reverseiterator", false},
        {"dict_keyiterator", false},
        {"dict_valueiterator", false},
        {"dict_itemiterator", false},
        {"dict_reversekeyiterator", false},
        {"dict_reversevalueiterator", false},
        {"dict_reverseitemiterator", false},
        {"odict_iterator", false},
        {"set_iterator", false},
        {"_collections._deque_iterator", false},
        {"_collections._deque_reverse_iterator", false},
        {"collections._deque_iterator", false},
        {"collections._deque_reverse_iterator", false},
        {"itertools.cycle", false},
        {"tuple_iterator", false},
        {"itertools.repeat", true}, // next() returns it
        {"app.View", true},
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        bool can = cases[i / 2].can || i % 2;
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t view = story_add(&made, cases[i / 2].view, NULL, 48);
        uint32_t dict = story_add(&made, "dict", NULL, 64);
        uint32_t key = story_add(&made, "str", "x", 50);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_attribute(&made, module, "view", view);
        story_edge(&made, view, dict, LG_EDGE_FIELD, 16);
        story_edge(&made, dict, key, LG_EDGE_KEY, 0);
        story_edge(&made, dict, thing, LG_EDGE_VALUE, key);
        if (i % 2)
            story_attribute(&made, module, "dict", dict);
        explained got = explain(&made, thing);
        CHECK(can_cut_last(&got) == can);
        CHECK(got.why.frees[got.why.path.count - 1] == can);
        explained_free(&got);
    }
}

// Nobody can set an attribute of a frozen dataclass, nor, in a class that
// derives from one, one of its fields.
static void
frozen(void)
{
    for (int i = 0; i < 16; i++) {
        const bool in_dict = i & 1, is_frozen = i & 2, derived = i & 4,
                   is_field = i & 8;
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t class = story_add(&made, "type", "app.Base", 900);
        uint32_t options =
            story_add(&made, "dataclasses._DataclassParams", NULL, 64);
        uint32_t value =
            story_add(&made, "bool", is_frozen ? "True" : "False", 28);
        uint32_t base =
            lg_builder_add_type(made.builder, "app.Base", 8, class, NULL, 0);
        uint32_t type = lg_builder_add_type(made.builder, "app.Derived", 11,
                                            LG_NONE, &base, 1);
        story_attribute(&made, module, "Base", class);
        story_attribute(&made, class, "__dataclass_params__", options);
        story_attribute(&made, options, "frozen", value);
        uint32_t fields = story_add(&made, "dict", NULL, 64);
        uint32_t field = story_add(&made, "str", is_field ? "kept" : "x", 50);
        story_attribute(&made, class, "__dataclass_fields__", fields);
        story_edge(&made, fields, options, LG_EDGE_VALUE, field);
        uint32_t holder = story_add(&made, "app.Holder", NULL, 64);
        lg_builder_put_type(made.builder, holder, derived ? type : base);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        uint32_t names = holder;
        story_attribute(&made, module, "holder", holder);
        if (in_dict) {
            names = story_add(&made, "dict", NULL, 64);
            uint32_t key = story_add(&made, "str", "kept", 50);
            story_edge(&made, holder, names, LG_EDGE_DICT, 0);
            story_edge(&made, names, thing, LG_EDGE_VALUE, key);
        } else {
            story_attribute(&made, holder, "kept", thing);
        }
        explained got = explain(&made, thing);
        CHECK(can_cut_last(&got) == !(is_frozen && (is_field || !derived)));
        CHECK(got.why.frees[0]);
        explained_free(&got);
    }
}

typedef struct model_case {
    const char *base;   // of the class
    const char *config; // what model_config says of frozen; NULL: nothing
    const char *field;  // the only field; `kept` is the attribute that is set
    const char *fixed;  // what the field says of frozen
    bool can;
} model_case;

// Adds a class of models with one field, and returns its type.
static uint32_t
add_model(story *made, uint32_t module, const model_case *one)
{
    uint32_t class = story_add(made, "type", "app.Model", 900);
    uint32_t base =
        lg_builder_add_type(made->builder, one->base,
                            (uint32_t)strlen(one->base), LG_NONE, NULL, 0);
    uint32_t type =
        lg_builder_add_type(made->builder, "app.Model", 9, class, &base, 1);
    uint32_t fields = story_add(made, "dict", NULL, 64);
    uint32_t field = story_add(made, "pydantic.fields.FieldInfo", NULL, 64);
    story_attribute(made, module, "Model", class);
    story_attribute(made, class, "__pydantic_fields__", fields);
    story_edge(made, fields, field, LG_EDGE_VALUE,
               story_add(made, "str", one->field, 50));
    story_attribute(made, field, "frozen",
                    story_add(made, "bool", one->fixed, 28));
    uint32_t config = story_add(made, "dict", NULL, 64);
    story_attribute(made, class, "model_config", config);
    if (one->config != NULL)
        story_edge(made, config, story_add(made, "bool", one->config, 28),
                   LG_EDGE_VALUE, story_add(made, "str", "frozen", 50));
    return type;
}

// Ends the story with a holder of that type, and checks whether its reference
// `kept` can be cut.
static void
check_field(story *made, uint32_t module, uint32_t type, bool can)
{
    uint32_t holder = story_add(made, "app.Holder", NULL, 64);
    lg_builder_put_type(made->builder, holder, type);
    uint32_t thing = story_add(made, "app.Kept", NULL, 48);
    story_attribute(made, module, "holder", holder);
    story_attribute(made, holder, "kept", thing);
    explained got = explain(made, thing);
    CHECK(can_cut_last(&got) == can);
    explained_free(&got);
}

// Nobody can set a field of a frozen model of pydantic, nor a frozen field. A
// class says for itself whether it is frozen.
static void
frozen_models(void)
{
    static const char model[] = "pydantic.main.BaseModel";
    static const model_case cases[] = {
        {model, NULL, "kept", "None", true},
        {model, "True", "kept", "None", false},
        {model, "False", "kept", "None", true},
        {model, NULL, "kept", "True", false},
        {model, "True", "other", "None", true},
        {model, NULL, "other", "True", true},
        {"app.Base", "True", "kept", "True", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t type = add_model(&made, module, &cases[i]);
        check_field(&made, module, type, cases[i].can);
    }
}

// Adds a model of pydantic 1, whose base has the settings, and returns its
// type.
static uint32_t
add_old_model(story *made, const char *setting, const char *value,
              const char *field_allows)
{
    static const char base_name[] = "pydantic.v1.main.BaseModel";
    uint32_t class = story_add(made, "type", "app.Model", 900);
    uint32_t base = lg_builder_add_type(made->builder, base_name,
                                        sizeof base_name - 1, LG_NONE, NULL, 0);
    uint32_t type =
        lg_builder_add_type(made->builder, "app.Model", 9, class, &base, 1);
    uint32_t fields = story_add(made, "dict", NULL, 64);
    uint32_t field = story_add(made, "ModelField", NULL, 64);
    uint32_t info = story_add(made, "FieldInfo", NULL, 64);
    uint32_t config = story_add(made, "type", "Config", 900);
    uint32_t order = story_add(made, "tuple", NULL, 64);
    uint32_t settings = story_add(made, "type", "app.Config", 900);
    story_attribute(made, class, "__fields__", fields);
    story_edge(made, fields, field, LG_EDGE_VALUE,
               story_add(made, "str", "kept", 50));
    story_attribute(made, field, "field_info", info);
    story_attribute(made, info, "allow_mutation",
                    story_add(made, "bool", field_allows, 28));
    story_attribute(made, class, "__config__", config);
    story_attribute(made, config, "__mro__", order);
    story_edge(made, order, config, LG_EDGE_INDEX, 0);
    story_edge(made, order, settings, LG_EDGE_INDEX, 1);
    story_attribute(made, settings, setting,
                    story_add(made, "bool", value, 28));
    return type;
}

static void
frozen_old_models(void)
{
    static const struct {
        const char *setting, *value, *field;
        bool can;
    } cases[] = {
        {"allow_mutation", "True", "True", true},
        {"allow_mutation", "False", "True", false},
        {"frozen", "True", "True", false},
        {"frozen", "False", "True", true},
        {"validate_assignment", "True", "True", true},
        {"validate_assignment", "True", "False", false},
        {"validate_assignment", "False", "False", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t type = add_old_model(&made, cases[i].setting, cases[i].value,
                                      cases[i].field);
        check_field(&made, module, type, cases[i].can);
    }
}

SUITE(cuttable)
{
    RUN(calls);
    RUN(registered_for_good);
    RUN(frozen);
    RUN(frozen_models);
    RUN(frozen_old_models);
    RUN(read_only);
    RUN(only_viewed);
    return test_result();
}
