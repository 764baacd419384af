# prof_python_tests(PREFIX file.py…): one ctest test for each function test_* of the files, named
# PREFIX.<file>.<name>. Functions whose name ends in "_alone" change settings of the whole machine or need it to
# themselves: they run when nothing else does.
option(PROF_LONG_TESTS "Run all members of the zoo of test programs, and more rounds of random tests" OFF)
find_program(PROF_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
# prof_python_test(NAME file argument…): the ctest test that runs the file so.
function(prof_python_test name)
	add_test(NAME ${name} COMMAND ${PROF_PYTHON} -B ${ARGN})
	set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 3000 ENVIRONMENT
		"PROF=$<TARGET_FILE:prof>;PROF_FILTER=kill;BUILD=${PROJECT_BINARY_DIR};PROGRAMS=${PROJECT_BINARY_DIR}/tests/programs;SOURCE=${PROJECT_SOURCE_DIR};PROF_ROUNDS=$<IF:$<BOOL:${PROF_LONG_TESTS}>,20,4>;PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/lib")
endfunction()

function(prof_python_tests prefix)
	if(NOT PROF_PYTHON)
		message(STATUS "no /usr/bin/python3: tests ${prefix}.* are left out")
		return()
	endif()
	foreach(file ${ARGN})
		set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
		file(STRINGS ${file} lines REGEX "^def test_")
		string(REGEX REPLACE "^test_(.*)\\.py$" "\\1" group ${file})
		foreach(line ${lines})
			string(REGEX REPLACE "^def test_([a-z0-9_]+).*" "\\1" function ${line})
			set(name ${prefix}.${group}.${function})
			prof_python_test(${name} ${CMAKE_CURRENT_SOURCE_DIR}/${file} test_${function})
			if(function MATCHES "_alone$")
				set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
			endif()
		endforeach()
	endforeach()
endfunction()
