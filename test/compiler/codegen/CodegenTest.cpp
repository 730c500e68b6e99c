// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared object as a whole: symbols, determinism, costs, errors, and the time of compilation.

#include "test/compiler/codegen/KernelRunner.h"

#include "llvm/Object/ELFObjectFile.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

using namespace windlass::codegen::test;
using windlass::codegen::KernelCache;

namespace {

std::string scale(const std::string &name, const std::string &shape, const std::string &op = "math.exp") {
  std::string x = "tensor<" + shape + "xf32>";
  return "func.func @" + name + "(%x: " + x + ") -> " + x + " {\n %r = graph.map ins(%x : " + x +
         ") maps [affine_map<(d0) -> (d0)>] -> " + x + " {\n ^bb0(%a: f32):\n %y = " + op +
         " %a : f32\n graph.yield %y : f32\n }\n return %r : " + x + "\n}\n";
}

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Codegen, exportsTheKernelsAndNeedsNothing) {
  auto kernels = compile(scale("a", "100") + scale("b", "9", "math.tanh") + scale("c", "9", "math.erf") +
                         scale("d", "9", "math.log") + scale("e", "9", "math.rsqrt"));
  ASSERT_TRUE(kernels);
  auto binary = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(kernels->path()));
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(binary.getBinary());
  std::vector<std::string> defined;
  for (const auto &symbol : elf->getDynamicSymbolIterators()) {
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    std::string name = llvm::cantFail(symbol.getName()).str();
    EXPECT_FALSE(flags & llvm::object::SymbolRef::SF_Undefined) << name;
    if (flags & llvm::object::SymbolRef::SF_Global)
      defined.push_back(name);
  }
  std::sort(defined.begin(), defined.end());
  EXPECT_EQ(defined, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
}

TEST(Codegen, equalInputGivesAnEqualFile) {
  std::string text = scale("a", "100") + scale("b", "9", "math.tanh");
  auto first = compile(text), second = compile(text);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(bytesOf(first->path()), bytesOf(second->path()));
}

TEST(Codegen, aKernelThatWasCompiledBeforeGivesTheSameBytes) {
  const std::string one = scale("a", "100"), both = scale("b", "9", "math.tanh") + one;
  KernelCache cache, empty;
  auto fresh = compile(both, "", {&empty});
  EXPECT_EQ(empty.hits(), 0);
  ASSERT_TRUE(compile(one, "", {&cache}));
  EXPECT_EQ(cache.hits(), 0);
  auto mixed = compile(both, "", {&cache}), found = compile(both, "", {&cache});
  EXPECT_EQ(cache.hits(), 1 + 2);
  ASSERT_TRUE(fresh && mixed && found);
  EXPECT_EQ(bytesOf(mixed->path()), bytesOf(fresh->path()));
  EXPECT_EQ(bytesOf(found->path()), bytesOf(fresh->path()));
}

TEST(Codegen, aKernelComputesTheSameBitsByItselfAndBesideOthers) {
  const std::string both = scale("a", "100") + scale("b", "100", "math.tanh");
  KernelCache cache;
  auto together = compile(both), apart = compile(both, "", {&cache});
  ASSERT_TRUE(together && apart);
  for (const char *name : {"a", "b"}) {
    Buffer<float> x(100), expected(100), result(100);
    x.fill(3);
    together->run(name, {x, expected}, 0, 100);
    apart->run(name, {x, result}, 0, 100);
    EXPECT_TRUE(result.sameBits(expected)) << name;
  }
}

TEST(Codegen, aKernelOfAnotherTargetOrAnotherBodyIsCompiled) {
  KernelCache cache;
  ASSERT_TRUE(compile(scale("a", "100"), "x86-64-v3", {&cache}));
  ASSERT_TRUE(compile(scale("a", "100"), "x86-64-v4", {&cache})); // compiled, not called
  ASSERT_TRUE(compile(scale("a", "101"), "x86-64-v3", {&cache}));
  ASSERT_TRUE(compile(scale("a", "100", "math.tanh"), "x86-64-v3", {&cache}));
  EXPECT_EQ(cache.hits(), 0);
}

TEST(Codegen, saysWhatALaunchCosts) {
  EXPECT_EQ(describe(scale("a", "100")).substr(0, 4), "100 ");
  EXPECT_EQ(describe(R"(
func.func @k(%t: tensor<1000x64xf32>, %i: tensor<8xi64>) -> tensor<8x64xf32> {
  %r = graph.embedding %t, %i : tensor<1000x64xf32>, tensor<8xi64> -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
})"),
            "8 0 " + std::to_string(8 * 64 * 4 * 2 + 8 * 8));
  EXPECT_EQ(describe(R"(
func.func @k(%g: tensor<8x64xf32>, %i: tensor<8xi64>) -> tensor<1000x64xf32> {
  %r = graph.embedding_grad %g, %i : tensor<8x64xf32>, tensor<8xi64> -> tensor<1000x64xf32>
  return %r : tensor<1000x64xf32>
})")
                .substr(0, 3),
            "64 ");
}

TEST(Codegen, refusesWhatItCannotDoAndNamesIt) {
  std::string error;
  EXPECT_FALSE(Kernels::compile(scale("odd", "4", "math.acosh"), "", error));
  EXPECT_NE(error.find("kernel 'odd': no approximation of 'math.acosh'"), std::string::npos) << error;
  error.clear();
  EXPECT_FALSE(Kernels::compile(scale("k", "4"), "i386", error));
  EXPECT_NE(error.find("not for 'i386'"), std::string::npos) << error;
  error.clear();
  EXPECT_FALSE(Kernels::compile(
      "func.func @k(%x: tensor<?xf32>) -> tensor<?xf32> {\n return %x : tensor<?xf32>\n}", "", error));
  EXPECT_NE(error.find("kernel 'k' has a tensor without static shape: 'tensor<?xf32>'"), std::string::npos)
      << error;
  error.clear();
  EXPECT_FALSE(Kernels::compile(R"(
func.func @mm(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = graph.matmul %a, %b : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
})",
                                "", error));
  EXPECT_NE(error.find("no code can be generated for 'graph.matmul'"), std::string::npos) << error;
}

TEST(Codegen, fortyKernelsTakeSeconds) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += scale("k" + std::to_string(i), std::to_string(1000 + i), i % 2 ? "math.tanh" : "math.exp");
  auto processorSeconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double start = processorSeconds();
  ASSERT_TRUE(compile(text));
  double seconds = processorSeconds() - start; // independent of other processes
  RecordProperty("seconds", std::to_string(seconds));
  std::printf("40 kernels in %.2f s\n", seconds);
  EXPECT_LT(seconds, 30); // ten times the time on an idle machine
}

} // namespace
