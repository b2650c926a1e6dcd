# Builds for 64-bit ARM with Debian's cross compiler, and runs what was built with QEMU:
#
#   tools/arm64-packages.sh && cmake --preset arm64 && cmake --build --preset arm64
#
# Libraries for ARM are those that tools/arm64-packages.sh unpacks into build/arm64-packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(arm64_packages ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-packages)
cmake_path(NORMAL_PATH arm64_packages)
set(CMAKE_FIND_ROOT_PATH ${arm64_packages})
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR}
  ${arm64_packages}/usr/lib/aarch64-linux-gnu/pkgconfig:${arm64_packages}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${arm64_packages})
# Where the linker finds what a linked library needs itself: a program may use libspikemine alone.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${arm64_packages}/usr/lib/aarch64-linux-gnu")

# The C library that the cross compiler links, and beside it the unpacked ones.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu
  -E LD_LIBRARY_PATH=/usr/aarch64-linux-gnu/lib:${arm64_packages}/usr/lib/aarch64-linux-gnu)
