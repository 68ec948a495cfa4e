/**
 * Memory that a program could do without: equal contents, memory that views
 * keep but do not show, room that nothing uses, and objects that cost more than
 * their data.
 *
 * The conventions of leakgraph.h hold. An answer borrows nothing but strings of
 * its graph. Bytes by device are numbers in the order of lg_graph_device_name,
 * the host first. On the host, they are what the allocators spend
 * (lg_node_spent), so the process gets back what an answer promises.
 */
#ifndef LEAKGRAPH_WASTE_H
#define LEAKGRAPH_WASTE_H

#include <leakgraph/internal/answers.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lg_waste_kind {
    /** strs, bytes and arrays with the contents of another one, if the capture
     *  compared contents. The waste is all but the one with the most
     *  references; for arrays at most that, because a write to one of them
     *  would show in all. */
    LG_WASTE_EQUAL = 0,
    LG_WASTE_VIEW,    /**< memory that only views keep, which show at most half
                           of it. The waste is what they do not show: copies
                           save it */
    LG_WASTE_ROOM,    /**< lists, dicts and sets with far more room than items.
                           The waste is what a copy does not need */
    LG_WASTE_SLOTS,   /**< a thousand or more instances of a class that have a
                           dict, or room for one. The waste is at most what
                           __slots__ with their attributes saves */
    LG_WASTE_RECORDS, /**< a thousand or more dicts with the same keys. The
                           waste is at most what instances of a class with
                           __slots__ save */
    LG_WASTE_BOXED,   /**< lists and tuples of numbers of one type. The waste is
                           what an array.array saves, with the numbers that
                           nothing else holds */
    LG_WASTE_KIND_COUNT,
} lg_waste_kind;

/** "equal", "view", "room", "slots", "records", "boxed". */
const char *lg_waste_kind_name(lg_waste_kind kind);

/** Objects of one kind of waste and of one place; for slots, of one class, and
 *  for records, with the same keys. */
typedef struct lg_waste_row {
    lg_waste_kind kind;
    lg_node node;   /**< the object with the most waste */
    lg_string type; /**< of the objects; the graph's */
    uint64_t count; /**< objects; for equal ones, without those that stay */
    uint64_t used;  /**< equal: different contents. view: bytes shown. room:
                         items. slots and records: attributes or keys. boxed:
                         numbers */
    uint64_t of;    /**< view: bytes kept. room: items that fit; in dicts and
                         sets, before they grow. Else 0 */
    bool at_most;   /**< the waste is an upper bound */
    const uint64_t *size;  /**< bytes that they take now, by device */
    const uint64_t *waste; /**< the part of that to save, by device */
    uint64_t weight;       /**< what rows are ranked by: the sum of that */
    lg_where where;        /**< of `node` */
} lg_waste_row;

typedef struct lg_waste {
    lg_waste_row *rows; /**< the most waste first */
    size_t count;
    size_t total_rows;         /**< before the limit */
    bool compared;             /**< the capture compared contents */
    const uint64_t *waste;     /**< all waste, by device; without what libraries
                                    keep */
    const uint64_t *libraries; /**< the waste in what libraries and the
                                    interpreter keep for themselves, in names,
                                    and in what code refers to: no rows */
    uint64_t library_objects;
    uint32_t devices; /**< and the host */
    uint64_t *bytes;  /**< what the sizes point into */
} lg_waste;

/** Start from LG_WASTE_OPTIONS_INIT. */
typedef struct lg_waste_options {
    size_t size;    /**< of this struct */
    size_t limit;   /**< rows (0: any number) */
    bool libraries; /**< what libraries keep for themselves has rows, too */
    const lg_scope *scope; /**< rows only for what it has; or NULL */
} lg_waste_options;

#define LG_WASTE_OPTIONS_INIT                                                  \
    {                                                                          \
        .size = sizeof(lg_waste_options)                                       \
    }

/** Finds memory that a program could save. No object counts for two kinds,
 *  except that the strs in records may also be equal. O(nodes + edges). */
lg_status lg_analysis_waste(const lg_analysis *analysis,
                            const lg_waste_options *options,
                            const lg_monitor *monitor, lg_waste *out,
                            lg_error *err);
void lg_waste_free(lg_waste *waste);

#ifdef __cplusplus
}
#endif

#endif
