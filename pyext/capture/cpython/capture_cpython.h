/**
 * What other rooms may use of CPython's internals. Only files of the target
 * leakgraph_capture can include this header.
 */
#ifndef LEAKGRAPH_CAPTURE_CPYTHON_H
#define LEAKGRAPH_CAPTURE_CPYTHON_H

#include "capture/cpython/compat_version.h"
#include "capture/cpython/instructions.h"

#if LG__INTERNALS
#include "capture/cpython/compat.h"
#include "capture/cpython/compat_bytearray.h"
#include "capture/cpython/compat_calls.h"
#include "capture/cpython/compat_check.h"
#include "capture/cpython/compat_dict.h"
#include "capture/cpython/compat_executors.h"
#include "capture/cpython/compat_exit.h"
#include "capture/cpython/compat_free.h"
#include "capture/cpython/compat_locals.h"
#include "capture/cpython/compat_module.h"
#include "capture/cpython/compat_state_fields.h"
#include "capture/cpython/compat_stringio.h"
#include "capture/cpython/compat_words.h"
#else
#include "capture/cpython/compat_public.h"
#include "capture/cpython/compat_public_frame.h"
#include "capture/cpython/compat_public_state.h"
#endif

#endif
