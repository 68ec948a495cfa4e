# Installs into a folder of its own, builds the examples three times, runs each
# and compares what they print and draw.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix
  --component Development)
run(${RUNNER} make_sample ${WORK}/sample.lgs)

set(example ${SOURCE}/examples/c)
run(${CMAKE_COMMAND} -S ${example} -B ${WORK}/cmake
  -D CMAKE_PREFIX_PATH=${WORK}/prefix -D CMAKE_C_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/cmake)

file(GLOB_RECURSE pc ${WORK}/prefix/leakgraph.pc)
cmake_path(GET pc PARENT_PATH pc_folder)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder}
    pkg-config --cflags --libs leakgraph
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
cmake_path(GET pc_folder PARENT_PATH libraries)
file(MAKE_DIRECTORY ${WORK}/pkgconfig)
run(${COMPILER} ${example}/types.c ${flags} -Wl,-rpath,${libraries}
  -o ${WORK}/pkgconfig/types)
run(${COMPILER} ${example}/picture.c ${flags} -Wl,-rpath,${libraries}
  -o ${WORK}/pkgconfig/picture)

# The whole library is compiled once more, without optimising: that is quick.
# With ccache it is compiled only where it has changed.
if(CCACHE)
  set(ENV{CMAKE_C_COMPILER_LAUNCHER} ${CCACHE})
  set(ENV{CCACHE_BASEDIR} ${SOURCE})
  set(ENV{CCACHE_NOHASHDIR} 1)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subproject
  -B ${WORK}/subproject -G ${GENERATOR} -D LEAKGRAPH=${SOURCE}
  -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -D CMAKE_C_COMPILER=${COMPILER}
  -D CMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${WORK}/subproject --target types picture)

set(expected
  "         1    8.00 GiB  numpy.ndarray"
  "         6       360 B  str")
foreach(way cmake pkgconfig subproject)
  execute_process(COMMAND ${WORK}/${way}/types ${WORK}/sample.lgs
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${output}")
  list(LENGTH lines count)
  list(SUBLIST lines 0 2 first)
  if(NOT count EQUAL 10 OR NOT first STREQUAL expected)
    message(FATAL_ERROR "${way}: the example printed\n${output}")
  endif()
endforeach()

# The library finds its renderer by itself.
foreach(way cmake pkgconfig subproject)
  run(${CMAKE_COMMAND} -E env --unset=LEAKGRAPH_RENDERER
    ${WORK}/${way}/picture ${WORK}/sample.lgs type:numpy.ndarray
    ${WORK}/${way}/why.svg)
  file(READ ${WORK}/${way}/why.svg picture)
  if(NOT picture MATCHES "<svg.*Why is it alive.*ndarray.*</svg>")
    message(FATAL_ERROR "${way}: the picture is\n${picture}")
  endif()
endforeach()
# Checks of the build look at every library below it.
file(REMOVE_RECURSE ${WORK})
