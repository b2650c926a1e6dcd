/*
 * The HDF5 library, loaded when it is first needed. Whoever calls it does so through the table,
 * between enter and leave: builds of the library are common that serve one thread at a time.
 *
 * Its headers define constants that call the library; here they are plain constants.
 */
#pragma once

#include "base/build_config.h"
#include "base/context.h"

#if SPIKEMINE_HAVE_HDF5
#define H5_USE_110_API
#include <hdf5.h>
#include <sys/types.h>
#undef H5CHECK
#define H5CHECK
#undef H5OPEN
#define H5OPEN

#define SPK_H5_FUNCTIONS(X)                                                                        \
    X(H5dont_atexit)                                                                               \
    X(H5open)                                                                                      \
    X(H5get_libversion)                                                                            \
    X(H5Aclose)                                                                                    \
    X(H5Acreate2)                                                                                  \
    X(H5Aexists)                                                                                   \
    X(H5Aget_space)                                                                                \
    X(H5Aget_type)                                                                                 \
    X(H5Aopen)                                                                                     \
    X(H5Aread)                                                                                     \
    X(H5Awrite)                                                                                    \
    X(H5Dclose)                                                                                    \
    X(H5Dcreate2)                                                                                  \
    X(H5Dget_create_plist)                                                                         \
    X(H5Dget_offset)                                                                               \
    X(H5Dget_space)                                                                                \
    X(H5Dget_storage_size)                                                                         \
    X(H5Dget_type)                                                                                 \
    X(H5Dopen2)                                                                                    \
    X(H5Dread)                                                                                     \
    X(H5Dvlen_reclaim)                                                                             \
    X(H5Dwrite)                                                                                    \
    X(H5Eclear2)                                                                                   \
    X(H5Eget_auto2)                                                                                \
    X(H5Eset_auto2)                                                                                \
    X(H5Ewalk2)                                                                                    \
    X(H5Fclose)                                                                                    \
    X(H5Fcreate)                                                                                   \
    X(H5Fflush)                                                                                    \
    X(H5Fget_filesize)                                                                             \
    X(H5Fget_vfd_handle)                                                                           \
    X(H5Fopen)                                                                                     \
    X(H5Gclose)                                                                                    \
    X(H5Gcreate2)                                                                                  \
    X(H5Gget_info)                                                                                 \
    X(H5Gopen2)                                                                                    \
    X(H5Iget_type)                                                                                 \
    X(H5Lexists)                                                                                   \
    X(H5Lget_name_by_idx)                                                                          \
    X(H5Oclose)                                                                                    \
    X(H5Oopen)                                                                                     \
    X(H5Pclose)                                                                                    \
    X(H5Pcreate)                                                                                   \
    X(H5Pget_chunk)                                                                                \
    X(H5Pget_external_count)                                                                       \
    X(H5Pget_filter2)                                                                              \
    X(H5Pget_layout)                                                                               \
    X(H5Pget_nfilters)                                                                             \
    X(H5Pset_chunk)                                                                                \
    X(H5Pset_chunk_cache)                                                                          \
    X(H5Pset_elink_cb)                                                                             \
    X(H5Pset_fclose_degree)                                                                        \
    X(H5Pset_obj_track_times)                                                                      \
    X(H5Pset_sieve_buf_size)                                                                       \
    X(H5Rcreate)                                                                                   \
    X(H5Rdereference2)                                                                             \
    X(H5Sclose)                                                                                    \
    X(H5Screate)                                                                                   \
    X(H5Screate_simple)                                                                            \
    X(H5Sget_simple_extent_dims)                                                                   \
    X(H5Sget_simple_extent_ndims)                                                                  \
    X(H5Sget_simple_extent_type)                                                                   \
    X(H5Sselect_hyperslab)                                                                         \
    X(H5Tclose)                                                                                    \
    X(H5Tcopy)                                                                                     \
    X(H5Tget_class)                                                                                \
    X(H5Tget_sign)                                                                                 \
    X(H5Tget_size)                                                                                 \
    X(H5Tis_variable_str)                                                                          \
    X(H5Tset_cset)                                                                                 \
    X(H5Tset_size)                                                                                 \
    X(H5Zfilter_avail)

/* Numbers of types and of classes of property lists, which the library gives. */
#define SPK_H5_NUMBERS(X)                                                                          \
    X(H5T_C_S1_g)                                                                                  \
    X(H5T_IEEE_F64LE_g)                                                                            \
    X(H5T_NATIVE_DOUBLE_g)                                                                         \
    X(H5T_NATIVE_INT64_g)                                                                          \
    X(H5T_NATIVE_UINT64_g)                                                                         \
    X(H5T_STD_I64LE_g)                                                                             \
    X(H5T_STD_REF_OBJ_g)                                                                           \
    X(H5T_STD_U64LE_g)                                                                             \
    X(H5P_CLS_DATASET_ACCESS_ID_g)                                                                 \
    X(H5P_CLS_DATASET_CREATE_ID_g)                                                                 \
    X(H5P_CLS_FILE_ACCESS_ID_g)                                                                    \
    X(H5P_CLS_LINK_ACCESS_ID_g)

typedef struct spk_h5 {
#define SPK_H5_FUNCTION(name) __typeof__(&(name)) name;
    SPK_H5_FUNCTIONS(SPK_H5_FUNCTION)
#undef SPK_H5_FUNCTION
#define SPK_H5_NUMBER(name) const hid_t *name;
    SPK_H5_NUMBERS(SPK_H5_NUMBER)
#undef SPK_H5_NUMBER
} spk_h5;

/* What the caller of the library had set, for the time after. */
typedef struct spk_h5_visit {
    H5E_auto2_t print;
    void *print_data;
} spk_h5_visit;

/* Loads the library, waits until no other thread is in it, and silences its printing of errors. A
 * thread may enter again before it left. Errors: SPK_ERR_UNAVAILABLE. */
spk_status spk_h5_enter(spk_context *context, spk_h5_visit *visit, const spk_h5 **out);
void spk_h5_leave(const spk_h5_visit *visit);

/* As fork, while no other thread is in the library, so that the child can enter. The caller is not
 * inside. -1 where there is no process or no library. */
pid_t spk_h5_fork(void);
#endif

/* Whether HDF5 is here; else *reason (static) says what to install. */
bool spk_h5_available(const char **reason);
