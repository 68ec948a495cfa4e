// All known mistakes, in the order in which they are looked for.
#include "findings/detectors.h"

const lg__detector *const lg__detectors[] = {
    &lg__detect_loss_history,
    &lg__detect_running_total,
    &lg__detect_hook_cycle,
    &lg__detect_kept_activations,
    &lg__detect_output_history,
    &lg__detect_carried_state,
    &lg__detect_create_graph_cycle,
    &lg__detect_retained_graph,
    &lg__detect_exception_traceback,
    &lg__detect_lru_cache,
    &lg__detect_notebook_output,
    &lg__detect_stale_optimizer,
    &lg__detect_several_optimizers,
    &lg__detect_prefetched_batches,
    &lg__detect_autocast_cache,
    &lg__detect_compiled_code,
    &lg__detect_small_view,
    &lg__detect_open_figures,
    &lg__detect_canvas_callback,
    &lg__detect_animation_frames,
    &lg__detect_saved_garbage,
    &lg__detect_disabled_collector,
    &lg__detect_frozen_garbage,
    &lg__detect_event_handlers,
    &lg__detect_log_handlers,
    &lg__detect_log_records,
    &lg__detect_endless_threads,
    &lg__detect_thread_locals,
    &lg__detect_unawaited_tasks,
    &lg__detect_done_tasks,
    &lg__detect_unfinished_generators,
    &lg__detect_finalizer_cycle,
    &lg__detect_weak_keys,
    &lg__detect_per_call_classes,
    &lg__detect_wrapped_functions,
    &lg__detect_id_keyed_cache,
    &lg__detect_dataframe_slice,
};

const size_t lg__detector_count = sizeof lg__detectors / sizeof *lg__detectors;

const lg_pattern *
lg_pattern_at(size_t index)
{
    return index < lg__detector_count ? &lg__detectors[index]->pattern : NULL;
}

const lg_pattern *
lg_pattern_find(lg_string name)
{
    for (uint32_t i = 0; i < lg__detector_count; i++)
        if (lg__string_is(name, lg__detectors[i]->pattern.name))
            return &lg__detectors[i]->pattern;
    return NULL;
}
