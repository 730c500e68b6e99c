// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Safetensors.h - named tensors in one file =============================//
//
// Duty: reads and writes .safetensors, streaming: tensors are read and written
// by byte range, so no tensor is ever whole in memory.
// Format: u64 little-endian header length, a JSON header padded with spaces to
// 8 bytes, then one gap-free little-endian buffer; docs: huggingface/safetensors.
// Errors: a file that breaks the format is BadInput naming file, tensor and rule;
// hostile files never crash. Failing reads and writes are RunFailed.
// Threads: a const reader may be used by many; a writer has one owner.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include "runtime/base/Hash.h"
#include "runtime/base/Status.h"
#include <map>
#include <string>
#include <vector>

namespace windlass {

struct TensorEntry {
  std::string name;
  std::string type; ///< "F32", "BF16", "I64", ...
  std::vector<int64_t> shape;
  int64_t begin = 0, bytes = 0; ///< within the buffer; the writer computes them

  int64_t elements() const {
    int64_t n = 1;
    for (int64_t extent : shape)
      n *= extent;
    return n;
  }
};

/// Bytes of an element of a safetensors type; 0 if there is no such type.
int64_t tensorTypeBytes(const std::string &type);
std::string formatShape(const std::vector<int64_t> &shape); ///< "[3, 4]"
/// The order in which a writer lays tensors out: by descending element size, then name.
bool standsBefore(const TensorEntry &a, const TensorEntry &b);

class SafetensorsReader {
public:
  static Result<SafetensorsReader> open(const std::string &path);

  /// Null if there is none.
  const TensorEntry *find(const std::string &name) const;
  const std::map<std::string, TensorEntry> &tensors() const { return entries; }
  const std::map<std::string, std::string> &metadata() const { return notes; }
  const std::string &path() const { return file.path(); }
  /// Where a tensor begins in the file.
  int64_t placeOf(const TensorEntry &entry) const { return bufferStart + entry.begin; }
  const File &bytes() const { return file; }
  /// Bytes [at, at + out.size()) of a tensor.
  Status read(const TensorEntry &entry, int64_t at, std::span<std::byte> out) const {
    return file.readAt(placeOf(entry) + at, out);
  }

private:
  explicit SafetensorsReader(File file) : file(std::move(file)) {}
  File file;
  int64_t bufferStart = 0;
  std::map<std::string, TensorEntry> entries;
  std::map<std::string, std::string> notes;
};

class SafetensorsWriter {
public:
  /// Reserves the whole file and writes its header. The metadata always say "format": "pt", which
  /// transformers asks for.
  static Result<SafetensorsWriter> create(const std::string &path, std::vector<TensorEntry> tensors,
                                          const std::map<std::string, std::string> &metadata = {});

  /// For each of those processes that write a file together, once it was created. Only what was written here
  /// is known here: nothing is read back, and there is no hash.
  static Result<SafetensorsWriter> join(const std::string &path, std::vector<TensorEntry> tensors,
                                        const std::map<std::string, std::string> &metadata = {});

  /// In file order.
  const std::vector<TensorEntry> &tensors() const { return entries; }
  Status write(const TensorEntry &entry, int64_t at, std::span<const std::byte> in);
  /// Called when a tensor, and all before it, are complete. Parts that were written out of order are read
  /// back here for the hash, soon after they were written.
  Status seal(const TensorEntry &entry);
  /// Syncs the file, of which all is written.
  Status finish();
  /// Syncs what was written of it here.
  Status sync() { return file.sync(); }
  const std::string &path() const { return file.path(); }
  /// Of the whole file, once it is finished.
  std::string hash() const { return hashed.hash(); }

private:
  explicit SafetensorsWriter(File file) : file(std::move(file)) {}
  std::string layOut(std::vector<TensorEntry> tensors, const std::map<std::string, std::string> &metadata);
  Status append(std::span<const std::byte> in);
  Status hashUpTo(int64_t end);

  File file;
  HashStream hashed;       ///< of what was written in the order of the file,
  int64_t hashedBytes = 0; ///< so far
  int64_t bufferStart = 0;
  std::vector<TensorEntry> entries;
};

} // namespace windlass
