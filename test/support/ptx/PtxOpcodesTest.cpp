// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the table of opcodes for consistency, and against the real assembler if there is one.

#include "test/support/ptx/PtxAssembler.h"
#include "test/support/ptx/PtxOpcodeKernel.h"
#include "test/support/ptx/PtxText.h"

#include <algorithm>

using namespace windlass;
using namespace windlass::ptx;

namespace {

TEST(PtxOpcodes, noTextStandsTwice) {
  std::vector<std::string_view> texts;
#define PTX_COMPUTE(name, text, operands) texts.push_back(text);
#define PTX_LOAD(name, text, space, elements, bytes) texts.push_back(text);
#define PTX_STORE(name, text, space, elements, bytes) texts.push_back(text);
#define PTX_CONTROL(name, text, kind) texts.push_back(text);
#include "compiler/codegen/ptx/PtxOpcodes.def"
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
}

/// A load or a store, as an instruction of `a`.
std::string memoryInstruction(const OpcodeInfo &info) {
  std::string values;
  for (int element = 0; element < info.elements; ++element)
    values += (element ? ", %" : "%") +
              std::string(info.bytes == 8   ? "d"
                          : info.bytes == 4 ? "r"
                                            : "h") +
              std::to_string(element);
  if (info.elements > 1)
    values = "{" + values + "}";
  const std::string address = info.space == Space::Param    ? "[a]"
                              : info.space == Space::Global ? "[%d9]"
                                                            : "[part]";
  const bool isLoad = info.kind == Kind::Load;
  return std::string(info.text) + " " + (isLoad ? values + ", " + address : address + ", " + values) + ";\n";
}

TEST(PtxOpcodes, theAssemblerKnowsEveryOne) {
  Result<PtxAssembler> assembler = PtxAssembler::find();
  if (!assembler.isOk())
    GTEST_SKIP() << assembler.status().message();
  std::string body = ".shared .align 16 .b8 part[64];\nld.param.b64 %d9, [a];\n";
#define PTX_LOAD(name, text, space, elements, bytes) body += memoryInstruction(infoOf(Opcode::name));
#define PTX_STORE(name, text, space, elements, bytes) body += memoryInstruction(infoOf(Opcode::name));
#include "compiler/codegen/ptx/PtxOpcodes.def"
  body += "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;\nshfl.sync.idx.b32 %r1, %r2, 1, 31, -1;\nbar.sync 0;\n"
          "@%p1 bra there;\nbra.uni there;\nthere:\nmov.b64 %d1, {%r1, %r2};\nmov.b32 {%h1, %h2}, %r1;\n";
  std::vector<std::string> texts = {textOf(body, 4)};
  // All opcodes that compute, each in a kernel, in one text.
  std::string all;
#define PTX_COMPUTE(name, text, operands)                                                                    \
  {                                                                                                          \
    std::string one = opcodeKernel(infoOf(Opcode::name));                                                    \
    const size_t entry = one.find(".visible");                                                               \
    one.replace(one.find(" k("), 3, " " #name "_(");                                                         \
    all += all.empty() ? one : one.substr(entry);                                                            \
  }
#include "compiler/codegen/ptx/PtxOpcodes.def"
  texts.push_back(all);
  for (const std::string &text : texts) {
    auto assembled = assembler->assemble(text, "sm_80");
    ASSERT_TRUE(assembled.isOk()) << assembled.status().message();
    EXPECT_EQ(assembled->size(),
              static_cast<size_t>(text == all ? std::count(all.begin(), all.end(), '{') : 1));
  }
}

} // namespace
