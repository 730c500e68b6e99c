// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TokenFile.h - one file of tokens ======================================//
//
// Duty: a file as a list of whole numbers: text as bytes, llm.c's .bin (a header of
// 1,024 bytes that says how many), nanoGPT's .bin (none at all), or .npy.
// Format: the ending says which; a .bin that begins with a magic number of llm.c is one.
// Errors: BadInput naming the file where it is none of these (ForeignFile.h), and the place of a token
// outside the vocabulary. Threads: read() may be called by many at once; it allocates nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include <string>

namespace windlass {

class TokenFile {
public:
  /// `type`: of the tokens of a .bin without a header ("u8", "u16", "u32"); empty: u16.
  static Result<TokenFile> open(const std::string &path, const std::string &type);

  int64_t tokens() const { return count; }
  /// Tokens of one row, where the file has rows; 0: it is one long list.
  int64_t rowTokens() const { return row; }
  bool isText() const { return text; }
  const std::string &path() const { return file.path(); }

  /// Tokens [first, ...); each must be in [0, bound).
  Status read(int64_t first, int64_t bound, std::span<int32_t> out) const;

private:
  explicit TokenFile(File file) : file(std::move(file)) {}
  Status readText();
  Status readHeader(const std::string &type, int64_t bytes);
  Status readNpy(int64_t bytes);
  Status countTokens(int64_t bytes);

  File file;
  int64_t begin = 0, count = 0, row = 0;
  int64_t width = 1; ///< bytes of a token
  bool isSigned = false, text = false;
};

} // namespace windlass
