// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/Fingerprint.h"

#include "runtime/base/DurableFile.h"
#include "runtime/base/Hash.h"
#include <algorithm>

namespace windlass {
namespace {

constexpr int64_t kMostAtAnEnd = 1 << 20, kLeastAtAnEnd = 1 << 12, kMostOfAll = 256 << 20; // bytes

} // namespace

Result<std::string> fingerprintOf(std::span<const std::string> paths) {
  const int64_t atAnEnd =
      std::clamp(kMostOfAll / std::max<int64_t>(2 * std::ssize(paths), 1), kLeastAtAnEnd, kMostAtAnEnd);
  std::string seen;
  for (const std::string &path : paths) {
    Result<File> file = File::openForReading(path);
    if (!file)
      return Status::badInput(file.status().message());
    Result<int64_t> size = file->size();
    if (!size)
      return Status::badInput(size.status().message());
    std::string end(static_cast<size_t>(std::min(*size, atAnEnd)), '\0');
    seen += std::to_string(*size);
    for (int64_t at : {int64_t{0}, *size - std::ssize(end)}) {
      if (const Status read = file->readAt(at, std::as_writable_bytes(std::span(end))); !read)
        return Status::badInput(read.message());
      seen += " " + hashOfBytes(end);
    }
    seen += "\n";
  }
  return hashOfBytes(seen);
}

} // namespace windlass
