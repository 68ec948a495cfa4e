// The questions, in the order in which lists show them.
#include "report/report_private.h"

const lg_question *
lg_question_at(size_t index)
{
    static const lg_question *const questions[] = {
        &lg__ask_top,    &lg__ask_types,  &lg__ask_tensors,  &lg__ask_figures,
        &lg__ask_cycles, &lg__ask_waste,  &lg__ask_findings, &lg__ask_threads,
        &lg__ask_native, &lg__ask_search,
    };
    size_t count = sizeof questions / sizeof *questions;
    return index < count ? questions[index] : NULL;
}
