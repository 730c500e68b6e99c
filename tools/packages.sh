# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The one list of Debian packages, each with its reason; sourced by tools/quickstart.sh and tools/test.sh.
#   install_packages build        what building and running takes
#   install_packages build test   and what the tests take
#   install_packages ptxas        what fetching an assembler of PTX takes (tools/ptxas.sh)
# Installs only what is missing, and says first what, how large and how long.

packages() {
  # Fields: when, package, reason.
  grep "^$1 " <<'LIST' | cut -d' ' -f2
build clang-22            C++20 compiler: LLVM's own, in two thirds of GCC's time
build g++                 its C++ library, and the compiler of the runtime where there is no LLVM
build cmake               configures the build
build ninja-build         runs the build
build lld-22              links it, in two fifths of the time of gold
build ccache              makes a second build take seconds
build llvm-22-dev         LLVM: object code for generated kernels
build libmlir-22-dev      MLIR: the four dialects and their passes
build mlir-22-tools       mlir-tblgen: ops and passes from their .td files
build liblld-22-dev       links generated kernels in process
build zlib1g-dev          asked for by the linker's library
build libzstd-dev         asked for by the linker's library
build libmimalloc-dev     memory of the planner, in three quarters of the time
build nlohmann-json3-dev  reads and writes plans, models and reports
build libcli11-dev        command lines
build protobuf-compiler   generates the reader of ONNX files from our schema
build libprotobuf-dev     what the generated reader runs on
build libdnnl-dev         matrix products (oneDNN)
build liburing-dev        the NVMe tier (io_uring)
build libxxhash-dev       hashes of plans and checkpoints
test llvm-22-tools        lit, FileCheck and not
test libclang-rt-22-dev   what sanitizers and libFuzzer run on
test clang-format-22      the form of every C++ file
test libopenmpi-dev       bytes between processes over MPI, which Windlass trains without, too
test openmpi-bin          starts them
test iproute2          makes three hosts of one machine, for jobs that lose one
test libgtest-dev         unit tests (GoogleTest)
test libbenchmark-dev     benchmarks are built with the tests
test libonnx-testdata     the ONNX project's node tests, which hold for every operator
test python3-yaml         reads the example for Kubernetes
test python3              the tidy tests and the count of results
ptxas python3-pip         fetches it from PyPI
LIST
}

# missing_packages GROUP...: those of the groups that are not installed.
missing_packages() {
  local group package
  for group in "$@"; do
    for package in $(packages "$group"); do
      dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
    done
  done
}

install_packages() {
  local group
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "error: these scripts install packages with apt-get, as Debian 12 does; this system has none." >&2
    echo "Install what stands in tools/packages.sh by hand, then set WINDLASS_SKIP_PACKAGES=1:" >&2
    for group in "$@"; do packages "$group"; done | tr '\n' ' ' >&2
    echo >&2
    return 1
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    if ! command -v sudo >/dev/null; then
      echo "error: not root and no sudo; as root: apt-get install --no-install-recommends ${missing[*]}" >&2
      return 1
    fi
    echo "Packages are missing; sudo may ask for your password to install them."
  fi
  local install=(apt-get install --no-install-recommends "${missing[@]}")
  echo "Reading Debian's package lists ..."
  "${as_root[@]}" apt-get update -qq || echo "note: apt-get update reported errors; going on with the lists at hand" >&2
  announce_packages || return 1
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" -y -qq >/dev/null </dev/null; then
    echo "error: apt-get failed (its message stands above); is this machine online?" >&2
    echo "By hand: ${as_root[*]} ${install[*]}" >&2
    return 1
  fi
}

# announce_packages: what `install` is about to fetch, in bytes and minutes; fails when it cannot be had.
announce_packages() {
  local simulated size
  if ! simulated=$(LC_ALL=C "${install[@]}" --simulate --quiet 2>&1); then
    echo "$simulated" | grep -E '^E:|Depends' >&2
    echo "error: apt-get does not know these packages. Offline? Not Debian 12? LLVM 22 comes with its security" >&2
    echo "updates: deb http://security.debian.org/debian-security bookworm-security main" >&2
    return 1
  fi
  # Refusing at the prompt is how apt-get prints sizes without installing; it then exits with 1.
  simulated=$(LC_ALL=C "${install[@]}" --assume-no 2>/dev/null || true)
  size=$(sed -nE 's/^Need to get ([0-9,.]+ [kMG]?B).*/\1/p' <<<"$simulated")
  local disk
  disk=$(sed -nE 's/^After this operation, ([0-9,.]+ [kMG]?B).*/\1/p' <<<"$simulated")
  echo "Installing ${missing[*]}"
  echo "with what they depend on: ${size:-nothing} to download, ${disk:-little} on disk; $(minutes "$size")."
}

# minutes "123 MB": download at 5 MB/s and unpacking, roughly.
minutes() {
  local number=${1%% *} unit=${1##* }
  case "$unit" in
  GB) echo "five minutes or more" ;;
  MB) echo "about $((${number%%[.,]*} / 200 + 1)) minute(s) at 5 MB/s" ;;
  *) echo "less than a minute" ;;
  esac
}

[ "${WINDLASS_SKIP_PACKAGES:-0}" = 1 ] && install_packages() { :; }
true
