/* SPK_SHARED marks inline functions that run on the host and on the device alike, so that tests
 * without a GPU cover them. */
#ifndef SPK_CUDA_SHARED_H
#define SPK_CUDA_SHARED_H

#ifdef __CUDACC__
#define SPK_SHARED static __host__ __device__ __forceinline__
#else
#define SPK_SHARED static inline
#endif

#endif
