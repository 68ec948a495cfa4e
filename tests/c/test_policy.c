// Implicit roots, and the holder of each byte: one small program for each rule.
#include "drawn.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/retained.h>

typedef struct program {
    lg_builder *builder;
    uint32_t module_type, class_type, dict_type, thing_type;
    lg_graph *graph;
    lg_analysis *analysis;
} program;

static uint32_t
add_type(program *to, const char *name)
{
    return lg_builder_add_type(to->builder, name, strlen(name), LG_NONE, NULL,
                               0);
}

static program
begin(void)
{
    program to = {0};
    REQUIRE(lg_builder_new(&to.builder, NULL) == LG_OK);
    to.module_type = add_type(&to, "module");
    to.class_type = add_type(&to, "type");
    to.dict_type = add_type(&to, "dict");
    to.thing_type = add_type(&to, "Thing");
    return to;
}

static uint32_t
add(program *to, uint32_t type)
{
    uint32_t node =
        lg_builder_add_node(to->builder, 16 + to->builder->node_count);
    lg_builder_put_type(to->builder, node, type);
    to->builder->size[node] = 100;
    return node;
}

static void
link(program *to, uint32_t source, uint32_t target, unsigned kind)
{
    uint32_t payload = kind == LG_EDGE_VALUE ? LG_NONE : 0;
    lg_builder_add_late_edge(to->builder, source, target, kind, payload);
}

// A module of sys.modules; *dict is its namespace.
static uint32_t
add_module(program *to, uint32_t *dict)
{
    uint32_t module = add(to, to->module_type);
    *dict = add(to, to->dict_type);
    link(to, module, *dict, LG_EDGE_DICT);
    lg_builder_add_root(to->builder, module, LG_ROOT_MODULE, "m", 1);
    return module;
}

static uint32_t
add_class(program *to, uint32_t holder)
{
    uint32_t class = add(to, to->class_type);
    link(to, holder, class, LG_EDGE_VALUE);
    return class;
}

static void
end(program *to)
{
    REQUIRE(lg_builder_finish(to->builder, &to->graph, NULL) == LG_OK);
    to->analysis = analysed(to->graph);
}

static void
leave(program *to)
{
    lg_analysis_free(to->analysis);
    lg_graph_free(to->graph);
}

static uint32_t
dominator(const program *of, uint32_t node)
{
    return lg_node_dominator(of->analysis, node);
}

static uint64_t
retained(const program *of, uint32_t node)
{
    return lg_node_retained(of->analysis, node).host;
}

// A module retains its data even if one of its functions refers back to its
// namespace; no module retains what two modules name.
static void
modules(void)
{
    program of = begin();
    uint32_t first_dict, second_dict;
    uint32_t first = add_module(&of, &first_dict);
    uint32_t second = add_module(&of, &second_dict);
    uint32_t data = add(&of, of.thing_type);
    uint32_t function = add(&of, of.thing_type);
    uint32_t common = add(&of, of.thing_type);
    link(&of, first_dict, data, LG_EDGE_VALUE);
    link(&of, first_dict, function, LG_EDGE_VALUE);
    link(&of, function, first_dict, LG_EDGE_GLOBALS);
    link(&of, first_dict, second, LG_EDGE_VALUE);
    link(&of, first_dict, common, LG_EDGE_VALUE);
    link(&of, second_dict, common, LG_EDGE_VALUE);
    end(&of);
    CHECK(dominator(&of, first) == LG_NONE &&
          dominator(&of, second) == LG_NONE);
    CHECK(dominator(&of, first_dict) == first);
    CHECK(dominator(&of, data) == first && dominator(&of, function) == first);
    CHECK(dominator(&of, common) == LG_NONE);
    CHECK(retained(&of, first) == 400 && retained(&of, first_dict) == 100);
    CHECK(retained(&of, second) == 200);
    CHECK(lg_analysis_component_count(of.analysis) == 0);
    leave(&of);
}

// Instances do not hold a class that a module names; the class retains its own
// data.
static void
named_class(void)
{
    program of = begin();
    uint32_t dict;
    uint32_t module = add_module(&of, &dict);
    uint32_t class = add_class(&of, dict);
    uint32_t namespace = add(&of, of.dict_type);
    uint32_t cache = add(&of, of.thing_type);
    uint32_t instance = add(&of, of.thing_type);
    link(&of, class, namespace, LG_EDGE_DICT);
    link(&of, namespace, cache, LG_EDGE_VALUE);
    link(&of, cache, instance, LG_EDGE_INDEX);
    link(&of, instance, class, LG_EDGE_TYPE);
    end(&of);
    CHECK(dominator(&of, class) == LG_NONE);
    CHECK(dominator(&of, instance) == cache);
    CHECK(retained(&of, class) == 400 && retained(&of, module) == 200);
    CHECK(lg_analysis_component_count(of.analysis) == 0);
    leave(&of);
}

// The holder of a class that is made per instance retains the class, which may
// be in a component.
static void
local_class(void)
{
    program of = begin();
    uint32_t dict;
    uint32_t module = add_module(&of, &dict);
    uint32_t instance = add(&of, of.thing_type);
    uint32_t class = add(&of, of.class_type);
    link(&of, dict, instance, LG_EDGE_VALUE);
    link(&of, instance, class, LG_EDGE_TYPE);
    link(&of, class, instance, LG_EDGE_ATTRIBUTE);
    end(&of);
    CHECK(dominator(&of, class) == instance);
    CHECK(dominator(&of, instance) == module);
    CHECK(lg_node_component(of.analysis, class) == 0);
    CHECK(lg_analysis_component(of.analysis, 0).retained.host == 200);
    leave(&of);
}

// A class that a named class nests by name, or that is a base of one, is named
// as well. A class in a list of the module is not.
static void
names_that_lead_on(void)
{
    program of = begin();
    uint32_t dict;
    uint32_t module = add_module(&of, &dict);
    uint32_t outer = add_class(&of, dict);
    uint32_t namespace = add(&of, of.dict_type);
    uint32_t nested = add_class(&of, namespace);
    uint32_t base = add(&of, of.class_type);
    uint32_t list = add(&of, of.thing_type);
    uint32_t listed = add(&of, of.class_type);
    link(&of, outer, namespace, LG_EDGE_DICT);
    link(&of, outer, base, LG_EDGE_ATTRIBUTE);
    link(&of, dict, list, LG_EDGE_VALUE);
    link(&of, list, listed, LG_EDGE_INDEX);
    uint32_t base_type =
        lg_builder_add_type(of.builder, "Base", 4, base, NULL, 0);
    lg_builder_add_type(of.builder, "Outer", 5, outer, &base_type, 1);
    end(&of);
    CHECK(dominator(&of, nested) == LG_NONE && dominator(&of, base) == LG_NONE);
    CHECK(dominator(&of, namespace) == outer);
    CHECK(dominator(&of, listed) == list && dominator(&of, list) == module);
    leave(&of);
}

// Nobody retains immortal and static objects; a thread retains its synthetic
// frames.
static void
lasting_objects(void)
{
    program of = begin();
    uint32_t thread = add(&of, of.thing_type);
    uint32_t frame = add(&of, of.thing_type);
    uint32_t local = add(&of, of.thing_type);
    uint32_t none = add(&of, of.thing_type);
    uint32_t fixed = add(&of, of.thing_type);
    const uint16_t synthetic = LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC;
    of.builder->node_flags[thread] = of.builder->node_flags[frame] = synthetic;
    of.builder->node_flags[none] = LG_NODE_IMMORTAL;
    lg_builder_add_root(of.builder, thread, LG_ROOT_THREAD, "t", 1);
    lg_builder_add_root(of.builder, fixed, LG_ROOT_STATIC, "", 0);
    link(&of, thread, frame, LG_EDGE_FRAME);
    link(&of, frame, local, LG_EDGE_LOCAL);
    link(&of, local, none, LG_EDGE_ATTRIBUTE);
    link(&of, local, fixed, LG_EDGE_ATTRIBUTE);
    link(&of, fixed, local, LG_EDGE_REFERENT | LG_EDGE_WEAK);
    end(&of);
    CHECK(dominator(&of, frame) == thread && dominator(&of, local) == frame);
    CHECK(dominator(&of, none) == LG_NONE && dominator(&of, fixed) == LG_NONE);
    CHECK(retained(&of, thread) == 300);
    CHECK(lg_analysis_component_count(of.analysis) == 0);
    leave(&of);
}

// Nobody retains what native code holds, but it may be in a component.
static void
native_holder(void)
{
    program of = begin();
    uint32_t dict;
    uint32_t module = add_module(&of, &dict);
    uint32_t holder = add(&of, of.thing_type);
    uint32_t held = add(&of, of.thing_type);
    of.builder->refcount[held] = 2;
    link(&of, dict, holder, LG_EDGE_VALUE);
    link(&of, holder, held, LG_EDGE_INDEX);
    link(&of, held, holder, LG_EDGE_INDEX);
    end(&of);
    CHECK(dominator(&of, held) == LG_NONE && dominator(&of, holder) == LG_NONE);
    CHECK(retained(&of, module) == 200);
    CHECK(lg_analysis_component_count(of.analysis) == 1);
    CHECK(lg_node_component(of.analysis, holder) == 0);
    leave(&of);
}

SUITE(policy)
{
    RUN(modules);
    RUN(named_class);
    RUN(local_class);
    RUN(names_that_lead_on);
    RUN(lasting_objects);
    RUN(native_holder);
    return test_result();
}
