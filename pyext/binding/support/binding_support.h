/** What all files of the binding share. */
#ifndef LEAKGRAPH_BINDING_SUPPORT_H
#define LEAKGRAPH_BINDING_SUPPORT_H

#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/support/errors.h"
#include "binding/support/progress.h"
#include "binding/support/shim.h"
#include "binding/support/signal_fd.h"
#include "binding/support/state.h"

#endif
