#!/bin/sh
# cmake/GpuCode.cmake chooses the right architectures for machines with other GPUs, played by an
# nvidia-smi and an nvcc of our own:  tools/check-gpu-code.sh
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/nvcc" <<'END'
#!/bin/sh
printf 'compute_75\ncompute_80\ncompute_86\ncompute_90\ncompute_100\n'
END
cat >"$work/nvidia-smi" <<'END'
#!/bin/sh
[ -n "$GPUS" ] || { echo 'NVIDIA-SMI has failed'; exit 9; }
printf '%s\n' $GPUS
END
chmod +x "$work/nvcc" "$work/nvidia-smi"
cat >"$work/choose.cmake" <<'END'
cmake_minimum_required(VERSION 3.22)
include(cmake/GpuCode.cmake)
message("${CMAKE_CUDA_ARCHITECTURES}")
END

# expect CHOICE GPUS all|here [CMAKE-OPTION]
expect() {
    found=$(GPUS=$2 PATH=$work:$PATH cmake -DSPIKEMINE_GPU_CODE="$3" -DCMAKE_CUDA_COMPILER="$work/nvcc" \
        ${4:+"$4"} -P "$work/choose.cmake" 2>&1)
    if [ "$found" != "$1" ]; then
        echo "GPU code for '$2' ($3${4:+, $4}) is '$found', not '$1'" >&2
        exit 1
    fi
}

unset CUDAARCHS
expect '80-real;90' '9.0' all
expect '90' '9.0' here
expect '90' '9.0 9.0' here
expect '80-real;90' '9.0 8.0' here
expect '80-real;86-real;100' '10.0 8.0 8.6' here
expect '90' '9.2' here            # nvcc does not know it: PTX serves
expect '100' '12.0' here
expect '80' '7.5' here            # too old for our kernels
expect '80' '' here               # no GPU here
expect '86' '9.0' here -DCMAKE_CUDA_ARCHITECTURES=86
CUDAARCHS=89
export CUDAARCHS
expect '' '9.0' here              # CMake reads it when it finds nvcc
