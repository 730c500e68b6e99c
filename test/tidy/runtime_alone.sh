#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime, its tools and the planners build where no LLVM is installed: configures and builds them in
# BUILD with LLVM hidden, and looks for it in every command and in what windlass-run loads.
#   runtime_alone.sh SOURCE BUILD COMPILER
set -euo pipefail
source=$1 build=$2 compiler=$3

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
  -DWINDLASS_RUNTIME_ONLY=ON -DWINDLASS_TESTS=OFF \
  -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON --no-warn-unused-cli
ninja -C "$build"

if grep -nE '^ *(FLAGS|DEFINES|INCLUDES|LINK_[A-Z]+) = .*(/llvm-|LLVM|MLIR)' "$build/build.ninja"; then
  echo "$build/build.ninja: the commands above name LLVM"
  exit 1
fi
for tool in "$build"/bin/*; do
  if ldd "$tool" | grep -iE 'llvm|mlir'; then
    echo "$tool: loads the libraries above"
    exit 1
  fi
  "$tool" --version
done
