// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Version.h - which Windlass this is ===================================//
//
// Duty: the version, which stands in CMakeLists.txt alone, and what every tool prints for --version.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace windlass {

/// "0.2.0"
std::string_view version();

/// "windlass-run 0.2.0, plan format 4": of plans, an older or newer format is refused.
std::string versionOf(std::string_view tool);

} // namespace windlass
