// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Version.h - the version of Windlass ===================================//
//
// Duty: the version, which CMakeLists.txt defines, and the text that every tool prints for --version.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace windlass {

/// The version, as "0.2.0".
std::string_view version();

/// The text of --version, as "windlass-run 0.2.0, plan format 4". Plans of other formats are refused.
std::string versionOf(std::string_view tool);

} // namespace windlass
