// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/ReferenceMatmul.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include <algorithm>
#include <cstdint>

namespace windlass {

namespace {

/// Columns whose sums are kept at once: they stay in the first-level cache.
constexpr int64_t kColumns = 512;
/// Rows of C that share what is read of B.
constexpr int64_t kRows = 8;

double load(plan::ElementType type, const void *data, int64_t i) {
  switch (type) {
  case plan::ElementType::F32:
    return static_cast<const float *>(data)[i];
  case plan::ElementType::F64:
    return static_cast<const double *>(data)[i];
  case plan::ElementType::BF16:
    return widenBf16(static_cast<const uint16_t *>(data)[i]);
  case plan::ElementType::F16:
    return widenF16(static_cast<const uint16_t *>(data)[i]);
  case plan::ElementType::I32:
    return static_cast<const int32_t *>(data)[i];
  }
  return 0;
}

void store(plan::ElementType type, void *data, int64_t i, double value) {
  switch (type) {
  case plan::ElementType::F32:
    static_cast<float *>(data)[i] = static_cast<float>(value);
    return;
  case plan::ElementType::F64:
    static_cast<double *>(data)[i] = value;
    return;
  case plan::ElementType::BF16:
    static_cast<uint16_t *>(data)[i] = roundToBf16(static_cast<float>(value));
    return;
  case plan::ElementType::F16:
    static_cast<uint16_t *>(data)[i] = roundToF16(static_cast<float>(value));
    return;
  case plan::ElementType::I32:
    static_cast<int32_t *>(data)[i] = static_cast<int32_t>(value);
    return;
  }
}

/// Sums for a few rows of one matrix of the batch, and some of its columns.
struct Block {
  const plan::MatmulSpec &spec;
  const void *a, *b;
  void *c;
  int64_t matrix, row, rows, column, columns;
  double sums[kRows][kColumns] = {};

  void add() {
    const plan::StoredMatrix ofA = spec.storedA(), ofB = spec.storedB();
    const int64_t fromA = matrix * ofA.rows * ofA.pitch, fromB = matrix * ofB.rows * ofB.pitch;
    double right[kColumns];
    for (int64_t p = 0; p < spec.k; ++p) {
      for (int64_t j = 0; j < columns; ++j)
        right[j] = load(
            spec.b, b, fromB + (spec.transposeB ? (column + j) * ofB.pitch + p : p * ofB.pitch + column + j));
      for (int64_t i = 0; i < rows; ++i) {
        const double left =
            load(spec.a, a, fromA + (spec.transposeA ? p * ofA.pitch + row + i : (row + i) * ofA.pitch + p));
        for (int64_t j = 0; j < columns; ++j)
          sums[i][j] += left * right[j];
      }
    }
  }

  void write() const {
    const int64_t pitch = spec.storedC().pitch;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        const int64_t at = (matrix * spec.m + row + i) * pitch + column + j;
        store(spec.c, c, at, spec.accumulate ? load(spec.c, c, at) + sums[i][j] : sums[i][j]);
      }
  }
};

} // namespace

void referenceRows(const plan::MatmulSpec &spec, const void *a, const void *b, void *c, int64_t begin,
                   int64_t end) {
  for (int64_t at = begin; at < end;) {
    const int64_t matrix = at / spec.m, row = at % spec.m;
    const int64_t rows = std::min({kRows, spec.m - row, end - at});
    for (int64_t column = 0; column < spec.n; column += kColumns) {
      Block block{spec, a, b, c, matrix, row, rows, column, std::min(kColumns, spec.n - column)};
      block.add();
      block.write();
    }
    at += rows;
  }
}

void referenceMatmul(const plan::MatmulSpec &spec, const void *a, const void *b, void *c) {
  referenceRows(spec, a, b, c, 0, spec.batch * spec.m);
}

void multiplyByReference(const plan::MatmulSpec &spec, void *const *args, KernelTeam &team) {
  struct Job {
    const plan::MatmulSpec &spec;
    void *const *args;
    static void run(void *const *self, int64_t begin, int64_t end) {
      const Job &job = *static_cast<const Job *>(*self);
      referenceRows(job.spec, job.args[0], job.args[1], job.args[2], begin, end);
    }
  } job{spec, args};
  void *self = &job;
  team.run(Job::run, &self, 0, spec.batch * spec.m, kRows);
}

} // namespace windlass
