# The same sources give the same bytes, in whatever folder and whenever they are built, with the same
# tools. tools/check-reproducible.sh compares two builds.
#
# GPU code is an exception: nvcc derives names in the object code from the path of the source file, and
# names its temporary files in the symbol table. Two builds with GPU code are the same only in a folder of
# the same name, and once both are stripped.
add_library(spikemine_reproducible INTERFACE)

# Paths in messages and debug information start at the top of the sources or of the build. In debug and
# sanitized builds they stay whole, for debuggers and reports.
set(source_map -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
check_c_compiler_flag(${source_map} SPIKEMINE_TAKES_PREFIX_MAP)
if(SPIKEMINE_TAKES_PREFIX_MAP AND NOT SPIKEMINE_SANITIZE)
  set(path_maps ${source_map} -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
  target_compile_options(spikemine_reproducible INTERFACE
    "$<$<AND:$<NOT:$<CONFIG:Debug>>,$<COMPILE_LANGUAGE:C>>:${path_maps}>")
endif()
# __DATE__ and __TIME__ would differ every time.
check_c_compiler_flag(-Wdate-time SPIKEMINE_TAKES_DATE_TIME)
if(SPIKEMINE_TAKES_DATE_TIME)
  target_compile_options(spikemine_reproducible INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wdate-time>)
endif()

# Archives hold no dates and no owners. Some systems build ar so that this is the default.
execute_process(COMMAND ${CMAKE_AR} --version OUTPUT_VARIABLE answer ERROR_QUIET)
if(answer MATCHES "GNU ar|LLVM")
  set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_C_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
endif()

# A command that is run where it was built finds its library relative to itself.
if(NOT DEFINED CMAKE_BUILD_RPATH_USE_ORIGIN)
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
endif()
