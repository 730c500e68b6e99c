// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/facts/TensorLayout.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include <cmath>

namespace windlass {
namespace {

/// Replicated work is not worth a remark below this share of the operations and of the parameters.
constexpr double kNegligibleShare = 0.05;

double share(double part, double all) { return all > 0 ? part / all : 0; }

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string flopText(double flops) {
  const std::string rate = formatRate(flops, "FLOP");
  return rate.substr(0, rate.size() - 2); // not per second
}

/// "2, 3 or 6": the numbers of ranks, above one, that divide the heads.
std::string sharingRanks(int64_t heads) {
  std::vector<int64_t> divisors;
  for (int64_t ranks = 2; ranks <= heads; ++ranks)
    if (heads % ranks == 0)
      divisors.push_back(ranks);
  std::string text;
  for (size_t i = 0; i < divisors.size(); ++i)
    text += (i == 0 ? "" : i + 1 < divisors.size() ? ", " : " or ") + std::to_string(divisors[i]);
  return text;
}

std::string headsText(int64_t heads) {
  const std::string ranks = sharingRanks(heads);
  return "attention of " + counted(heads, "head") +
         (ranks.empty() ? " can be shared out over no ranks" : " can be shared out over " + ranks + " ranks");
}

} // namespace

std::string describeReplicatedWork(const graph::ReplicatedWork &replicated, int64_t ranks) {
  const double flops = share(replicated.flops, replicated.allFlops),
               elements = share(static_cast<double>(replicated.elements),
                                static_cast<double>(replicated.allElements));
  if (flops < kNegligibleShare && elements < kNegligibleShare)
    return "";
  const std::string computes = "computes " + percent(flops) +
                               " of a forward pass's products and attention alike (" +
                               flopText(replicated.flops) + ")",
                    holds = "has " + percent(elements) + " of the parameters whole (" +
                            counted(replicated.elements, "element") + ")";
  const std::string text = "each of " + counted(ranks, "rank") + " " +
                           (flops < kNegligibleShare ? holds : computes + " and " + holds);
  return replicated.attentionHeads ? text + ": " + headsText(*replicated.attentionHeads) : text;
}

} // namespace windlass
