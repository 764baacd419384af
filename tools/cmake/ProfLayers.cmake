# Layers as targets. Each layer is a static library prof_<name> whose sources include other layers as
# "layer/header.h". Its include path holds only itself and the layers it names in USES, so an include
# that the plan does not allow fails to compile.
#
#   prof_layer(NAME USES layer... LINK library... FILES file.c...)
#   prof_unit_test(NAME USES layer... LINK library... FILES file.c...)   a cmocka executable, run by ctest
#   prof_fuzz(NAME USES layer... FILES file.c...)    LLVMFuzzerTestOneInput; replays tests/corpus/NAME in ctest
set(PROF_INCLUDE_ROOT ${PROJECT_BINARY_DIR}/layers)

function(prof_layer name)
	cmake_parse_arguments(L "" "" "USES;LINK;FILES" ${ARGN})
	file(MAKE_DIRECTORY ${PROF_INCLUDE_ROOT}/${name})
	file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${PROF_INCLUDE_ROOT}/${name}/${name} SYMBOLIC)
	add_library(prof_${name} STATIC ${L_FILES})
	target_include_directories(prof_${name} PRIVATE ${PROF_INCLUDE_ROOT}/${name} ${PROJECT_SOURCE_DIR}/include)
	prof_use(prof_${name} ${L_USES})
	target_link_libraries(prof_${name} PRIVATE prof_flags ${L_LINK})
endfunction()

# Give TARGET the headers and the archives of the named layers.
function(prof_use target)
	foreach(use ${ARGN})
		target_include_directories(${target} PRIVATE ${PROF_INCLUDE_ROOT}/${use})
		target_link_libraries(${target} PRIVATE prof_${use})
	endforeach()
endfunction()

function(prof_unit_test name)
	cmake_parse_arguments(T "" "" "USES;LINK;FILES" ${ARGN})
	add_executable(test_${name} ${T_FILES})
	prof_use(test_${name} ${T_USES})
	target_link_libraries(test_${name} PRIVATE prof_flags cmocka ${T_LINK})
	target_compile_definitions(test_${name} PRIVATE PROF_TEST_DIR="${PROJECT_SOURCE_DIR}/tests")
	add_test(NAME unit.${name} COMMAND test_${name})
endfunction()

function(prof_fuzz name)
	cmake_parse_arguments(F "" "" "USES;LINK;FILES" ${ARGN})
	if(PROF_FUZZ)
		add_executable(fuzz_${name} ${F_FILES})
		target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
	else()
		add_executable(fuzz_${name} ${F_FILES} ${PROJECT_SOURCE_DIR}/tests/fuzz_replay.c)
	endif()
	prof_use(fuzz_${name} ${F_USES})
	target_link_libraries(fuzz_${name} PRIVATE prof_flags ${F_LINK})
	file(MAKE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/corpus/${name})
	add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/corpus/${name})
endfunction()
