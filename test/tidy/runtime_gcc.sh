#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GCC takes what trains, too. It reads and checks eight files of a folder at a time, and compiles none: what two of them
# define under one name belongs in one place. A second run reads what changed.
#   runtime_gcc.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_COMPILER_LAUNCHER=env \
  -DWINDLASS_RUNTIME_ONLY=ON -DWINDLASS_TESTS=OFF -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 \
  -DCMAKE_CXX_COMPILE_OBJECT="<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE> && : ><OBJECT>"
ninja -C "$build" -j 1 windlass_runtime_training tools/windlass-run/CMakeFiles/windlass-run.dir/Unity/unity_0_cxx.cxx.o
