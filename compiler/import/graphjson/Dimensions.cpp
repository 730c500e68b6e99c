// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/Dimensions.h"

#include <charconv>

namespace windlass {
namespace {

constexpr int64_t kLargest = INT64_C(1) << 31;  ///< of one dimension
constexpr int64_t kElements = INT64_C(1) << 42; ///< of one tensor

} // namespace

Dimensions::Dimensions(JsonReader place, const TrainingOptions &training, int64_t batch) {
  for (const std::string &name : place.keys()) {
    JsonReader value = place.at(name);
    if (name.find('*') != std::string::npos)
      value.fail("a dimension's name must not hold \"*\"");
    if (!value.isText()) {
      sizes[name] = value.integer(1, kLargest);
      continue;
    }
    constexpr std::string_view words[] = {"batch", "sequence"};
    bool isSequence = value.choice(words) == 1;
    if (isSequence && training.sequence == 0)
      value.fail("is bound to the training file's \"sequence\", which is not given");
    if (!isSequence && !batchName.empty())
      value.fail("only one dimension is the batch, and \"" + batchName + "\" is");
    if (!isSequence)
      batchName = name;
    isSequenceBound = isSequenceBound || isSequence;
    sizes[name] = isSequence ? training.sequence : batch;
  }
}

int64_t Dimensions::factor(JsonReader &place, std::string_view text) const {
  if (auto found = sizes.find(text); found != sizes.end())
    return found->second;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= kLargest)
    return number;
  place.failRule("must be a product of dimensions of \"dims\" and numbers");
  return 0;
}

int64_t Dimensions::size(JsonReader place) const {
  if (!place.isText())
    return place.integer(1, kLargest);
  std::string text = place.text();
  int64_t product = 1;
  for (size_t begin = 0; begin <= text.size() && place.isOk();) {
    size_t end = std::min(text.find('*', begin), text.size());
    int64_t next = factor(place, std::string_view(text).substr(begin, end - begin));
    if (next > kLargest / product)
      place.failRule("must be at most 2^31");
    product *= place.isOk() ? next : 0;
    begin = end + 1;
  }
  return product;
}

Shape Dimensions::shape(JsonReader place, size_t leastRank) const {
  Shape shape;
  int64_t elements = 1;
  for (size_t i = 0; i < place.size() && place.isOk(); ++i) {
    shape.push_back(size(place.at(i)));
    if (place.isOk() && shape.back() > kElements / elements)
      place.fail("must have at most 2^42 elements");
    elements *= place.isOk() ? shape.back() : 0;
  }
  if (place.isOk() && (shape.size() < leastRank || shape.size() > 6))
    place.fail("must have " + std::to_string(leastRank) + " to 6 dimensions, has " +
               std::to_string(shape.size()));
  return shape;
}

bool Dimensions::isBatch(JsonReader place) const {
  return place.isText() && !batchName.empty() && place.text() == batchName;
}

std::optional<int64_t> Dimensions::batch() const {
  auto found = sizes.find(batchName);
  return batchName.empty() ? std::nullopt : std::optional(found->second);
}

} // namespace windlass
