/**
 * Ranks: how the processes of one job differ, and what each of them repeats.
 *
 * The conventions of leakgraph.h hold. Places (places.h), which have the same
 * keys in each process, are what is compared. Devices of one kind count as one:
 * `cuda:3` of rank 3 compares with `cuda:0` of rank 0.
 */
#ifndef LEAKGRAPH_RANKS_H
#define LEAKGRAPH_RANKS_H

#include <leakgraph/internal/growth.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The number of this process in its job, from 0, in decimal digits: the first
 *  that torchrun (RANK, if WORLD_SIZE is set, too), MPI (OMPI_COMM_WORLD_RANK,
 *  PMIX_RANK, PMI_RANK, MV2_COMM_WORLD_RANK) or SLURM (SLURM_PROCID) set in the
 *  environment. NULL: the process is in no job. Valid until the environment
 *  changes. */
const char *lg_process_rank(void);

/** One process of the job. */
typedef struct lg_rank {
    lg_string name;        /**< its number in the job, or its index among the
                                summaries; if several have the same number, with
                                the process: "0 (pid 17)" */
    const uint64_t *bytes; /**< [devices + 1] of all its objects */
    int64_t rss;           /**< resident set, less what leakgraph itself keeps;
                                -1: unknown */
    int64_t unexplained;   /**< bytes in use of malloc that no object explains;
                                -1: unknown */
} lg_rank;

/** A place, in every rank. */
typedef struct lg_rank_row {
    uint32_t place;         /**< of lg_ranks.places */
    lg_string type;         /**< of the objects there */
    const uint64_t *counts; /**< [count] members */
    const uint64_t *bytes;  /**< [count][devices + 1] retained by them */
    uint64_t usual;         /**< the median of the ranks' bytes on the host and
                                 all devices; of an even number the lower one */
    uint32_t outlier;       /**< the rank that is furthest from it */
    int64_t apart;          /**< that rank's bytes less the usual */
    uint32_t others;        /**< more ranks that are apart by min_bytes */
    const uint64_t *each;   /**< [devices + 1] bytes of the rank with the
                                 fewest, a part of `bytes` */
    uint64_t least;         /**< their sum */
    const uint64_t *together; /**< [devices + 1] `each` times the number of
                                   ranks; NULL in rows of what differs */
} lg_rank_row;

typedef struct lg_ranks {
    uint32_t count;
    lg_rank *ranks;          /**< [count] as the summaries */
    uint32_t devices;        /**< kinds of them, besides the host */
    lg_string *device_names; /**< [devices + 1]: "host", "cuda" ... */
    lg_rank_row *rows;       /**< where ranks differ, the furthest first. A row
                                  leaves out what rows below it have */
    size_t row_count;
    lg_rank_row *repeated; /**< what all ranks have alike, the most bytes
                                first; none lies in another */
    size_t repeated_count;
    uint64_t *libraries;     /**< [devices + 1] bytes that every rank has in
                                  modules of known libraries and the
                                  interpreter; `repeated` leaves them out */
    uint64_t min_bytes;      /**< the least difference that has a row */
    uint32_t native_outlier; /**< the rank whose unexplained bytes are furthest
                                  from the usual, if by min_bytes at least;
                                  LG_NONE */
    int64_t native_usual;    /**< the median of these; -1: not known of all */
    lg_places *places;       /**< of all ranks, added up */
    uint64_t *numbers;       /**< what the series point into */
    char *names;             /**< what the names of ranks point into */
} lg_ranks;

/** Start from LG_RANKS_OPTIONS_INIT. */
typedef struct lg_ranks_options {
    size_t size;        /**< of this struct */
    uint64_t min_bytes; /**< smaller differences, and smaller repeated places,
                             have no row; 1 MiB by default */
} lg_ranks_options;

#define LG_RANKS_OPTIONS_INIT                                                  \
    {                                                                          \
        .size = sizeof(lg_ranks_options), .min_bytes = 1 << 20                 \
    }

/**
 * Compares summaries of the processes of one job, taken at the same point of
 * their work. A place differs in a rank if it has min_bytes more or less there
 * than it usually has, on the host or a kind of device. Objects that accumulate
 * in a container count at the container. If a summary has more than 8,192
 * places, the biggest count. Borrows the summaries. LG_EINVAL for fewer than
 * two. O(places of all x ranks) time and memory.
 */
lg_status lg_ranks_find(const lg_summary *const *summaries, size_t count,
                        const lg_ranks_options *options, lg_ranks *out,
                        lg_error *err);
void lg_ranks_free(lg_ranks *ranks);

/** The bytes of a rank's objects, on the host and all devices. */
uint64_t lg_rank_bytes(const lg_ranks *ranks, uint32_t rank);
/** The bytes of a rank in a row, on the host and all devices. */
uint64_t lg_rank_row_bytes(const lg_ranks *ranks, const lg_rank_row *row,
                           uint32_t rank);

#ifdef __cplusplus
}
#endif

#endif
