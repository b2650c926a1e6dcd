# Flags that make a mistake harder to exploit, on the interface target spikemine_hardening. They apply to
# the build types Release, RelWithDebInfo and MinSizeRel, and each only where this compiler or linker
# knows it. Another build type, such as None, gets the packager's flags alone. SPIKEMINE_HARDENING=OFF
# leaves them out. So does a sanitizer, which brings checks of its own. tools/check-hardening.sh looks at
# the binaries.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

# Sets OUT to the flags among ARGN that the C compiler takes.
function(spikemine_known_flags out)
  set(known "")
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "SPIKEMINE_TAKES${flag}" name)
    check_c_compiler_flag(${flag} ${name})
    if(${name})
      list(APPEND known ${flag})
    endif()
  endforeach()
  set(${out} "${known}" PARENT_SCOPE)
endfunction()

# Sets OUT to the strongest _FORTIFY_SOURCE of this compiler and C library. It stays empty where nothing
# is optimised, and where the compiler or the packager's flags have chosen a level already.
function(spikemine_fortify_flag out)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  if(type STREQUAL "") # a generator of several configurations
    set(type RELEASE)
  endif()
  set(CMAKE_REQUIRED_FLAGS "${CMAKE_C_FLAGS_${type}}")
  check_c_source_compiles("
    #if !defined __OPTIMIZE__ || defined _FORTIFY_SOURCE
    #error the level is not ours to choose
    #endif
    int main(void) { return 0; }" SPIKEMINE_FORTIFY)
  set(CMAKE_REQUIRED_DEFINITIONS -D_FORTIFY_SOURCE=3)
  check_c_source_compiles("
    #include <stdio.h>
    #if __USE_FORTIFY_LEVEL < 3
    #error this compiler or C library knows two levels
    #endif
    int main(void) { return 0; }" SPIKEMINE_FORTIFY_3)
  if(NOT SPIKEMINE_FORTIFY)
    set(${out} "" PARENT_SCOPE)
  elseif(SPIKEMINE_FORTIFY_3)
    set(${out} -D_FORTIFY_SOURCE=3 PARENT_SCOPE)
  else()
    set(${out} -D_FORTIFY_SOURCE=2 PARENT_SCOPE)
  endif()
endfunction()

# A flag for another processor would be taken, with a warning for every file.
set(processor_flags "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64|i.86")
  set(processor_flags -fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  set(processor_flags -mbranch-protection=standard)
endif()

add_library(spikemine_hardening INTERFACE)
if(SPIKEMINE_HARDENING AND NOT SPIKEMINE_SANITIZE)
  if(NOT APPLE) # whose compiler takes it, with a warning for every file
    list(APPEND processor_flags -fstack-clash-protection)
  endif()
  spikemine_known_flags(compile_flags -fstack-protector-strong ${processor_flags})
  spikemine_fortify_flag(fortify_flag)
  set(link_flags "")
  foreach(word relro now noexecstack)
    check_linker_flag(C -Wl,-z,${word} SPIKEMINE_LINKS_${word})
    if(SPIKEMINE_LINKS_${word})
      list(APPEND link_flags -Wl,-z,${word})
    endif()
  endforeach()
  # nvcc hands its host compiler what follows -Xcompiler; the level of _FORTIFY_SOURCE is left out there,
  # because the host's headers are read for the device too.
  list(TRANSFORM compile_flags PREPEND -Xcompiler= OUTPUT_VARIABLE cuda_flags)
  set(hardened $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  target_compile_options(spikemine_hardening INTERFACE
    "$<$<AND:${hardened},$<COMPILE_LANGUAGE:C>>:${compile_flags};${fortify_flag}>"
    "$<$<AND:${hardened},$<COMPILE_LANGUAGE:CUDA>>:${cuda_flags}>")
  target_link_options(spikemine_hardening INTERFACE "$<${hardened}:${link_flags}>")
endif()
