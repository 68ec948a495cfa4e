# Installs into a folder of its own, builds the example twice, runs both and
# compares what they print.
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

run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${WORK}/cmake
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
run(${COMPILER} ${EXAMPLE}/types.c ${flags} -Wl,-rpath,${libraries}
  -o ${WORK}/pkgconfig/types)

set(expected
  "         1    8.00 GiB  numpy.ndarray"
  "         6       360 B  str")
foreach(way cmake pkgconfig)
  execute_process(COMMAND ${WORK}/${way}/types ${WORK}/sample.lgs
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${output}")
  list(LENGTH lines count)
  list(SUBLIST lines 0 2 first)
  if(NOT count EQUAL 10 OR NOT first STREQUAL expected)
    message(FATAL_ERROR "${way}: the example printed\n${output}")
  endif()
endforeach()
