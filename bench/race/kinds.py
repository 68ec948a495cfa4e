"""The kind of each program's leak, for the picture by kind."""

from __future__ import annotations

_KINDS = {
    "containers": """celery_4765 geo_deep_learning_582 h5py_2771 icat_111 litellm_12159
        django_queries seen_requests default_argument class_list burst_of_retries
        slow_under_churn read_of_defaultdict graph_of_requests contexts workers_kept
        futures_of_jobs mock_calls unread_queue anyio_1203 locust_2045
        podly_199 cpython_102120 curl_cffi_164""",
    "caches": """kimi_audio_117 marshmallow_dataclass_198 openai_2146 seer_2512
        transformers_45412 notebook_output source_lines pickler_memo plugins_reloaded
        marshmallow_657 masks_of_flag resurrected_buffers cpython_146054""",
    "handlers and registries": """boto3_2176 devlib_676 opentelemetry_4422 paddle_144
        opentelemetry_5016 picows_72 finalizer_owns hooks closure_cell
        warning_registry cpython_155143 dirtyfields_111 pydantic_11100
        jina_3739""",
    "chains and single objects": """lightstep_74 pyrollbar_43 litellm_2461 error_chain
        hidden_state transformers_6999 growing_buffer log_in_memory appended_array
        lagging_tee wrapped_again kodeagent_97 numpy_6581 pickledb_70""",
    "threads and tasks": """gel_140 memos_1273 pytorch_61186 ray_28977 server_threads
        far_timers suspended_generators local_of_thread aiida_4698""",
    "arrays, tensors, figures": """amplicon_64 datasets_4883 peft_738
        pytorch_faq_history small_views frames_of_chunks lines_of_axes replay
        loss_of_epochs pytorch_4661 rotary_embedding_15 threedgrut_93""",
    "native libraries": """httpx_978 lightgbm_350 sqlite_connections iterparse
        callbacks_for_c handles_of_c compressors""",
}
KINDS = {name: kind for kind, names in _KINDS.items() for name in names.split()}
#: The order of the picture.
ORDER = tuple(_KINDS)
