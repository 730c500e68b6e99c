// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxOpcodeKernel.h"

#include "test/support/ptx/PtxText.h"

namespace windlass::ptx {

int bytesOf(char letter) { return letter == 'p' ? 1 : letter == 'h' ? 2 : letter == 'w' ? 4 : 8; }

std::string opcodeKernel(const OpcodeInfo &info) {
  std::string body = "mov.u32 %r30, %tid.x;\nmov.u32 %r31, %ctaid.x;\nmad.lo.s32 %r29, %r31, 32, %r30;\n",
              sources;
  auto address = [&](char parameter, int bytes) {
    body += std::string("ld.param.b64 %d31, [") + parameter + "];\nmul.wide.u32 %d30, %r29, " +
            std::to_string(bytes) + ";\nadd.s64 %d29, %d31, %d30;\n";
  };
  auto registerOf = [](char letter, size_t number) {
    return std::string("%") + (letter == 'w' ? 'r' : letter) + std::to_string(number);
  };
  for (size_t number = 1; number < info.operands.size(); ++number) {
    const char letter = info.operands[number];
    const std::string name = registerOf(letter, number);
    address(static_cast<char>('a' + number), bytesOf(letter));
    if (letter == 'p')
      body += "ld.global.b8 %h31, [%d29];\nsetp.ne.b16 " + name + ", %h31, 0;\n";
    else
      body += "ld.global.b" + std::to_string(8 * bytesOf(letter)) + " " + name + ", [%d29];\n";
    sources += ", " + name;
  }
  const char letter = info.operands[0];
  const std::string name = registerOf(letter, 0);
  body += std::string(info.text) + " " + name + sources + ";\n";
  address('a', bytesOf(letter));
  if (letter == 'p')
    body += "selp.b16 %h31, 1, 0, " + name + ";\nst.global.b8 [%d29], %h31;\n";
  else
    body += "st.global.b" + std::to_string(8 * bytesOf(letter)) + " [%d29], " + name + ";\n";
  return textOf(body, static_cast<int>(info.operands.size()));
}

} // namespace windlass::ptx
