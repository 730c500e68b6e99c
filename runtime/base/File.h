// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- File.h - whole files, read and written ================================//
//
// Duty: reading a file at once; writing one so that a reader sees the old file
// or the new one, never a half. Links are followed, devices and pipes stay what
// they are.
// Errors: bad input, with the path and the system's reason.
// Threads: safe for different paths.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>
#include <string_view>

namespace windlass {

Result<std::string> readFile(const std::string &path);

/// Writes beside `path`, forces the bytes to the disk, then renames.
/// On failure nothing new is left behind.
Status writeFileAtomically(const std::string &path, std::string_view bytes);

/// Whether writeFileAtomically may write to `path`, as far as can be seen without doing it.
Status checkWritable(const std::string &path);

/// The file that a rename onto `path` shall replace: where links lead. BadInput for a folder, and for what is
/// no regular file: a device or a pipe would be gone.
Result<std::string> replaceableFile(const std::string &path);

} // namespace windlass
