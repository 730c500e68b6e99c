// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TokenData.h - files of tokens as windows ==============================//
//
// Duty: all tokens of some files, in the order of their names, as one long list;
// example i is the window of sequence + 1 tokens at i * (sequence + 1), tokens
// its first ones, labels the same shifted by one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/data/DataSource.h"
#include "runtime/training/data/TokenFile.h"
#include <vector>

namespace windlass {

class TokenData final : public DataSource {
public:
  /// `type`: see TokenFile.
  static Result<std::unique_ptr<DataSource>> open(const std::string &specification, const std::string &type,
                                                  const plan::Plan &plan);
  Status read(const plan::Input &input, int64_t example, std::span<std::byte> out) const override;

private:
  struct Part {
    TokenFile file;
    int64_t begin = 0; ///< of the file's tokens within the whole list
  };
  Status readInputs(const std::string &specification, const plan::Plan &plan);
  Status openParts(const std::string &specification, const std::vector<std::string> &files,
                   const std::string &type);
  Status checkVocabulary() const;

  std::vector<Part> parts;
  int64_t tokens = 0, window = 0, bound = INT32_MAX;
};

} // namespace windlass
