# Kernels that exist in several instruction sets are one source file, compiled once per set with
# SPK_SIMD_SUFFIX naming it; which one runs is decided at run time (src/base/cpu.h).
#
#   spikemine_simd_sources(TARGET FILE...)
#
# leaves its object libraries in SPIKEMINE_SIMD_TARGETS, for the libraries that TARGET goes into (CMake does
# not pass on the objects of an object library's object libraries).
function(spikemine_simd_sources target)
  set(variants portable)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    list(APPEND variants avx2 avx512)
    target_compile_definitions(${target} PRIVATE SPK_HAVE_X86_SIMD=1)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
    list(APPEND variants neon)
    target_compile_definitions(${target} PRIVATE SPK_HAVE_NEON=1)
  endif()
  set(flags_portable "")
  set(flags_neon -DSPK_SIMD_IS_NEON=1) # every 64-bit ARM has it, without a flag
  set(flags_avx2 -mavx2 -mbmi -mbmi2 -mpopcnt -mlzcnt)
  set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vpopcntdq
    -mavx512bitalg -mavx2 -mbmi -mbmi2 -mpopcnt -mlzcnt -mprefer-vector-width=512)
  # The address sanitizer of older compilers puts vectors of 64 bytes at multiples of 32 where it looks for
  # use after return (GCC bug 110027). These files go without that one check.
  if(SPIKEMINE_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
     CMAKE_C_COMPILER_VERSION VERSION_LESS 14)
    list(APPEND flags_avx512 --param=asan-use-after-return=0)
  endif()
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    foreach(variant IN LISTS variants)
      set(object ${target}_${name}_${variant})
      add_library(${object} OBJECT ${file})
      target_compile_options(${object} PRIVATE ${flags_${variant}})
      target_compile_definitions(${object} PRIVATE SPK_SIMD_SUFFIX=${variant})
      target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(${object} PRIVATE spikemine_flags)
      list(APPEND objects ${object})
    endforeach()
  endforeach()
  set(SPIKEMINE_SIMD_TARGETS ${objects} PARENT_SCOPE)
endfunction()
