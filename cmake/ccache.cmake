# The builds for several Pythons compile the same C library, and ccache compiles
# it once. Its settings leave out the folder, which differs from build to build.
# `cmake -E env` would take several milliseconds for each file. ccache asks for
# the sloppiness before it caches what uses a precompiled header.
#
# A key of ccache's is the text of all headers that the compiler has read. By
# default, a key may be the output of the preprocessor instead. That output has no
# macros, and where an older precompiled header lies, it has that one's name only,
# so two different precompiled headers would have one key.
find_program(LEAKGRAPH_CCACHE ccache)
mark_as_advanced(LEAKGRAPH_CCACHE)
if(LEAKGRAPH_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER
      env CCACHE_DEPEND=1 CCACHE_NOHASHDIR=1
      CCACHE_BASEDIR=${CMAKE_CURRENT_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros ${LEAKGRAPH_CCACHE})
endif()
