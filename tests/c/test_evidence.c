// What a block without an owner is: functions decide, then sizes.
#include "bytes/bytes_private.h"

#include "test.h"

static const struct {
    const char *frames;
    const char *pool;
    uint64_t size;
    uint32_t in_flux;
    lg_evidence evidence;
} cases[] = {
    {NULL, NULL, 512, 0, LG_EVIDENCE_UNKNOWN},
    {"", "", 512, 0, LG_EVIDENCE_UNKNOWN},
    {"make a.py:1", NULL, 512, 1, LG_EVIDENCE_IN_FLUX},
    {NULL, "1.0", 8519680, 0, LG_EVIDENCE_GRAPH_POOL},
    {NULL, NULL, 8519680, 0, LG_EVIDENCE_CUBLAS_SIZE},
    {"linear (torch/nn/functional.py:7)", "", 33554432, 0,
     LG_EVIDENCE_CUBLAS_SIZE},
    {"c10d::Reducer::initialize_buckets() < forward (ddp.py:9)", NULL, 33554432,
     0, LG_EVIDENCE_BUCKETS},
    {"c10d::Reducer::initialize_buckets() < "
     "torch::autograd::Engine::thread_main()",
     NULL, 512, 0, LG_EVIDENCE_BUCKETS},
    {"at::native::empty_cuda(c10::ArrayRef<long>) < f (a.py:1)", NULL, 8519680,
     0, LG_EVIDENCE_FRAMES},
    {"at::cuda::getCUDABlasLtWorkspace() (x.cpp:1)", NULL, 512, 0,
     LG_EVIDENCE_CUBLAS},
    {"at::cuda::blas::(anonymous namespace)::gemm() < "
     "torch::autograd::Engine::thread_main()",
     NULL, 512, 0, LG_EVIDENCE_CUBLAS},
    {"_engine_run_backward (torch/autograd/graph.py:823)", NULL, 512, 0,
     LG_EVIDENCE_BACKWARD},
    {"empty < Scale.backward (scale.py:8)", NULL, 8519680, 0,
     LG_EVIDENCE_BACKWARD},
    {"torch::autograd::Engine::thread_main()", NULL, 8519680, 0,
     LG_EVIDENCE_BACKWARD},
    {"torch::autograd::VariableType::addmm()", NULL, 512, 0,
     LG_EVIDENCE_FRAMES},
    {"load (backward/autograd/autocast/cublas.py:1)", NULL, 512, 0,
     LG_EVIDENCE_FRAMES},
    {"load (my (backward) data:7/x.py:12)", NULL, 512, 0, LG_EVIDENCE_FRAMES},
    {"plan_backward (a.py:3) < backwards (a.py:4)", NULL, 512, 0,
     LG_EVIDENCE_FRAMES},
    {"at::autocast::cached_cast() (autocast.cpp:3) < fit (fit.py:3)", NULL, 512,
     0, LG_EVIDENCE_AUTOCAST},
    {"decorate_autocast (torch/amp/autocast_mode.py:44)", NULL, 512, 0,
     LG_EVIDENCE_FRAMES},
    {"load (train.py:3) < train (train.py:9)", NULL, 512, 0,
     LG_EVIDENCE_FRAMES},
    {"user_metadata 'backward'", NULL, 512, 0, LG_EVIDENCE_UNKNOWN},
    {"user_metadata 'a::backward' < load (a.py:1)", NULL, 512, 0,
     LG_EVIDENCE_FRAMES},
};

static lg_string
string_of(const char *text)
{
    return (lg_string){text, text ? (uint32_t)strlen(text) : 0};
}

static void
evidence(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lg_block block = {.size = cases[i].size,
                                .in_flux = cases[i].in_flux};
        lg_evidence found = lg__evidence_of(&block, string_of(cases[i].pool),
                                            string_of(cases[i].frames));
        CHECK(found == cases[i].evidence);
    }
}

static void
names(void)
{
    for (int i = 0; i < LG_EVIDENCE_COUNT; i++)
        CHECK(strcmp(lg_evidence_name((lg_evidence)i), "unknown") != 0 ||
              i == LG_EVIDENCE_UNKNOWN);
}

SUITE(evidence)
{
    RUN(evidence);
    RUN(names);
    return test_result();
}
