// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/PlacementClass.h"

#include <algorithm>

namespace windlass::plan {

std::optional<PlacementClass> placementClassOf(std::string_view text) {
  const auto found = std::ranges::find(kPlacementClasses, text);
  if (found == kPlacementClasses.end())
    return std::nullopt;
  return static_cast<PlacementClass>(found - kPlacementClasses.begin());
}

PlacementClass placedAs(StateClass state) {
  switch (state) {
  case StateClass::Parameter:
    return PlacementClass::Param;
  case StateClass::Master:
    return PlacementClass::Master;
  case StateClass::Momentum:
  case StateClass::Variance:
    return PlacementClass::Moments;
  case StateClass::Gradient:
    return PlacementClass::Grad;
  }
  return PlacementClass::Param;
}

} // namespace windlass::plan
