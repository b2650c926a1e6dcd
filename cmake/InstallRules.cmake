# Library, headers, command, manual, and the files by which other projects find them.
include(CMakePackageConfigHelpers)

# The command finds the library beside it, wherever the tree is moved to.
file(RELATIVE_PATH library_from_command
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(spikemine_command PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_command}")

install(TARGETS spikemine EXPORT spikemineTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS spikemine_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/spikemine
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/spikemine/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spikemine)
if(TARGET man_page) # cli/CMakeLists.txt
  install(FILES ${PROJECT_BINARY_DIR}/spikemine.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# find_package(spikemine) gives spikemine::spikemine.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/spikemine)
install(EXPORT spikemineTargets NAMESPACE spikemine:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spikemineConfig.cmake.in
  ${PROJECT_BINARY_DIR}/spikemineConfig.cmake INSTALL_DESTINATION ${package_folder})
# Below 1.0 a minor version may break programs.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spikemineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spikemineConfig.cmake
  ${PROJECT_BINARY_DIR}/spikemineConfigVersion.cmake DESTINATION ${package_folder})

# pkg-config --cflags --libs spikemine. Paths relative to the file, so that a moved tree still works.
file(RELATIVE_PATH prefix_from_pkgconfig
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/spikemine.pc.in ${PROJECT_BINARY_DIR}/spikemine.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spikemine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
