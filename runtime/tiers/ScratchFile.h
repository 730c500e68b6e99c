// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScratchFile.h - a file that dies with its process =====================//
//
// Duty: the bytes of the NVMe tier of one rank: a file without a name, its
// space reserved before the run, past the page cache where the file system
// allows. Ownership: closes itself. Threads: the descriptor may be shared.
// Errors: RunFailed naming the folder and the bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DiskBlock.h"
#include "runtime/base/Status.h"
#include <cstdint>
#include <string>

namespace windlass {

class ScratchFile {
public:
  static constexpr int64_t kAlignment = kDiskSectorBytes; ///< of offsets, sizes and memory

  static Result<ScratchFile> create(const std::string &folder, int64_t bytes, bool direct);

  ScratchFile() = default;
  ScratchFile(ScratchFile &&other) noexcept;
  ScratchFile &operator=(ScratchFile &&other) noexcept;
  ~ScratchFile();

  int descriptor() const { return fd; }
  int64_t size() const { return bytes; }
  /// False where O_DIRECT was not asked for or not granted.
  bool isDirect() const { return direct; }

private:
  int fd = -1;
  int64_t bytes = 0;
  bool direct = false;
};

} // namespace windlass
