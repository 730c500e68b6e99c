// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What many rooms without MLIR read; precompiled by clang, never included by hand.
#pragma GCC system_header
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
