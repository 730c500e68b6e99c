// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What most tests read; precompiled, never included by hand.
#pragma GCC system_header
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <thread>
