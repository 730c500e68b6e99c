// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/wire/Packing.h"

namespace windlass {

Packing &Packing::addText(std::string_view text) {
  add(static_cast<uint64_t>(text.size()));
  bytes.append(text);
  return *this;
}

std::string_view Unpacking::next(size_t bytes) {
  ranOut |= bytes > rest.size();
  const std::string_view taken = ranOut ? std::string_view() : rest.substr(0, bytes);
  rest.remove_prefix(taken.size());
  return taken;
}

std::string_view Unpacking::getText() { return next(static_cast<size_t>(get<uint64_t>())); }

std::string packTexts(std::span<const std::string> texts) {
  Packing packing;
  for (const std::string &text : texts)
    packing.addText(text);
  return packing.take();
}

std::vector<std::string> unpackTexts(std::string_view bytes) {
  std::vector<std::string> texts;
  for (Unpacking unpacking(bytes); !unpacking.isAtEnd() && unpacking.isWhole();)
    texts.emplace_back(unpacking.getText());
  return texts;
}

} // namespace windlass
