# The architectures that GPU code is compiled for. CMAKE_CUDA_ARCHITECTURES and the environment's
# CUDAARCHS come first. Otherwise SPIKEMINE_GPU_CODE tells:
#
#   all    machine code for Ampere and Hopper and their kin, and PTX for what comes after them
#   here   machine code for the GPUs in this machine, and PTX for newer ones: quicker to compile. Where no
#          GPU is found: machine code for Ampere, and PTX, which every supported GPU can run
#
# The oldest architecture supported is 80: the kernels use its warp reductions.
set(SPIKEMINE_OLDEST_GPU 80)

# Sets OUT to the architectures of this machine's GPUs, in rising order, such as "80;90".
function(spikemine_gpus_here out)
  set(${out} "" PARENT_SCOPE)
  find_program(SPIKEMINE_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(SPIKEMINE_NVIDIA_SMI)
  if(NOT SPIKEMINE_NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND ${SPIKEMINE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE answer RESULT_VARIABLE failed ERROR_QUIET TIMEOUT 60)
  if(failed)
    return()
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${answer}")
  list(TRANSFORM found REPLACE "\\." "")
  list(SORT found COMPARE NATURAL)
  list(REMOVE_DUPLICATES found)
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Sets OUT to the newest architecture that nvcc compiles for and a GPU of architecture GPU can run, or to
# nothing. A GPU newer than nvcc runs the PTX made for an older one.
function(spikemine_newest_code_for gpu out)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch
    OUTPUT_VARIABLE answer ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+" known "${answer}")
  set(newest "")
  foreach(architecture IN LISTS known)
    if(architecture GREATER_EQUAL SPIKEMINE_OLDEST_GPU AND architecture LESS_EQUAL gpu
        AND (newest STREQUAL "" OR architecture GREATER newest))
      set(newest ${architecture})
    endif()
  endforeach()
  set(${out} ${newest} PARENT_SCOPE)
endfunction()

# Sets OUT to CMAKE_CUDA_ARCHITECTURES for this machine: machine code for each GPU, PTX for the newest.
function(spikemine_gpu_code_here out)
  spikemine_gpus_here(gpus)
  set(chosen "")
  foreach(gpu IN LISTS gpus)
    spikemine_newest_code_for(${gpu} newest)
    list(APPEND chosen ${newest})
  endforeach()
  if(NOT chosen)
    set(chosen ${SPIKEMINE_OLDEST_GPU})
  endif()
  list(REMOVE_DUPLICATES chosen)
  list(POP_BACK chosen last)
  list(TRANSFORM chosen APPEND -real)
  set(${out} ${chosen} ${last} PARENT_SCOPE)
endfunction()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  if(SPIKEMINE_GPU_CODE STREQUAL "here")
    spikemine_gpu_code_here(CMAKE_CUDA_ARCHITECTURES)
  elseif(SPIKEMINE_GPU_CODE STREQUAL "all")
    set(CMAKE_CUDA_ARCHITECTURES ${SPIKEMINE_OLDEST_GPU}-real 90)
  else()
    message(FATAL_ERROR "SPIKEMINE_GPU_CODE is '${SPIKEMINE_GPU_CODE}'; it can be all or here")
  endif()
endif()
