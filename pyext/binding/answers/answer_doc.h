/** What help() says of a question, and which of its options are arguments. */
#ifndef LEAKGRAPH_ANSWER_DOC_H
#define LEAKGRAPH_ANSWER_DOC_H

#include <leakgraph/internal/questions.h>

/** Whether it is an option, and not one of the command alone, which come last.
 */
bool lg__option_is_argument(const lg_option *option);
/** Whether its argument may be given without its name. */
bool lg__option_stands_alone(const lg_option *option);
/** Writes the docstring, which begins with the signature, of the function or
 *  the method. */
void lg__answer_doc_add(const lg_question *question, bool function,
                        lg_text *out);

#endif
