// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Documents.h - what a user may have printed ==========================//
//
// Duty: whole documents to start from and JSON Schemas of the files that windlass-compile reads, by the
// file's name: "model", "training", "hardware".
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace windlass {

/// A document with every key: training at its defaults, hardware with numbers to replace; empty: none of that
/// name.
std::string defaultsOf(const std::string &name);
/// As docs/schema/NAME.schema.json keeps it; empty: none of that name.
std::string schemaOf(const std::string &name);

} // namespace windlass
