// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Documents.h - default documents and schemas of input files ============//
//
// Duty: default documents and JSON Schemas of the files that windlass-compile reads, by name: "model",
// "training", "hardware". Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace windlass {

/// A document with every key: "training" with its defaults, "hardware" with numbers to replace. Empty for
/// other names.
std::string defaultsOf(const std::string &name);
/// The schema in docs/schema/NAME.schema.json; empty for other names.
std::string schemaOf(const std::string &name);

} // namespace windlass
