// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers of generated code: their bits are those of RandomStream, for every vectorisation and every
// division of ranges.

#include "runtime/base/Random.h"
#include "test/compiler/codegen/KernelRunner.h"

using namespace windlass;
using namespace windlass::codegen::test;

namespace {

/// A kernel whose element (i, j) is the random number of the place %row, %column that `body` computes from %i
/// and %j.
std::string kernel(int64_t rows, int64_t columns, const std::string &body) {
  const std::string type = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  return "func.func @k(%key: tensor<1x2xi32>, %block: tensor<i32>) -> " + type + R"( {
    %r = graph.map ins(%key, %key, %block : tensor<1x2xi32>, tensor<1x2xi32>, tensor<i32>)
        maps [affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (0, 1)>, affine_map<(d0, d1) -> ()>] -> )" +
         type + R"( {
    ^bb0(%k0: i32, %k1: i32, %b: i32):
      %i = graph.index 0 : index
      %j = graph.index 1 : index
      %blocks = arith.index_cast %b : i32 to index
      %rows = arith.constant )" +
         std::to_string(rows) + R"( : index
      %first = arith.muli %blocks, %rows : index
      )" +
         body +
         R"(
      %u = graph.random %k0, %k1 [%row, %column] : f32
      graph.yield %u : f32
    }
    return %r : )" +
         type + "\n}";
}

struct Places {
  const char *body;
  uint64_t (*row)(uint64_t first, uint64_t i, uint64_t j), (*column)(uint64_t i, uint64_t j);
};

/// Along rows, as dropout reads them; across rows; along rows from a column at which no block of the
/// generator begins, and from a column at which one begins.
constexpr Places kPlaces[] = {
    {"%row = arith.addi %first, %i : index\n%column = graph.index 1 : index",
     [](uint64_t first, uint64_t i, uint64_t) { return first + i; }, [](uint64_t, uint64_t j) { return j; }},
    {"%row = arith.addi %first, %j : index\n%column = graph.index 0 : index",
     [](uint64_t first, uint64_t, uint64_t j) { return first + j; }, [](uint64_t i, uint64_t) { return i; }},
    {"%row = arith.addi %first, %i : index\n%three = arith.constant 3 : index\n"
     "%column = arith.addi %j, %three : index",
     [](uint64_t first, uint64_t i, uint64_t) { return first + i; },
     [](uint64_t, uint64_t j) { return j + 3; }},
    {"%row = arith.addi %first, %i : index\n%eight = arith.constant 8 : index\n"
     "%column = arith.addi %j, %eight : index",
     [](uint64_t first, uint64_t i, uint64_t) { return first + i; },
     [](uint64_t, uint64_t j) { return j + 8; }}};

TEST(DropoutKernel, numbersAreThoseOfTheStream) {
  const RandomStream stream(1, 2, 3);
  for (const std::string &cpu : runnableCpus())
    for (const Places &places : kPlaces)
      for (int64_t columns : {1, 4, 15, 16, 17, 66}) {
        constexpr int64_t kRows = 3, kBlock = 5;
        auto kernels = compile(kernel(kRows, columns, places.body), cpu);
        ASSERT_TRUE(kernels);
        Buffer<uint32_t> key(2);
        key[0] = stream.key()[0], key[1] = stream.key()[1];
        Buffer<int32_t> block(1);
        block[0] = kBlock;
        Buffer<float> out(kRows * columns);
        kernels->run("k", {key, block, out}, 0, 1);
        kernels->run("k", {key, block, out}, 1, kRows);
        for (int64_t i = 0; i < kRows; ++i)
          for (int64_t j = 0; j < columns; ++j)
            ASSERT_EQ(out[i * columns + j],
                      stream.unit(places.column(i, j), places.row(kRows * kBlock, i, j)))
                << cpu << " " << places.body << " [" << i << "][" << j << "] of " << columns;
      }
}

} // namespace
