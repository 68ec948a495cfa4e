# A toolchain: this machine's compiler, with the C library and all other libraries
# of the Debian root LEAKGRAPH_ROOT. What it builds runs wherever the C library is as
# old as the root's, or newer.
#
#   cmake -D CMAKE_TOOLCHAIN_FILE=cmake/root.cmake -D LEAKGRAPH_ROOT=/path
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LEAKGRAPH_ROOT)
set(CMAKE_SYSROOT ${LEAKGRAPH_ROOT})
# gcc looks beside itself for crt1.o and libc before it looks in a sysroot.
set(CMAKE_C_FLAGS_INIT "-B${LEAKGRAPH_ROOT}/usr/lib/x86_64-linux-gnu/")
# Without symbols, a wheel takes half the room.
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)
set(CMAKE_FIND_ROOT_PATH ${LEAKGRAPH_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Headers of Python are outside.
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LEAKGRAPH_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  "${LEAKGRAPH_ROOT}/opt/leakgraph/lib/pkgconfig:${LEAKGRAPH_ROOT}/usr/lib/x86_64-linux-gnu/pkgconfig:${LEAKGRAPH_ROOT}/usr/share/pkgconfig")
