# The static library is one object file: all of ours, linked, with every name made local but the public
# ones. A program that has functions of the same names as our internal ones links without a clash.
#
#   spikemine_static_object(OUT OBJECT...)
#
# sets OUT to that object file. It takes an ELF system and the tools of GNU or LLVM; without them, and
# with a sanitizer, OUT is OBJECT... itself. tools/check-headers.sh looks at the library's names.

# Sets OUT to the compiler's command that links objects to one object. With link-time optimisation it must
# come out as machine code. OUT is empty where this does not work.
function(spikemine_partial_link out)
  set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/partial_link)
  file(WRITE ${folder}/probe.c "int probe(void);\nint probe(void) { return 0; }\n")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
  set(compiler ${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_ARG1} ${flags})
  if(CMAKE_C_COMPILER_TARGET AND CMAKE_C_COMPILE_OPTIONS_TARGET)
    list(APPEND compiler ${CMAKE_C_COMPILE_OPTIONS_TARGET}${CMAKE_C_COMPILER_TARGET})
  endif()
  if(CMAKE_SYSROOT)
    list(APPEND compiler --sysroot=${CMAKE_SYSROOT})
  endif()
  set(${out} "" PARENT_SCOPE)
  foreach(native -flinker-output=nolto-rel "")
    set(link ${compiler} -r -nostdlib ${native})
    execute_process(
      COMMAND ${compiler} -fPIC -c -o ${folder}/probe.o ${folder}/probe.c
      RESULT_VARIABLE not_compiled OUTPUT_QUIET ERROR_QUIET)
    execute_process(
      COMMAND ${link} -o ${folder}/linked.o ${folder}/probe.o
      RESULT_VARIABLE not_linked OUTPUT_QUIET ERROR_QUIET)
    execute_process(
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${folder}/linked.o
      RESULT_VARIABLE not_localized OUTPUT_QUIET ERROR_QUIET)
    if(not_compiled EQUAL 0 AND not_linked EQUAL 0 AND not_localized EQUAL 0)
      set(${out} ${link} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(spikemine_static_object out)
  set(link "")
  if(CMAKE_OBJCOPY AND NOT SPIKEMINE_SANITIZE)
    spikemine_partial_link(link)
  endif()
  if(NOT link)
    message(STATUS "Static library: internal names stay global")
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(object ${CMAKE_CURRENT_BINARY_DIR}/spikemine.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${link} -o ${object} ${ARGN}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
    DEPENDS ${ARGN} COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} ${object} PARENT_SCOPE)
endfunction()
