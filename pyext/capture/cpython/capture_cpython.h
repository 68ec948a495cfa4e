/**
 * What other rooms may use of CPython's internals. Only files that are compiled
 * with Py_BUILD_CORE can include this header.
 */
#ifndef LEAKGRAPH_CAPTURE_CPYTHON_H
#define LEAKGRAPH_CAPTURE_CPYTHON_H

#include "capture/cpython/compat.h"
#include "capture/cpython/compat_bytearray.h"
#include "capture/cpython/compat_calls.h"
#include "capture/cpython/compat_check.h"
#include "capture/cpython/compat_dict.h"
#include "capture/cpython/compat_executors.h"
#include "capture/cpython/compat_exit.h"
#include "capture/cpython/compat_fields.h"
#include "capture/cpython/compat_free.h"
#include "capture/cpython/compat_locals.h"
#include "capture/cpython/compat_module.h"
#include "capture/cpython/compat_stringio.h"
#include "capture/cpython/compat_words.h"

#endif
