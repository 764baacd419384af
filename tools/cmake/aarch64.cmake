# Build prof for aarch64 on another machine, with Debian's cross compiler and libraries in a folder:
#
#   cmake -S . -B build-aarch64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=tools/cmake/aarch64.cmake
#         -DPROF_SYSROOT=FOLDER -DPROF_EMBED=PROGRAM -DBUILD_TESTING=OFF
#
# FOLDER is made by tests/emulated/debian.py; PROGRAM is src/web/prof_embed of a build for this machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(PROF_SYSROOT "" CACHE PATH "Headers and libraries for aarch64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PROF_SYSROOT)
set(CMAKE_SYSROOT ${PROF_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${PROF_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config answers for that folder, not for this machine.
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${PROF_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${PROF_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${PROF_SYSROOT}/usr/share/pkgconfig)
