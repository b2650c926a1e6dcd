# Library, headers, command, manual, and the files by which other projects find them.
include(CMakePackageConfigHelpers)

# The command finds the library, wherever the tree is moved to: in the path NEW as seen from it. In the build
# tree its path has another place, too, which the installation takes out: left to itself, CMake ends the path in
# the build tree with an empty entry, which is the present folder, whatever lies there.
file(RELATIVE_PATH library_from_command
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
function(spikemine_install_command target folder new) # further arguments: of install()
  set(old "$ORIGIN/../src:$ORIGIN/${library_from_command}")
  set_target_properties(${target} PROPERTIES INSTALL_RPATH ${old} BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} ${ARGN})
  install(CODE "get_filename_component(file \"${folder}/$<TARGET_FILE_NAME:${target}>\" ABSOLUTE
      BASE_DIR \"\${CMAKE_INSTALL_PREFIX}\")
    file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${file}\" OLD_RPATH \"${old}\" NEW_RPATH \"${new}\")" ${ARGN})
endfunction()

# Manual and scripts for shells, below FOLDER.
function(spikemine_install_words folder man) # likewise
  if(TARGET man_page) # cli/CMakeLists.txt
    install(FILES ${PROJECT_BINARY_DIR}/spikemine.1 DESTINATION ${man}/man1 ${ARGN})
  endif()
  if(TARGET completions)
    install(FILES ${PROJECT_BINARY_DIR}/completion.bash RENAME spikemine
      DESTINATION ${folder}/bash-completion/completions ${ARGN})
    install(FILES ${PROJECT_BINARY_DIR}/completion.zsh RENAME _spikemine
      DESTINATION ${folder}/zsh/site-functions ${ARGN})
    install(FILES ${PROJECT_BINARY_DIR}/completion.fish RENAME spikemine.fish
      DESTINATION ${folder}/fish/vendor_completions.d ${ARGN})
  endif()
endfunction()

# Where a compiler's OpenMP lies in a folder of its own, the library needs its path in both places.
set_target_properties(spikemine PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
if(SPIKEMINE_BUNDLE) # python/CMakeLists.txt
  set_target_properties(spikemine PROPERTIES INSTALL_RPATH "$ORIGIN/lib" INSTALL_RPATH_USE_LINK_PATH OFF)
endif()
install(TARGETS spikemine EXPORT spikemineTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(SPIKEMINE_STATIC)
  install(TARGETS spikemine_static EXPORT spikemineTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
set(beside "$ORIGIN/${library_from_command}")
spikemine_install_command(spikemine_command ${CMAKE_INSTALL_BINDIR} ${beside})
if(TARGET spikemine_mpi) # cli/CMakeLists.txt
  spikemine_install_command(spikemine_mpi ${CMAKE_INSTALL_BINDIR} ${beside})
endif()
spikemine_install_words(${CMAKE_INSTALL_DATADIR} ${CMAKE_INSTALL_MANDIR})
if(SPIKEMINE_PYTHON) # in a wheel the library lies in the package, and the command below it
  spikemine_install_command(spikemine_command spikemine/bin "$ORIGIN/.." COMPONENT python EXCLUDE_FROM_ALL)
  spikemine_install_words(${SKBUILD_DATA_DIR}/share ${SKBUILD_DATA_DIR}/share/man COMPONENT python EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/spikemine
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/spikemine/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spikemine)

# find_package(spikemine) gives spikemine::spikemine, the shared library, and spikemine::static.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/spikemine)
install(EXPORT spikemineTargets NAMESPACE spikemine:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spikemineConfig.cmake.in
  ${PROJECT_BINARY_DIR}/spikemineConfig.cmake INSTALL_DESTINATION ${package_folder})
# Below 1.0 a minor version may break programs.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spikemineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spikemineConfig.cmake
  ${PROJECT_BINARY_DIR}/spikemineConfigVersion.cmake DESTINATION ${package_folder})

# pkg-config --cflags --libs spikemine, with --static for the static library. Paths are relative to the
# file, so that a moved tree still works. The libraries below stand there as flags, not as modules: with
# modules, --static would ask for all that those link in turn, which few systems have ready to link.
set(pkgconfig_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
foreach(folder PREFIX FULL_LIBDIR FULL_INCLUDEDIR)
  file(RELATIVE_PATH relative_${folder} ${pkgconfig_folder} ${CMAKE_INSTALL_${folder}})
  string(REGEX REPLACE "/$" "" relative_${folder} "${relative_${folder}}")
endforeach()
list(JOIN SPIKEMINE_LINK_FLAGS " " private_flags)
configure_file(${CMAKE_CURRENT_LIST_DIR}/spikemine.pc.in ${PROJECT_BINARY_DIR}/spikemine.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spikemine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
