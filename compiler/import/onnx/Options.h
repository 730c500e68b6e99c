// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Options.h - the user's options for an ONNX model ======================//
//
// Duty: what a user says of an ONNX model beside its file. Other models take none of these options.
// Ownership: values. Errors: none; import refuses what does not suit the file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace windlass {

/// The flags of windlass-compile that an ONNX file may need; other models take none of them.
struct OnnxOptions {
  std::map<std::string, int64_t> dims; ///< named dimensions of inputs
  std::vector<std::string> losses;     ///< as LossSpec.h reads them; empty: in the graph
  std::string logits, labels;          ///< the values one loss is taken of; empty: as it says
  bool tie = true;                     ///< join nameless matrices with the parameters that they copy
  std::vector<std::pair<std::string, std::string>> ties; ///< parameters that are one, by the user
  std::map<std::string, int64_t> padding; ///< rows that get no gradient from being looked up, by their tables
  std::string batchNorm;                  ///< "train" or "frozen"; empty: as the file has it
  bool unbiased = false;                  ///< running variances as PyTorch defines them, not as ONNX does
  bool acceptFolded = false;              ///< train layers that batch norms were folded into

  /// The first of the flags that is given; null: none.
  const char *firstGiven() const {
    const std::pair<const char *, bool> flags[] = {{"--dim", !dims.empty()},
                                                   {"--loss", !losses.empty()},
                                                   {"--logits", !logits.empty()},
                                                   {"--labels", !labels.empty()},
                                                   {"--tie", !tie || !ties.empty()},
                                                   {"--padding", !padding.empty()},
                                                   {"--batch-norm", !batchNorm.empty()},
                                                   {"--bn-stats", unbiased},
                                                   {"--accept-folded", acceptFolded}};
    for (const auto &[flag, isGiven] : flags)
      if (isGiven)
        return flag;
    return nullptr;
  }
};

} // namespace windlass
