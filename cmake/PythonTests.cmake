# Whether the Python package can be tested here: SPIKEMINE_TEST_PYTHON, with the interpreter
# SPIKEMINE_PYTHON_FOR_TESTS. `make test` tests it where Python has numpy, cffi and pytest, be it the first
# one in the path or the system's. A sanitized library cannot be opened by a plain Python.
set(SPIKEMINE_TEST_PYTHON FALSE)
if(SPIKEMINE_BUILD_TESTS AND NOT SPIKEMINE_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  foreach(python python3 /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import cffi, numpy, pytest"
      RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing EQUAL 0)
      set(SPIKEMINE_TEST_PYTHON TRUE)
      set(SPIKEMINE_PYTHON_FOR_TESTS ${python})
      break()
    endif()
  endforeach()
endif()
