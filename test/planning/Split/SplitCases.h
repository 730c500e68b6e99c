// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitCases.h - split problems of the tests ============================//
//
// Duty: the text of a split problem, written by hand: an MLP of two linear layers between whole values.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass::planning {

/// Two ranks. x has 4 rows of 8 columns; the hidden layer has 32 columns. A weight of 256 elements costs
/// 16384 if it is whole.
inline constexpr char kMlp[] = R"(value x elements=32
value w1 elements=256 parameter=1
value w2 elements=256 parameter=1
value f elements=128
value g elements=128
value y elements=32
op enter reads= makes=0
way whole reads= makes=whole not_shared=0 moved=0
op w1 reads= makes=1
way whole reads= makes=whole not_shared=16384 moved=0
way rows reads= makes=split:256:128 not_shared=8192 moved=0
way columns reads= makes=split:32:16 not_shared=8192 moved=0
op w2 reads= makes=2
way whole reads= makes=whole not_shared=16384 moved=0
way rows reads= makes=split:256:128 not_shared=8192 moved=0
way columns reads= makes=split:8:4 not_shared=8192 moved=0
op fc reads=0,1 makes=3
way whole reads=whole,whole makes=whole not_shared=32 moved=0
way n reads=varied,split:32:16 makes=split:32:16 not_shared=16 moved=0
way k reads=split:8:4,split:256:128 makes=terms not_shared=16 moved=0
op gelu reads=3 makes=4
way whole reads=whole makes=whole not_shared=20 moved=0
way columns reads=split:32:16 makes=split:32:16 not_shared=10 moved=0
op proj reads=4,2 makes=5
way whole reads=whole,whole makes=whole not_shared=32 moved=0
way n reads=varied,split:8:4 makes=split:8:4 not_shared=16 moved=0
way k reads=split:32:16,split:256:128 makes=terms not_shared=16 moved=0
op leave reads=5 makes=
way whole reads=whole makes= not_shared=0 moved=0
)";

} // namespace windlass::planning
