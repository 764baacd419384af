# Language level, warnings and sanitizers: the same for every target of the project.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

option(PROF_WERROR "Treat warnings as errors" ON)
set(PROF_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")
option(PROF_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)

add_library(prof_flags INTERFACE)
target_compile_definitions(prof_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_compile_options(prof_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wcast-qual -Wwrite-strings -Wnull-dereference
	-fno-omit-frame-pointer -fstack-protector-strong)
if(PROF_WERROR)
	target_compile_options(prof_flags INTERFACE -Werror)
endif()
if(PROF_SANITIZE)
	target_compile_options(prof_flags INTERFACE -fsanitize=${PROF_SANITIZE} -fno-sanitize-recover=all)
	target_link_options(prof_flags INTERFACE -fsanitize=${PROF_SANITIZE})
endif()
if(PROF_FUZZ)
	target_compile_options(prof_flags INTERFACE -fsanitize=fuzzer-no-link)
	target_link_options(prof_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
