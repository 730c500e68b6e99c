//===- Hash.h - XXH3-128 of bytes and of files ============================//
//
// Duty: the one fingerprint of the house: kernel files, numerics records, plans.
// It finds accidents, not attackers.
// Units: 32 lower-case hexadecimal digits, high half first.
// Memory: a file goes through a buffer of 4 MiB.
// Errors: a file that cannot be read is bad input.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>
#include <string_view>

namespace windlass {

std::string hashOfBytes(std::string_view bytes);
Result<std::string> hashOfFile(const std::string &path);

} // namespace windlass
