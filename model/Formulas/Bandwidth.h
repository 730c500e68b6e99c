// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bandwidth.h - formulas of bandwidth and efficiency ====================//
//
// Duty: INF Section 4: computation (Eq. 7, 8), arithmetic intensities (Eq. 9-11)
// and the efficiency of computing at a peak while data moves at a bandwidth, nothing
// overlapped (Eq. 6).
// Units: floating-point operations (FLOP), FLOP per byte, bytes and FLOP per second;
// a batch is in sequences.
// Errors, threads: Transformer.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Formulas/Transformer.h"

namespace windlass::model {

/// INF Eq. 6: the part of the time that is computing, 0 to 1.
double efficiency(double intensity, double bandwidth, double peak);
/// INF Eq. 6 solved for the bandwidth; `efficiency` is below 1.
double bandwidthFor(double efficiency, double intensity, double peak);

/// INF Eq. 7: forward (2 FLOP a parameter and token), recomputation (2) and backward pass (4).
double computationPerIteration(double parameters, int64_t sequence, int64_t batch);
/// INF Eq. 8: the same with the parameters of Eq. 1.
double computationPerIteration(const Transformer &model, int64_t batch);

/// INF Eq. 9: parameters are read three times, gradients written once, in 2 bytes.
double intensityOfParametersAndGradients(int64_t sequence, int64_t batch);
/// INF Eq. 10: 16 bytes of optimizer states a parameter are read and written once.
double intensityOfOptimizerStates(int64_t sequence, int64_t batch);
/// INF Eq. 11: the checkpoints of Eq. 3 are written and read once.
double intensityOfCheckpoints(int64_t hidden, int64_t every);

} // namespace windlass::model
