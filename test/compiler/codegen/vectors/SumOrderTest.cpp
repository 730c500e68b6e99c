// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the order of sums in generated kernels with scalar sums in this order (docs/numerics.md, "Inside a
// kernel"). A sum in any other order fails, above all that of kernel_order 1.

#include "runtime/base/Random.h"
#include "test/compiler/codegen/KernelRunner.h"

#include <algorithm>

using namespace windlass;
using namespace windlass::codegen::test;

namespace {

/// Adds up to 64 terms in index order. If there are more, the sums of 64 terms each are the terms.
template <typename T> T sumOfTerms(const std::vector<T> &terms) {
  if (terms.size() <= 64) {
    T sum = 0;
    for (T term : terms)
      sum += term;
    return sum;
  }
  std::vector<T> sums;
  for (size_t from = 0; from < terms.size(); from += 64)
    sums.push_back(
        sumOfTerms(std::vector<T>(terms.begin() + from, terms.begin() + std::min(terms.size(), from + 64))));
  return sumOfTerms(sums);
}

/// Element i of a block of 4,096 goes to lane i mod 16. Lanes are added by halves, and blocks are terms.
template <typename T> T sumOfRow(const std::vector<T> &row) {
  std::vector<T> blocks;
  for (size_t from = 0; from < row.size(); from += 4096) {
    T lanes[16] = {};
    for (size_t i = from; i < std::min(row.size(), from + 4096); ++i)
      lanes[i % 16] += row[i];
    for (int half : {8, 4, 2, 1})
      for (int lane = 0; lane < half; ++lane)
        lanes[lane] += lanes[lane + half];
    blocks.push_back(lanes[0]);
  }
  return sumOfTerms(blocks);
}

std::string tensor(const std::vector<int64_t> &shape, const std::string &element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

/// A kernel named k that sums `body`, which computes %y from an element %a of x.
std::string sumKernel(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims,
                      const std::string &body = "%y = arith.mulf %a, %a : f32",
                      const std::string &element = "f32") {
  std::string loops, over;
  std::vector<int64_t> kept;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    loops += (dim ? ", d" : "d") + std::to_string(dim);
    if (std::find(dims.begin(), dims.end(), dim) == dims.end())
      kept.push_back(shape[dim]);
  }
  for (int64_t dim : dims)
    over += (over.empty() ? "" : ", ") + std::to_string(dim);
  const std::string x = tensor(shape), r = tensor(kept, element);
  return "func.func @k(%x: " + x + ") -> " + r + " {\n %r = graph.reduce sum over [" + over +
         "] ins(%x : " + x + ") maps [affine_map<(" + loops + ") -> (" + loops + ")>] -> " + r +
         " {\n ^bb0(%a: f32):\n " + body + "\n graph.yield %y : " + element + "\n }\n return %r : " + r +
         "\n}\n";
}

TEST(SumOrder, ofRowsIsByLanesBlocksAndBlocksOfBlocks) {
  // The longest row has 66 blocks, so that the sums of 64 and of 2 blocks are added.
  for (const std::string &cpu : runnableCpus())
    for (int64_t columns : {1, 2, 7, 13, 15, 16, 17, 63, 65, 255, 4095, 4096, 4097, 9000, 65 * 4096 + 21}) {
      auto kernels = compile(sumKernel({3, columns}, {1}), cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> x(3 * columns), sum(3);
      x.fill(columns);
      kernels->run("k", {x, sum}, 0, 1);
      kernels->run("k", {x, sum}, 1, 3);
      for (int64_t row = 0; row < 3; ++row) {
        std::vector<float> squares;
        for (int64_t i = 0; i < columns; ++i)
          squares.push_back(x[row * columns + i] * x[row * columns + i]);
        ASSERT_EQ(sum[row], sumOfRow(squares)) << cpu << " " << columns;
      }
    }
}

/// Up to 64 blocks are one list, as in order 1.
TEST(SumOrder, ofUpTo64BlocksIsThatOfTheirIndices) {
  constexpr int64_t kBlocks = 64;
  auto kernels = compile(sumKernel({kBlocks * 4096}, {0}, "%y = arith.addf %a, %a : f32"));
  ASSERT_TRUE(kernels);
  Buffer<float> x(kBlocks * 4096), sum(1);
  x.fill(1);
  kernels->run("k", {x, sum}, 0, 1);
  float expected = 0;
  for (int64_t block = 0; block < kBlocks; ++block) {
    std::vector<float> terms;
    for (int64_t i = 0; i < 4096; ++i)
      terms.push_back(x[block * 4096 + i] + x[block * 4096 + i]);
    expected += sumOfRow(terms);
  }
  EXPECT_EQ(sum[0], expected);
}

TEST(SumOrder, ofColumnsIsByBlocksOfRowsWhateverTheCut) {
  // For 4,161 rows, the sum of 64 blocks and the sum of the two after them are added.
  for (const std::string &cpu : runnableCpus())
    for (int64_t rows : {1, 37, 64, 65, 200, 4096, 4161})
      for (int64_t columns : {1, 17, 83}) {
        auto kernels = compile(sumKernel({rows, columns}, {0}), cpu);
        ASSERT_TRUE(kernels);
        Buffer<float> x(rows * columns), sum(columns);
        x.fill(1);
        for (int64_t from = 0, to = 3; from < columns; from = to, to = std::min(columns, 2 * to + 61))
          kernels->run("k", {x, sum}, from, std::min(columns, to));
        for (int64_t column = 0; column < columns; ++column) {
          std::vector<float> squares;
          for (int64_t row = 0; row < rows; ++row)
            squares.push_back(x[row * columns + column] * x[row * columns + column]);
          ASSERT_EQ(sum[column], sumOfTerms(squares)) << cpu << " " << rows << " " << columns;
        }
      }
}

/// Rows are added in index order, as in order 1.
TEST(SumOrder, ofColumnsOfUpTo64RowsIsThatOfTheirIndices) {
  auto kernels = compile(sumKernel({64, 20}, {0}, "%y = arith.addf %a, %a : f32"));
  ASSERT_TRUE(kernels);
  Buffer<float> x(64 * 20), sum(20);
  x.fill(1);
  kernels->run("k", {x, sum}, 0, 20);
  for (int64_t column = 0; column < 20; ++column) {
    float expected = 0;
    for (int64_t row = 0; row < 64; ++row)
      expected += x[row * 20 + column] + x[row * 20 + column];
    ASSERT_EQ(sum[column], expected);
  }
}

TEST(SumOrder, ofColumnsCountsRowsThroughAllReducedLoops) {
  constexpr int64_t kA = 7, kB = 4, kC = 13, kD = 20; // a and c give 91 rows
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(sumKernel({kA, kB, kC, kD}, {0, 2}), cpu);
    ASSERT_TRUE(kernels);
    Buffer<float> x(kA * kB * kC * kD), sum(kB * kD);
    x.fill(3);
    kernels->run("k", {x, sum}, 0, 3);
    kernels->run("k", {x, sum}, 3, kB);
    for (int64_t b = 0; b < kB; ++b)
      for (int64_t d = 0; d < kD; ++d) {
        std::vector<float> squares;
        for (int64_t a = 0; a < kA; ++a)
          for (int64_t c = 0; c < kC; ++c) {
            float value = x[((a * kB + b) * kC + c) * kD + d];
            squares.push_back(value * value);
          }
        ASSERT_EQ(sum[b * kD + d], sumOfTerms(squares)) << cpu;
      }
  }
}

/// The sums of the statistics of a batch norm, in which a row is a line of an image.
TEST(SumOrder, ofChannelsIsThatOfTheSumsOfTheirRows) {
  for (const std::string &cpu : runnableCpus())
    for (auto [batch, height, width] : std::vector<std::array<int64_t, 3>>{
             {2, 3, 5}, {5, 31, 37}, {32, 7, 7}, {2, 70, 16}, {1, 2, 4100}, {4, 1041, 3}}) {
      constexpr int64_t kChannels = 3;
      auto kernels = compile(sumKernel({batch, kChannels, height, width}, {0, 2, 3}), cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> x(batch * kChannels * height * width), sum(kChannels);
      x.fill(7);
      kernels->run("k", {x, sum}, 0, 1);
      kernels->run("k", {x, sum}, 1, kChannels);
      for (int64_t channel = 0; channel < kChannels; ++channel) {
        std::vector<float> rows;
        for (int64_t image = 0; image < batch; ++image)
          for (int64_t line = 0; line < height; ++line) {
            const int64_t from = ((image * kChannels + channel) * height + line) * width;
            std::vector<float> squares;
            for (int64_t i = 0; i < width; ++i)
              squares.push_back(x[from + i] * x[from + i]);
            rows.push_back(sumOfRow(squares));
          }
        ASSERT_EQ(sum[channel], sumOfTerms(rows)) << cpu << " " << batch << " " << height << " " << width;
      }
    }
}

TEST(SumOrder, ofNormSlotsIsThatOfARowInF64) {
  for (const std::string &cpu : runnableCpus())
    for (int64_t length : {64, 4111, 4160, 12309, 70 * 4096 + 5}) {
      auto kernels = compile(
          sumKernel({length}, {0}, "%w = arith.extf %a : f32 to f64\n %y = arith.mulf %w, %w : f64", "f64"),
          cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> x(length);
      Buffer<double> sum(1);
      sum.set(-1);
      kernels->run("k", {x, sum}, 0, 0);
      EXPECT_EQ(sum[0], -1) << "an empty range does nothing";
      // F64 rounds such sums too rarely for one seed to show their order.
      for (uint32_t seed = 0; seed < 8; ++seed) {
        x.fill(seed);
        kernels->run("k", {x, sum}, 0, 1);
        std::vector<double> squares;
        for (int64_t i = 0; i < length; ++i)
          squares.push_back(double(x[i]) * double(x[i]));
        ASSERT_EQ(sum[0], sumOfRow(squares)) << cpu << " " << length;
      }
    }
}

/// One launch makes an owner's slots of many pieces. Each slot is that of its piece alone, for every division
/// of the range.
TEST(SumOrder, ofAnOwnersNormSlotsIsThatOfEach) {
  constexpr int64_t kRows = 17;
  for (const std::string &cpu : runnableCpus())
    for (int64_t length : {64, 12309, 66 * 4096 + 5}) {
      auto kernels =
          compile(sumKernel({kRows, length}, {1},
                            "%w = arith.extf %a : f32 to f64\n %y = arith.mulf %w, %w : f64", "f64"),
                  cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> x(kRows * length);
      Buffer<double> sums(kRows);
      x.fill(9);
      sums.set(-1);
      kernels->run("k", {x, sums}, 5, kRows);
      EXPECT_EQ(sums[4], -1);
      kernels->run("k", {x, sums}, 0, 5);
      for (int64_t row = 0; row < kRows; ++row) {
        std::vector<double> squares;
        for (int64_t i = 0; i < length; ++i)
          squares.push_back(double(x[row * length + i]) * double(x[row * length + i]));
        ASSERT_EQ(sums[row], sumOfRow(squares)) << cpu << " " << length << " row " << row;
      }
    }
}

/// Several threads make a slot: the sums of pieces in any order, and then their total.
TEST(SumOrder, ofPiecesOfANormSlotIsThatOfOneThread) {
  constexpr int64_t kLength = 70 * 4096 + 5, kPieces = 71;
  std::string kernel =
      sumKernel({kLength}, {0}, "%w = arith.extf %a : f32 to f64\n %y = arith.mulf %w, %w : f64", "f64");
  kernel.insert(kernel.find(" {\n"), " attributes {windlass.partials = array<i64: 568>}");
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(kernel, cpu);
    ASSERT_TRUE(kernels);
    EXPECT_EQ(kernels->constant("k.piece_count"), kPieces);
    Buffer<float> x(kLength);
    Buffer<double> whole(1), sum(1), pieces(kPieces);
    x.fill(5);
    kernels->run("k", {x, whole}, 0, 1);
    sum.set(-1);
    for (auto [from, to] : {std::pair(64, 71), std::pair(0, 1), std::pair(1, 64)})
      kernels->runPhase("k.pieces", {x, sum, pieces}, from, to);
    EXPECT_EQ(sum[0], -1) << "pieces are no result";
    kernels->runPhase("k.total", {x, sum, pieces}, 0, 0);
    EXPECT_EQ(sum[0], -1) << "an empty range does nothing";
    kernels->runPhase("k.total", {x, sum, pieces}, 0, 1);
    EXPECT_EQ(sum[0], whole[0]) << cpu;
  }
}

/// The sum of gathered slots, as for the norm. The slots of a unit are a row over ranks.
TEST(SumOrder, ofGatheredSlotsIsUnitByUnit) {
  constexpr int64_t kRanks = 3, kUnits = 150, kStride = 8;
  auto kernels = compile(R"(
func.func @k(%x: tensor<3x150x8xf64>) -> tensor<f64> {
  %r = graph.reduce sum over [0, 1] ins(%x : tensor<3x150x8xf64>)
      maps [affine_map<(slot, rank) -> (rank, slot, 0)>] -> tensor<f64> {
  ^bb0(%v: f64):
    graph.yield %v : f64
  }
  return %r : tensor<f64>
})");
  ASSERT_TRUE(kernels);
  Buffer<double> x(kRanks * kUnits * kStride), sum(1);
  x.fill(4, 0, 1);
  kernels->run("k", {x, sum}, 0, 1);
  std::vector<double> units;
  for (int64_t unit = 0; unit < kUnits; ++unit) {
    std::vector<double> ranks;
    for (int64_t rank = 0; rank < kRanks; ++rank)
      ranks.push_back(x[(rank * kUnits + unit) * kStride]);
    units.push_back(sumOfRow(ranks));
  }
  EXPECT_EQ(sum[0], sumOfTerms(units));
}

/// 16-bit elements are widened in each of the vectors at the end of a row.
TEST(SumOrder, ofHalvesIsThatOfTheirF32) {
  constexpr int64_t kColumns = 31;
  struct Half {
    const char *type;
    uint16_t one, steps; ///< the bits of 1.0, and the number of values from 1 to below 2
  };
  for (const std::string &cpu : runnableCpus())
    for (const Half &half : {Half{"f16", 0x3c00, 1024}, Half{"bf16", 0x3f80, 128}}) {
      const std::string x = "tensor<3x31x" + std::string(half.type) + ">";
      auto kernels = compile(
          "func.func @k(%x: " + x + ") -> tensor<3xf32> {\n %r = graph.reduce sum over [1] ins(%x : " + x +
              ") maps [affine_map<(i, j) -> (i, j)>] -> tensor<3xf32> {\n ^bb0(%a: " + half.type +
              "):\n %w = arith.extf %a : " + half.type + R"( to f32
          %s = arith.mulf %w, %w : f32
          %y = arith.mulf %s, %w : f32
          graph.yield %y : f32
        }
        return %r : tensor<3xf32>
      })",
          cpu);
      ASSERT_TRUE(kernels);
      Buffer<uint16_t> in(3 * kColumns);
      Buffer<float> sum(3);
      for (size_t i = 0; i < in.size(); ++i)
        in[i] = half.one + (i * 37) % half.steps;
      kernels->run("k", {in, sum}, 0, 3);
      for (int64_t row = 0; row < 3; ++row) {
        std::vector<float> cubes;
        for (int64_t i = 0; i < kColumns; ++i) {
          const float value =
              1 + static_cast<float>(in[row * kColumns + i] - half.one) / static_cast<float>(half.steps);
          cubes.push_back(value * value * value);
        }
        ASSERT_EQ(sum[row], sumOfRow(cubes)) << cpu << " " << half.type;
      }
    }
}

/// Several sums in one kernel, and computed elements: elements behind the last vector are computed like those
/// in a vector.
TEST(SumOrder, ofRandomNumbersAndTheirSquaresHasThemAllInTheirLanes) {
  const RandomStream stream(1, 2, 3);
  for (const std::string &cpu : runnableCpus())
    for (int64_t columns : {5, 12, 15, 16, 29, 31, 4110}) {
      const std::string x = tensor({2, columns}), r = tensor({2});
      auto kernels = compile("func.func @k(%x: " + x + ", %key: tensor<1x2xi32>) -> (" + r + ", " + r +
                                 ") {\n %r:2 = graph.reduce sum over [1] ins(%x, %key, %key : " + x +
                                 R"(, tensor<1x2xi32>, tensor<1x2xi32>) maps [affine_map<(i, j) -> (i, j)>,
             affine_map<(i, j) -> (0, 0)>, affine_map<(i, j) -> (0, 1)>] -> )" +
                                 r + ", " + r + R"( {
        ^bb0(%a: f32, %k0: i32, %k1: i32):
          %i = graph.index 0 : index
          %j = graph.index 1 : index
          %u = graph.random %k0, %k1 [%i, %j] : f32
          %y = arith.mulf %a, %u : f32
          %s = arith.mulf %y, %y : f32
          graph.yield %y, %s : f32, f32
        }
        return %r#0, %r#1 : )" + r +
                                 ", " + r + "\n}",
                             cpu);
      ASSERT_TRUE(kernels);
      Buffer<float> in(2 * columns), sum(2), squares(2);
      Buffer<uint32_t> key(2);
      in.fill(5), key[0] = stream.key()[0], key[1] = stream.key()[1];
      kernels->run("k", {in, key, sum, squares}, 0, 2);
      for (int64_t i = 0; i < 2; ++i) {
        std::vector<float> values, squared;
        for (int64_t j = 0; j < columns; ++j) {
          values.push_back(in[i * columns + j] * stream.unit(j, i));
          squared.push_back(values.back() * values.back());
        }
        ASSERT_EQ(sum[i], sumOfRow(values)) << cpu << " " << columns;
        ASSERT_EQ(squares[i], sumOfRow(squared)) << cpu << " " << columns;
      }
    }
}

} // namespace
