# The rooms of the project: each part from the ground up. A room is a folder. It uses
# itself and the rooms of its part that stand before it here, and CMake compiles every
# source in it. tools/check_includes.py checks what the files include,
# tools/check_rooms.py what the compiled files call, and that docs/internals.md has this
# list.

function(leakgraph_room folder holds)
  set_property(GLOBAL APPEND PROPERTY LEAKGRAPH_ROOMS ${folder})
endfunction()

# Sets `out` to the sources of these rooms.
function(leakgraph_sources out)
  get_property(rooms GLOBAL PROPERTY LEAKGRAPH_ROOMS)
  set(sources)
  foreach(room IN LISTS ARGN)
    if(NOT room IN_LIST rooms)
      message(FATAL_ERROR "rooms.cmake has no room ${room}")
    endif()
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.c)
    list(APPEND sources ${found})
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Sets `out` to the rooms below a folder.
function(leakgraph_rooms out folder)
  get_property(rooms GLOBAL PROPERTY LEAKGRAPH_ROOMS)
  list(FILTER rooms INCLUDE REGEX "^${folder}/")
  set(${out} ${rooms} PARENT_SCOPE)
endfunction()

leakgraph_room(libgraph/src/base
  "memory, errors, growing text, interned strings, sorting, locks that survive a fork, threads that help")
leakgraph_room(libgraph/src/graph
  "the columns of a graph, their checks, hops, labels and titles")
leakgraph_room(libgraph/src/build
  "the builder: from appended nodes and edges to a graph; `strip`; a graph without some references")
leakgraph_room(libgraph/src/analysis
  "components, dominators, retained sizes; the bridge to igraph")
leakgraph_room(libgraph/src/native
  "the rule that says who holds each block of native memory, and the graph that has the blocks")
leakgraph_room(libgraph/src/file
  "the `.lgs` file: sections, checks, atomic writes, saved analyses")
leakgraph_room(libgraph/src/paths
  "paths from roots, merged paths, what to cut, selectors")
leakgraph_room(libgraph/src/cycles
  "the shortest cycle of a component, its kind, the reference to cut")
leakgraph_room(libgraph/src/bytes
  "storages and their tensors, figures, accounts of each device")
leakgraph_room(libgraph/src/table
  "tables of any answer as text, JSON and HTML; names of nodes, paths and sizes in words")
leakgraph_room(libgraph/src/growth
  "places, which are the same in every snapshot; what grows from one snapshot to the next, and how ranks differ; what a fork shares")
leakgraph_room(libgraph/src/findings
  "the detectors of known mistakes, and their texts")
leakgraph_room(libgraph/src/answers
  "the facts that answer a question, and its description: options, columns, headings")
leakgraph_room(libgraph/src/report
  "the text, JSON and tables of each answer")

leakgraph_room(export/view
  "a picture as plain data: the picked nodes and edges, their looks and words")
leakgraph_room(export/pick
  "choosing the nodes worth drawing, and folding siblings that are alike")
leakgraph_room(export/pictures
  "the pictures of an answer: why, merged paths, a cycle, dominators, growth")
leakgraph_room(export/write
  "a view as a text tree, as JSON, as DOT")
leakgraph_room(export/formats
  "snapshots in the formats of other tools, written part by part")
leakgraph_room(export/render
  "the renderer process, and talking to it")
leakgraph_room(export/page
  "the report page; in `assets/` its script and style sheet, which the build embeds")
leakgraph_room(export/serve
  "the explorer: who is let in, and a page for each question; in `assets/` its script")
leakgraph_room(export/command
  "the command: verbs, options, messages; no algorithm")

leakgraph_room(pyext/capture/cpython
  "everything that differs between versions of CPython")
leakgraph_room(pyext/capture/common
  "what all rooms share, in headers without CPython's internals: options of a capture, types with a known layout, safe reads of memory, a clock")
leakgraph_room(pyext/capture/memory
  "the capture's own memory, and the map from addresses to nodes")
leakgraph_room(pyext/capture/walk
  "the walk: its state, which takes nodes, edges and names; walkers of objects; roots; the driver")
leakgraph_room(pyext/capture/adapters
  "what an adapter may do, and when")
leakgraph_room(pyext/bytes/common
  "what adapters share: reads, C++ types, asking a library")
leakgraph_room(pyext/bytes/python
  "bytearray, array, mmap, ctypes, memoryview; registered types; the memory of the process")
leakgraph_room(pyext/bytes/libraries
  "numpy, pandas, pyarrow, Pillow, matplotlib, JAX, CuPy, Numba")
leakgraph_room(pyext/bytes/torch
  "tensors, storages, the autograd graph, and the layout of each PyTorch")
leakgraph_room(pyext/bytes/cuda
  "the account of the CUDA allocator and the driver")
leakgraph_room(pyext/bytes
  "the list of all adapters")
leakgraph_room(pyext/heap
  "native memory in a forked child: every block of malloc and pymalloc, and the ranges that may refer to blocks; names of what lies in libraries")
leakgraph_room(pyext/capture/run
  "one capture from start to end, the forked child and the room that its control groups leave it, the check at import")
leakgraph_room(pyext/attach
  "snapshots of other processes: their memory and symbols, visits, the code that is copied there, the entry of the library")
leakgraph_room(pyext/binding/support
  "arguments, exceptions, devices, progress")
leakgraph_room(pyext/binding/objects
  "Snapshot, Node, Edge, Path and sequences of them; tables for Arrow")
leakgraph_room(pyext/binding/pictures
  "`show_refs()` and its like, Drawing")
leakgraph_room(pyext/binding/capture
  "`snapshot()`, `save_snapshot()`, `load()`; counters of memory")
leakgraph_room(pyext/binding/answers
  "Why, Top, Cycles, Tensors and the other answers")
leakgraph_room(pyext/binding
  "the module's table of contents, the methods of Snapshot")
