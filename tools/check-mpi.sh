#!/usr/bin/env bash
# spikemine-mpi with every MPI that is here, against the command of one process:
#   tools/check-mpi.sh BUILD
# CMake builds it with the system's MPI; another one gets the same objects and its own compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
programs=()
for kind in openmpi mpich; do
    library=libmpich
    if [ $kind = openmpi ]; then library='libmpi\.so'; fi
    if ! command -v "mpicc.$kind" >/dev/null || ! command -v "mpirun.$kind" >/dev/null; then
        echo "not tested with $kind: mpicc.$kind and mpirun.$kind are not here"
        continue
    fi
    if ldd "$build/cli/spikemine-mpi" | grep -q "$library"; then
        cp "$build/cli/spikemine-mpi" "$build/cli/spikemine-mpi.$kind"
    else
        objects=("$build"/cli/CMakeFiles/spikemine_commands.dir/*.o)
        "mpicc.$kind" -std=c17 -O2 -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -Iinclude -Icli \
            -I"$build/generated" cli/mpi/*.c "${objects[@]}" -L"$build/cli" -lspikemine_cli_support \
            -L"$build/src" -Wl,-rpath,"$PWD/$build/src" -lspikemine -ljansson -lm \
            -o "$build/cli/spikemine-mpi.$kind"
    fi
    "mpicc.$kind" -std=c17 -O2 -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -Iinclude -Icli -I"$build/generated" \
        tests/mpi/test_pump.c cli/mpi/ranks.c -o "$build/cli/test-pump.$kind"
    programs+=("$kind=$build/cli/spikemine-mpi.$kind")
done
if [ "${#programs[@]}" = 0 ]; then
    exit 0
fi
python3 tests/mpi/test_mpi.py "$build/cli/spikemine" "${programs[@]}"
