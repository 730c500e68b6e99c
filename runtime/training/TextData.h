//===- TextData.h - text files as byte tokens ==============================//
//
// Duty: all bytes of a file, or of a folder's files sorted by name, as one long
// text; example i is the window of sequence + 1 bytes at i * (sequence + 1),
// tokens its first bytes, labels the same shifted by one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/DataSource.h"
#include "runtime/training/DurableFile.h"
#include <vector>

namespace windlass {

class TextData final : public DataSource {
public:
  static Result<std::unique_ptr<DataSource>> open(const std::string &path, const plan::Plan &plan);
  Status read(const plan::Input &input, int64_t example, std::span<std::byte> out) const override;

private:
  struct Part {
    File file;
    int64_t begin = 0, bytes = 0; ///< within the whole text
  };
  Status openParts(const std::string &path);
  Status checkVocabulary(int64_t bound) const;
  Status readBytes(int64_t at, std::span<std::byte> out) const;

  std::vector<Part> parts;
  int64_t bytes = 0, window = 0;
};

} // namespace windlass
