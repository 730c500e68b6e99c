// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as the compiler would emit them: pointers in, a range of the outermost dimension.
#include <stdint.h>

/// What they take: which kernel of a plan they are, the extent of their range, then access and bytes of every
/// operand.
const char windlass_kernel_signatures[] = "scale_and_shift kernel 0, range 1: r 0, w 0\n"
                                          "accumulate kernel 0, range 1: r 0, rw 0\n"
                                          "blend kernel 0, range 1: r 0, r 0, w 0\n"
                                          "sum kernel 0, range 1: r 28, w 4, s 28\n";

/// args: in (r), out (w)
void scale_and_shift(void *const *args, int64_t begin, int64_t end) {
  const float *in = args[0];
  float *out = args[1];
  for (int64_t i = begin; i < end; ++i)
    out[i] = in[i] * 1.0009765625f + 0.25f;
}

/// args: in (r), out (rw)
void accumulate(void *const *args, int64_t begin, int64_t end) {
  const float *in = args[0];
  float *out = args[1];
  for (int64_t i = begin; i < end; ++i)
    out[i] += in[i];
}

/// args: a (r), b (r), out (w)
void blend(void *const *args, int64_t begin, int64_t end) {
  const float *a = args[0];
  const float *b = args[1];
  float *out = args[2];
  for (int64_t i = begin; i < end; ++i)
    out[i] = a[i] * 0.5f - b[i] * 0.25f;
}

/// args: terms (r), sum (w), parts (s). Each of its functions leaves a mark in the sum, by which a test sees
/// which of them ran.
enum { kTerms = 7 };
void sum(void *const *args, int64_t begin, int64_t end) {
  const float *terms = args[0];
  float *sum = args[1];
  *sum = 1000.0f;
  for (int64_t i = 0; begin < end && i < kTerms; ++i)
    *sum += terms[i];
}

const int64_t sum_piece_count __asm__("sum.piece_count") = kTerms;
void sum_pieces(void *const *args, int64_t begin, int64_t end) __asm__("sum.pieces");
void sum_total(void *const *args, int64_t begin, int64_t end) __asm__("sum.total");

void sum_pieces(void *const *args, int64_t begin, int64_t end) {
  const float *terms = args[0];
  float *parts = args[2];
  for (int64_t i = begin; i < end; ++i)
    parts[i] = terms[i];
}

void sum_total(void *const *args, int64_t begin, int64_t end) {
  const float *parts = args[2];
  float *sum = args[1];
  *sum = 2000.0f;
  for (int64_t i = 0; begin < end && i < kTerms; ++i)
    *sum += parts[i];
}
