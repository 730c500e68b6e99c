// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/RateOrigins.h"

#include <utility>

namespace windlass::model {

std::string originsText(const Machine &machine) {
  int measured = 0, sourced = 0, declared = 0;
  for (size_t i = 0; i < kRates; ++i) {
    const auto id = static_cast<RateId>(i);
    if (machine.rates[i].perSecond <= 0)
      continue;
    const std::string source = machine.sourceOf(id);
    ++(machine.rate(id).measured ? measured : source == "declared" ? declared : sourced);
  }
  const std::pair<int, const char *> kinds[] = {
      {measured, " measured"}, {sourced, " with a source"}, {declared, " declared"}};
  if (sourced == 0 && (measured == 0 || declared == 0))
    return declared > 0 ? "declared rates" : "measured rates";
  std::string text;
  for (const auto &[count, kind] : kinds)
    if (count > 0)
      text += (text.empty() ? "rates: " : ", ") + std::to_string(count) + kind;
  return text;
}

} // namespace windlass::model
