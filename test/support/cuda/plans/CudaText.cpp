// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/plans/CudaText.h"
#include "runtime/transport/peer/PeerTransport.h"

namespace windlass::test {

namespace {

/// A kernel with the 64-bit parameters p0, p1, ... and registers of every width.
std::string kernelText(const std::string &symbol, size_t parameters, int64_t threads,
                       const std::string &body) {
  std::string text = ".visible .entry " + symbol + "(\n";
  for (size_t i = 0; i < parameters; ++i)
    text += std::string(i ? ",\n" : "") + ".param .u64 p" + std::to_string(i);
  return text + "\n)\n.reqntid " + std::to_string(threads) +
         ", 1, 1\n{\n.reg .pred %p<8>;\n.reg .b16 %h<2>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>;\n" + body +
         "ret;\n}\n";
}

/// The code of an operation on a pattern in %r1 to %r3 and %d4 to %d6. The result is in %r9, or in %d9 if it
/// has 64 bits.
const char *codeOf(ProbeOperation operation) {
  switch (operation) {
  case ProbeOperation::MultiplyAdd32:
    return "mul.rn.f32 %r9, %r1, %r2;\nadd.rn.f32 %r9, %r9, %r3;\n";
  case ProbeOperation::Fused32:
    return "fma.rn.f32 %r9, %r1, %r2, %r3;\n";
  case ProbeOperation::Quotient32:
    return "div.rn.f32 %r9, %r1, %r2;\n";
  case ProbeOperation::Root32:
    return "abs.f32 %r9, %r1;\nsqrt.rn.f32 %r9, %r9;\n";
  case ProbeOperation::MultiplyAdd64:
    return "mul.rn.f64 %d9, %d4, %d5;\nadd.rn.f64 %d9, %d9, %d6;\n";
  case ProbeOperation::Fused64:
    return "fma.rn.f64 %d9, %d4, %d5, %d6;\n";
  case ProbeOperation::Quotient64:
    return "div.rn.f64 %d9, %d4, %d5;\n";
  case ProbeOperation::Root64:
    return "abs.f64 %d9, %d4;\nsqrt.rn.f64 %d9, %d9;\n";
  case ProbeOperation::Narrow16:
    return "cvt.rn.f16.f32 %h1, %r1;\ncvt.f32.f16 %r9, %h1;\n";
  case ProbeOperation::Widen16:
    return "cvt.u16.u64 %h1, %d4;\ncvt.f32.f16 %r9, %h1;\n";
  case ProbeOperation::Narrow32:
    return "cvt.rn.f32.f64 %r9, %d4;\n";
  case ProbeOperation::Widen32:
    return "cvt.f64.f32 %d9, %r1;\n";
  case ProbeOperation::FromInteger:
    return "cvt.rn.f32.s32 %r9, %r1;\n";
  case ProbeOperation::ToInteger:
    return "cvt.rn.f32.s32 %r9, %r1;\nmov.b32 %r10, 0f43800000;\ndiv.rn.f32 %r9, %r9, %r10;\n"
           "cvt.rzi.s32.f32 %r9, %r9;\n";
  case ProbeOperation::Shuffles:
    return "mov.b32 %r9, %r1;\n"
           "shfl.sync.bfly.b32 %r10, %r9, 16, 31, -1;\nmad.lo.s32 %r9, %r9, 33, %r10;\n"
           "shfl.sync.bfly.b32 %r10, %r9, 8, 31, -1;\nmad.lo.s32 %r9, %r9, 33, %r10;\n"
           "shfl.sync.bfly.b32 %r10, %r9, 4, 31, -1;\nmad.lo.s32 %r9, %r9, 33, %r10;\n"
           "shfl.sync.bfly.b32 %r10, %r9, 2, 31, -1;\nmad.lo.s32 %r9, %r9, 33, %r10;\n"
           "shfl.sync.bfly.b32 %r10, %r9, 1, 31, -1;\nmad.lo.s32 %r9, %r9, 33, %r10;\n";
  }
  return "";
}

/// Code that puts the number of a thread in the grid into %r4.
std::string threadNumber(int64_t threads) {
  return "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.b32 %r3, " + std::to_string(threads) +
         ";\nmad.lo.s32 %r4, %r2, %r3, %r1;\n";
}

} // namespace

std::string ptxHead() { return ".version 8.0\n.target sm_80\n.address_size 64\n"; }

std::string productText(const std::string &symbol, const plan::MatmulSpec &spec) {
  auto number = [](int64_t value) { return std::to_string(value); };
  const int64_t rowOfA = spec.transposeA ? 1 : spec.k, stepOfA = spec.transposeA ? spec.m : 1;
  const int64_t columnOfB = spec.transposeB ? spec.k : 1, stepOfB = spec.transposeB ? 1 : spec.n;
  std::string body = threadNumber(kProductThreads);
  body += "setp.ge.u32 %p1, %r4, " + number(spec.m * spec.n) + ";\n@%p1 bra $done;\n";
  body += "div.u32 %r5, %r4, " + number(spec.n) + ";\nrem.u32 %r6, %r4, " + number(spec.n) + ";\n";
  body += "ld.param.b64 %d1, [p0];\nld.param.b64 %d2, [p1];\nld.param.b64 %d3, [p2];\n";
  body += "mul.lo.s32 %r7, %r5, " + number(rowOfA) + ";\nmul.lo.s32 %r8, %r6, " + number(columnOfB) + ";\n";
  body += "mul.wide.u32 %d4, %r7, 4;\nadd.s64 %d5, %d1, %d4;\n";
  body += "mul.wide.u32 %d6, %r8, 4;\nadd.s64 %d7, %d2, %d6;\n";
  body += "mul.wide.u32 %d8, %r4, 4;\nadd.s64 %d9, %d3, %d8;\n";
  body += spec.accumulate ? "ld.global.b32 %r9, [%d9];\n" : "mov.b32 %r9, 0;\n";
  body += "mov.b32 %r10, 0;\n$next:\n";
  body += "ld.global.b32 %r11, [%d5];\nld.global.b32 %r12, [%d7];\nfma.rn.f32 %r9, %r11, %r12, %r9;\n";
  body += "add.s64 %d5, %d5, " + number(4 * stepOfA) + ";\nadd.s64 %d7, %d7, " + number(4 * stepOfB) + ";\n";
  body += "add.s32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, " + number(spec.k) + ";\n@%p2 bra $next;\n";
  body += "st.global.b32 [%d9], %r9;\n$done:\n";
  return kernelText(symbol, 6, kProductThreads, body);
}

namespace {

/// The sum of f32. A thread adds up elements that lie kSumThreads apart.
std::string sumText() {
  std::string body = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n";
  body += "ld.param.b64 %d1, [p0];\nld.param.b64 %d2, [p1];\nld.param.b64 %d3, [p2];\n";
  body += "cvt.u32.u64 %r5, %d2;\nmov.b32 %r3, " + std::to_string(kSumElements) + ";\n";
  body += "mad.lo.s32 %r4, %r2, %r3, %r1;\nadd.s32 %r6, %r2, 1;\nmul.lo.s32 %r6, %r6, " +
          std::to_string(kSumElements) + ";\n$next:\n";
  body += "setp.ge.u32 %p1, %r4, %r5;\n@%p1 bra $done;\nmul.wide.u32 %d4, %r4, 4;\n";
  body += "ld.param.b64 %d5, [p3];\nadd.s64 %d6, %d5, %d4;\nld.global.b32 %r7, [%d6];\n";
  for (size_t source = 1; source < kMostPeers; ++source) {
    body += "setp.le.s64 %p2, %d3, " + std::to_string(source) + ";\n@%p2 bra $summed;\n";
    body += "ld.param.b64 %d5, [p" + std::to_string(3 + source) + "];\nadd.s64 %d6, %d5, %d4;\n";
    body += "ld.global.b32 %r8, [%d6];\nadd.rn.f32 %r7, %r7, %r8;\n";
  }
  body += "$summed:\nadd.s64 %d7, %d1, %d4;\nst.global.b32 [%d7], %r7;\n";
  body += "add.s32 %r4, %r4, " + std::to_string(kSumThreads) +
          ";\nsetp.lt.u32 %p3, %r4, %r6;\n@%p3 bra $next;\n$done:\n";
  return kernelText(kDeviceSums[0].symbol, 3 + kMostPeers, kSumThreads, body);
}

/// The probe. A thread computes all operations on one pattern.
std::string probeText() {
  std::string body = threadNumber(kProbeThreads);
  body += "ld.param.b64 %d1, [p0];\nld.param.b64 %d2, [p1];\n";
  body += "mul.wide.u32 %d3, %r4, " + std::to_string(sizeof(ProbePattern)) + ";\nadd.s64 %d3, %d1, %d3;\n";
  body += "ld.global.b64 %d4, [%d3];\nld.global.b64 %d5, [%d3+8];\nld.global.b64 %d6, [%d3+16];\n";
  body += "mul.wide.u32 %d7, %r4, 8;\nadd.s64 %d7, %d2, %d7;\n";
  body += "cvt.u32.u64 %r1, %d4;\ncvt.u32.u64 %r2, %d5;\ncvt.u32.u64 %r3, %d6;\n";
  for (int64_t operation = 0; operation < kProbeOperations; ++operation) {
    const std::string code = codeOf(static_cast<ProbeOperation>(operation));
    body += code + (code.find("%d9") == std::string::npos ? "cvt.u64.u32 %d9, %r9;\n" : "");
    body += "st.global.b64 [%d7+" + std::to_string(operation * kProbePatterns * 8) + "], %d9;\n";
  }
  return kernelText(kProbe, 2, kProbeThreads, body);
}

} // namespace

std::string builtinsText() { return sumText() + probeText(); }

} // namespace windlass::test
