// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/DataSource.h"

#include "runtime/base/ParseNumber.h"
#include "runtime/training/data/SyntheticData.h"
#include "runtime/training/data/TensorData.h"
#include "runtime/training/data/TokenData.h"
#include <algorithm>
#include <cstring>

namespace windlass {

Status DataSource::split(int64_t examples, double fraction, const std::string &name,
                         const std::string &exampleWord) {
  validationExamples =
      fraction > 0 ? std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(examples) * fraction)) : 0;
  trainingExamples = examples - validationExamples;
  if (trainingExamples < 1)
    return Status::badInput(name + ": too short: it holds " + std::to_string(examples) + " " + exampleWord +
                            ", but training needs at least one and validation " +
                            std::to_string(validationExamples));
  return Status::ok();
}

void ignoreLabels(const plan::Input &input, std::span<std::byte> row) {
  const int32_t ignored = static_cast<int32_t>(input.ignored);
  for (size_t at = 0; at + sizeof ignored <= row.size(); at += sizeof ignored)
    std::memcpy(row.data() + at, &ignored, sizeof ignored);
}

int64_t rowElements(const plan::Input &input) {
  int64_t n = 1;
  for (size_t i = 1; i < input.shape.size(); ++i)
    n *= input.shape[i];
  return n;
}

Result<std::unique_ptr<DataSource>> openData(const std::string &specification, const plan::Plan &plan,
                                             const std::string &tokenType) {
  const std::string synthetic = "synthetic";
  if (specification == synthetic || specification.starts_with(synthetic + ":")) {
    uint64_t seed = 1;
    if (specification.size() > synthetic.size()) {
      const std::string_view text = std::string_view(specification).substr(synthetic.size() + 1);
      if (!parseNumber(text, seed))
        return Status(ExitCode::Usage,
                      "--data " + specification + ": the seed after \"synthetic:\" must be a whole number");
    }
    return SyntheticData::open(seed, plan);
  }
  if (specification.ends_with(".safetensors"))
    return TensorData::open(specification, plan);
  return TokenData::open(specification, tokenType, plan);
}

} // namespace windlass
