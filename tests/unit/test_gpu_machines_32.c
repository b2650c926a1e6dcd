/* test_gpu_machines.c with ticks of 32 bits. */
#define MACHINE_TICK uint32_t
#include "test_gpu_machines.c"
