# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# NVIDIA's assembler of PTX, which says whether generated code for GPUs assembles and fits, and the disassembler that shows
# what it made; sourced by tools/test.sh. Tests use them where they are (test/support/ptx/PtxAssembler.h) and are skipped
# elsewhere.

ptxas_oldest=12
# Those that --with-ptxas fetches: wheels of PyPI, by version and content.
ptxas_wheel="nvidia-cuda-nvcc==13.1.115 --hash=sha256:fe5c0604869dfbc837bdce9e1eef8e4f0e0d103c29e3875014ba3538c70efb74"
nvdisasm_wheel="nvidia-cuda-nvdisasm==13.2.51 --hash=sha256:5a7acf77c55d6d2911ed6155d4d5bc156ffadf9df7a68a89b0c1155f4b13688c"
ptxas_path=nvidia/cu13/bin/ptxas         # in the wheels
nvdisasm_path=nvidia/cu13/bin/nvdisasm
ptxas_elsewhere=/usr/local/cuda/bin/ptxas # where the toolkit puts it

# ptxas_release COMMAND: what it says of itself, such as 13.1; nothing where it is none.
ptxas_release() { "$1" --version 2>/dev/null | sed -nE 's/.*release ([0-9]+\.[0-9]+).*/\1/p'; }

# find_ptxas: names the one that tests will use, or fails and says what was found instead.
find_ptxas() {
  local command release found=none
  for command in ptxas "$ptxas_elsewhere"; do
    release=$(ptxas_release "$command")
    [ -n "$release" ] || continue
    if [ "${release%%.*}" -ge $ptxas_oldest ]; then
      echo "$(command -v "$command") of CUDA $release"
      return 0
    fi
    found="one of CUDA $release"
  done
  echo "of CUDA $ptxas_oldest.0 or later there is $found on the PATH"
  return 1
}

# fetch_ptxas FOLDER: the pinned ones, into the folder, once; fails with what was wrong.
fetch_ptxas() {
  local folder=$1 said
  [ -x "$folder/$ptxas_path" ] && [ -x "$folder/$nvdisasm_path" ] && return 0
  if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "the pinned wheel is for Linux on x86-64"
    return 1
  fi
  python3 -m pip --version >/dev/null 2>&1 || install_packages ptxas >/dev/null 2>&1 || true # pip says what is wrong
  rm -rf "$folder"
  mkdir -p "$folder"
  printf '%s\n' "$ptxas_wheel" "$nvdisasm_wheel" >"$folder/wheels.txt"
  if ! said=$(python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --retries 1 --timeout 30 \
    --require-hashes --requirement "$folder/wheels.txt" --target "$folder" 2>&1); then
    rm -rf "$folder"
    echo "${ptxas_wheel%% *} could not be fetched: $(grep -m1 -iE 'error|no module' <<<"$said" || tail -n 1 <<<"$said")"
    return 1
  fi
  chmod +x "$folder/$ptxas_path" "$folder/$nvdisasm_path"
}

# announce_ptxas FOLDER WANTED: fetches one if wanted (1), puts it first on the PATH, and says in a line what tests will use.
announce_ptxas() {
  local folder=$1 wanted=$2 reason="" found
  if [ "$wanted" -eq 1 ]; then
    if reason=$(fetch_ptxas "$folder"); then
      PATH=$(cd "$folder" && pwd)/$(dirname "$ptxas_path"):$PATH
      export PATH
    fi
  fi
  if found=$(find_ptxas); then
    echo "PTX is assembled by $found${reason:+ ($reason)}"
  else
    echo "SKIP assembling PTX: ${reason:-$found; --with-ptxas fetches one}"
  fi
}
