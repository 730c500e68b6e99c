// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/PlacementClass.h"

namespace windlass::plan {

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
