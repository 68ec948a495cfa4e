# A toolchain: this machine's compiler, with all libraries of the Debian root
# LEAKGRAPH_ROOT. Its programs run wherever the C library is as old as the
# root's, or newer. For a root of another machine, LEAKGRAPH_MACHINE names its
# processor, and the compiler is Debian's cross compiler for it.
#
#   cmake -D CMAKE_TOOLCHAIN_FILE=cmake/root.cmake -D LEAKGRAPH_ROOT=/path
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LEAKGRAPH_ROOT LEAKGRAPH_MACHINE)
if(NOT LEAKGRAPH_MACHINE)
  set(LEAKGRAPH_MACHINE ${CMAKE_HOST_SYSTEM_PROCESSOR})
endif()
set(triplet ${LEAKGRAPH_MACHINE}-linux-gnu)
if(NOT LEAKGRAPH_MACHINE STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${LEAKGRAPH_MACHINE})
  set(CMAKE_C_COMPILER ${triplet}-gcc)
  set(CMAKE_CXX_COMPILER ${triplet}-g++)
endif()
set(CMAKE_SYSROOT ${LEAKGRAPH_ROOT})
# gcc looks beside itself for crt1.o and libc before it looks in a sysroot.
set(CMAKE_C_FLAGS_INIT "-B${LEAKGRAPH_ROOT}/usr/lib/${triplet}/")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
# Without symbols, a wheel is half as large.
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)
set(CMAKE_FIND_ROOT_PATH ${LEAKGRAPH_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Python's headers are outside the root.
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LEAKGRAPH_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  "${LEAKGRAPH_ROOT}/opt/leakgraph/lib/pkgconfig:${LEAKGRAPH_ROOT}/usr/lib/${triplet}/pkgconfig:${LEAKGRAPH_ROOT}/usr/share/pkgconfig")
