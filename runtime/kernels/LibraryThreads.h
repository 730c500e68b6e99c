// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LibraryThreads.h - how many threads the matmul library takes ==========//
//
// Duty: the two functions of GCC's OpenMP runtime, on which oneDNN runs, that hold it to the threads it is
// given. They are declared here because only GCC has a header for them. Threads: each is about the caller's.
//
//===----------------------------------------------------------------------===//
#pragma once

extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int threads);
}
