# Installing and packaging: the program, its man pages and completions (both written by the program itself),
# and a Debian package.
set(docs ${PROJECT_BINARY_DIR}/docs)
set(scripts ${docs}/prof.bash ${docs}/prof.zsh ${docs}/prof.fish)
add_custom_command(OUTPUT ${docs}/prof.1 ${scripts}
	COMMAND ${CMAKE_COMMAND} -E make_directory ${docs}
	COMMAND prof help --man-dir=${docs}
	COMMAND prof help --completion=bash > ${docs}/prof.bash
	COMMAND prof help --completion=zsh > ${docs}/prof.zsh
	COMMAND prof help --completion=fish > ${docs}/prof.fish
	DEPENDS prof VERBATIM)
add_custom_target(docs ALL DEPENDS ${docs}/prof.1 ${scripts})

install(TARGETS prof RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${docs}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${docs}/prof.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME prof)
install(FILES ${docs}/prof.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _prof)
install(FILES ${docs}/prof.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/prof-grant.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/prof-grant DESTINATION ${CMAKE_INSTALL_SBINDIR})
if(EXISTS ${PROJECT_SOURCE_DIR}/include/prof)
	install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/prof DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME prof)
set(CPACK_PACKAGE_CONTACT "The prof authors <prof@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is loaded when it is needed; nothing in the program's headers names it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libpfm4)
if(PROF_DISASSEMBLE AND CAPSTONE_FOUND)
	string(REGEX MATCH "^[0-9]+" capstone_major ${CAPSTONE_VERSION})
	string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libcapstone${capstone_major}")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcap2-bin)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS debuginfod)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"prof samples running programs, unwinds and names their stacks while they run,
and keeps the result in one file that can be read on any machine, as a report,
folded stacks or a flame graph.
.
'prof-grant on' lets members of the group prof profile without being root.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
	"${CMAKE_CURRENT_LIST_DIR}/postinst;${CMAKE_CURRENT_LIST_DIR}/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
