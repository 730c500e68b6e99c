// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Hash.h"
#include "runtime/base/DurableFile.h"

// Forced inlining under a sanitizer keeps the compiler busy for many minutes.
#define XXH_NO_INLINE_HINTS 1
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace windlass {

namespace {

constexpr int64_t kReadAtOnce = 4 << 20; ///< bytes: a file may be larger than memory

std::string inHex(XXH128_hash_t hash) {
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

} // namespace

std::string hashOfBytes(std::string_view bytes) { return inHex(XXH3_128bits(bytes.data(), bytes.size())); }

Result<std::string> hashOfFile(const std::string &path) {
  Result<File> file = File::openForReading(path);
  if (!file)
    return Status::badInput(file.status().message());
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    return Status::badInput(path + ": not a regular file");
  Result<int64_t> size = file->size();
  if (!size)
    return Status::badInput(size.status().message());
  HashStream stream;
  std::vector<std::byte> buffer(static_cast<size_t>(std::min<int64_t>(*size, kReadAtOnce)));
  for (int64_t at = 0; at < *size; at += kReadAtOnce) {
    const std::span chunk(buffer.data(), static_cast<size_t>(std::min<int64_t>(*size - at, kReadAtOnce)));
    if (Status read = file->readAt(at, chunk); !read)
      return Status::badInput(read.message());
    stream.add(chunk);
  }
  return stream.hash();
}

struct HashStream::State {
  XXH3_state_t inner;
};

HashStream::HashStream() : state(std::make_unique<State>()) { XXH3_128bits_reset(&state->inner); }
HashStream::HashStream(HashStream &&) noexcept = default;
HashStream::~HashStream() = default;

void HashStream::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state->inner, bytes.data(), bytes.size());
}

std::string HashStream::hash() const { return inHex(XXH3_128bits_digest(&state->inner)); }

} // namespace windlass
