#!/bin/sh
# Looks for everything the named groups need and installs what is missing, or says how:
#   tools/install-deps.sh build|test|check ...
# On Debian and its descendants apt-get installs, as root or through sudo; elsewhere the packages are
# named. Silent when nothing is missing.
set -eu

# One thing a line: group; test (see have); Debian, Fedora and Homebrew packages; what it is for.
# A name starting with '?' is optional: its absence is told, but ends nothing.
needed='
build|command cc|gcc libc6-dev|gcc|gcc|C compiler
build|command cmake|cmake|cmake|cmake|build system
build|command ninja|ninja-build|ninja-build|ninja|build system
build|command pkg-config|pkg-config|pkgconf-pkg-config|pkgconf|finds libraries
build|module jansson|libjansson-dev|jansson-devel|jansson|JSON
build|header Random123/philox.h|librandom123-dev|Random123-devel|random123|random numbers
build|?module libarchive|libarchive-dev|libarchive-devel|libarchive|compressed recordings
build|?module libcrypto|libssl-dev|openssl-devel|openssl|faster digests of inputs
build|?module hdf5|libhdf5-dev|hdf5-devel|hdf5|NWB and MATLAB 7.3 files
build|?module cairo|libcairo2-dev|cairo-devel|cairo|pictures
build|?module libmicrohttpd|libmicrohttpd-dev|libmicrohttpd-devel|libmicrohttpd|the page of a live stream
test|module cmocka|libcmocka-dev|libcmocka-devel|cmocka|unit tests
test|command bats|bats|bats|bats-core|tests of the command
test|command jq|jq|jq|jq|JSON in tests of the command
test|command xz|xz-utils|xz|xz|compressed test input
test|command bzip2|bzip2|bzip2|bzip2|compressed test input
test|command zstd|zstd|zstd|zstd|compressed test input
test|?file /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf|fonts-dejavu-core|dejavu-sans-fonts|font-dejavu|a font for pictures
test|?file /usr/share/i18n/locales/de_DE|locales|glibc-locale-source||a locale with decimal commas
test|command python3|python3|python3|python|peak memory of a command
test|?one-python cffi,numpy,pytest|python3-cffi python3-numpy python3-pytest|python3-cffi python3-numpy python3-pytest|numpy pytest|tests of the Python package
test|?one-python zmq|python3-zmq|python3-zmq|pyzmq|ZeroMQ, for tests of live sources
test|?one-python matplotlib|python3-matplotlib|python3-matplotlib|matplotlib|figures of the Python package
check|command c++|g++|gcc-c++|gcc|headers from C++
check|command clang|clang|clang|llvm|second compiler, sanitizers, fuzzing
check|openmp clang|libomp-dev|libomp-devel|libomp|threads with clang
check|command clang-format|clang-format|clang-tools-extra|clang-format|style
check|command clang-tidy|clang-tidy|clang-tools-extra|llvm|analysis
check|command llvm-symbolizer|llvm|llvm|llvm|readable sanitizer reports
check|command cppcheck|cppcheck|cppcheck|cppcheck|analysis
check|?command aarch64-linux-gnu-gcc|gcc-aarch64-linux-gnu libc6-dev-arm64-cross|gcc-aarch64-linux-gnu|aarch64-unknown-linux-gnu|build for ARM
check|?command qemu-aarch64|qemu-user|qemu-user|qemu|tests on ARM
check|?command zsh|zsh|zsh|zsh|test of its completion
check|?command fish|fish|fish|fish|test of its completion
check|?command mpicc.openmpi|libopenmpi-dev openmpi-bin|openmpi-devel|open-mpi|spikemine-mpi
check|?command mpicc.mpich|libmpich-dev mpich|mpich-devel|mpich|spikemine-mpi with another MPI
check|?command strace|strace|strace|strace|failing calls of the system
check|command shellcheck|shellcheck|ShellCheck|shellcheck|analysis of scripts
check|command python3|python3|python3|python|scripts that check the tree
check|?python ensurepip|python3-venv|python3|python|programs of labs, for tests with their files
check|?command chromium|chromium|chromium|chromium|the page of HTML reports
check|?command chromedriver|chromium-driver|chromedriver|chromedriver|the page of HTML reports
check|?python jsonschema|python3-jsonschema|python3-jsonschema|python-jsonschema|JSON results and their schemas
'

# have KIND NAME: is it here? Headers and OpenMP are asked of the compiler itself, which knows its paths.
have() {
    case $1 in
    command) command -v "$2" >/dev/null 2>&1 ;;
    one-python) # all of them, in one of the two
        python3 -c "import $2" 2>/dev/null || /usr/bin/python3 -c "import $2" 2>/dev/null ;;
    python) python3 -c "import $2" 2>/dev/null ;;
    file) [ -e "$2" ] ;;
    module) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$2" ;;
    header) echo "#include <$2>" | cc -E -o /dev/null - >/dev/null 2>&1 ;;
    openmp) echo 'int main(void) { return 0; }' |
        "$2" -fopenmp -x c -o /dev/null - >/dev/null 2>&1 ;;
    *) return 1 ;;
    esac
}

# Sets `debian`, `fedora`, `brew`, `what` (packages and a description of what is missing) and `fatal`
# (1 when something is missing that is not optional).
find_missing() {
    debian='' fedora='' brew='' what='' fatal=0
    while IFS='|' read -r group test deb rpm formula purpose; do
        case " $groups " in *" $group "*) ;; *) continue ;; esac
        optional=${test%%[!?]*}
        # shellcheck disable=SC2086 # kind and name are two words
        if have ${test#\?}; then
            continue
        fi
        debian="$debian $deb" fedora="$fedora $rpm" brew="$brew $formula"
        what="$what${what:+, }${test##* } ($purpose)"
        if [ -z "$optional" ]; then
            fatal=1
        fi
    done <<END
$needed_lines
END
}

# Recommended packages are wanted only for checking: clang recommends its sanitizer runtimes.
apt_install() {
    recommends=--no-install-recommends
    case " $groups " in *' check '*) recommends='' ;; esac
    # shellcheck disable=SC2086 # lists of words
    $1 apt-get update -qq && $1 env DEBIAN_FRONTEND=noninteractive \
        apt-get install -o DPkg::Lock::Timeout=300 -y -qq $recommends $debian >/dev/null
}

install_missing() {
    if ! command -v apt-get >/dev/null 2>&1; then
        return 0
    fi
    if [ "$(id -u)" = 0 ]; then
        echo "installing:$debian" >&2
        apt_install ''
    elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        echo "installing with sudo:$debian" >&2
        apt_install sudo
    fi
}

say_how() {
    echo "missing: $what"
    if command -v apt-get >/dev/null 2>&1; then
        echo "install with: sudo apt-get install -y$debian"
    elif command -v dnf >/dev/null 2>&1; then
        echo "install with: sudo dnf install -y$fedora"
    elif command -v brew >/dev/null 2>&1; then
        echo "install with: brew install$brew"
    else
        echo "packages (Debian names):$debian"
        echo "packages (Fedora names):$fedora"
    fi
}

groups=${*:-build}
needed_lines=$(printf '%s\n' "$needed" | grep .)
find_missing
[ -z "$what" ] && exit 0
install_missing || echo 'the package manager failed' >&2
find_missing
[ -z "$what" ] && exit 0
say_how >&2
[ "$fatal" = 0 ] || exit 1
echo 'going on without it: what needs it will say so' >&2
