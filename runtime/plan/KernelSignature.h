// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelSignature.h - what code takes, said beside the code =============//
//
// Duty: a kernel's number, range and operands in a line of text, which the compiler puts into the file of
// generated kernels and the runtime compares with the plan's, so that no code is called with operands that it
// was not made for, nor in the place of other code with the same. The file exports the table as the
// zero-terminated text `kSignatureTable`: a line per kernel, its symbol, a space and its signature. Threads:
// pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Kernel.h"
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace windlass::plan {

inline constexpr const char *kSignatureTable = "windlass_kernel_signatures";

/// "kernel 3, range 128: r 4096, w 8192": its number in the plan, the extent of its range, then access and
/// bytes of every operand (0: cut to the range).
std::string signatureOf(std::span<const Kernel> kernels, size_t number);

/// The table of the generated ones among `kernels`.
std::string signatureTable(std::span<const Kernel> kernels);
/// Signatures by symbol, as a table has them; lines without a space are left out.
std::map<std::string, std::string, std::less<>> readSignatures(std::string_view table);

} // namespace windlass::plan
