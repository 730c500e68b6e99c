// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DataSource.h - examples, by number ====================================//
//
// Duty: what `--data` names: files of text (bytes as tokens) or of tokens, one
// .safetensors file, or synthetic examples; split into a training part and, at
// its end, a validation part.
// Errors: at the opening everything that can be known is checked and is
// BadInput: missing or too short data, values outside [0, Input::bound).
// Threads: read() may be called by many at once; it allocates nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <memory>
#include <span>
#include <string>

namespace windlass {

class DataSource {
public:
  virtual ~DataSource() = default;

  /// Examples [0, training()) train; the next validation() of them validate.
  int64_t training() const { return trainingExamples; }
  int64_t validation() const { return validationExamples; }
  /// "text, 237,320 bytes in 14 files", for people.
  const std::string &description() const { return text; }
  /// Differs where the examples do, as far as Fingerprint.h can see.
  const std::string &fingerprint() const { return fingerprintText; }

  /// One example of one input: fills all of `out`, which is one row of the input.
  virtual Status read(const plan::Input &input, int64_t example, std::span<std::byte> out) const = 0;

protected:
  /// Holds the last `fraction` back (at least one example, if any); fails if none is left to train.
  Status split(int64_t examples, double fraction, const std::string &name, const std::string &exampleWord);
  std::string text, fingerprintText;

private:
  int64_t trainingExamples = 0, validationExamples = 0;
};

/// `specification`: a path, a pattern, "synthetic" or "synthetic:SEED"; `tokenType`: of tokens in files that
/// do not say it (TokenFile.h).
Result<std::unique_ptr<DataSource>> openData(const std::string &specification, const plan::Plan &plan,
                                             const std::string &tokenType = "");

/// Elements of one example of an input.
int64_t rowElements(const plan::Input &input);
/// Whether those of the values that are not ignored are counted.
inline bool isCounted(const plan::Input &input) {
  return input.role == plan::InputRole::Labels || input.role == plan::InputRole::Classes;
}
/// Whether a label is the token after the one at its place; a model whose labels begin later shifts them
/// itself.
inline bool isNextToken(const plan::Input &input) {
  return input.role == plan::InputRole::Labels && input.first == 0;
}
/// Whether values may be ignored.
inline bool holdsLabels(const plan::Input &input) {
  return isCounted(input) || input.role == plan::InputRole::OtherLabels;
}
/// Makes every value of a row of labels the ignored one.
void ignoreLabels(const plan::Input &input, std::span<std::byte> row);

} // namespace windlass
