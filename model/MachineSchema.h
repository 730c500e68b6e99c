// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MachineSchema.h - the hardware file, described ========================//
//
// Duty: the form of "windlass.hardware/1" for editors and for people who begin one.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace windlass::model {

/// A whole hardware file to fill in, as docs/hardware.md shows it.
std::string hardwareTemplate();
/// The file's JSON Schema, as docs/schema/hardware.schema.json keeps it.
std::string hardwareSchema();

} // namespace windlass::model
