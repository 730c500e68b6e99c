// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DiskRates.h - the disk's time for bytes and for requests ==============//
//
// Duty: tells the time that a disk takes for bytes from the time that it takes for each request, by the rates
// of requests of two sizes. The model adds both (model/Machine.h), so that the rates of a hardware file are
// those of bytes alone. Units: bytes, per second, seconds. Threads: pure function. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

struct DiskRates {
  double read = 0, write = 0;
  double both = 0; ///< of reads and writes at the same time, their sum
};

/// What was measured: large requests in each way, and reads in small ones.
struct MeasuredDisk {
  DiskRates large;
  double smallRead = 0;
  int64_t largeBytes = 1, smallBytes = 0; ///< of a request
};

struct DiskCost {
  DiskRates rates;           ///< of bytes, without the time of requests
  double requestSeconds = 0; ///< of each request, either way
};

/// A request of n bytes takes n / rate + requestSeconds. `both` keeps its relation to the other rates: how
/// much reads and writes slow each other. Requests take no time if small reads are as fast as large ones, and
/// at most nine tenths of that of large ones, as rates are noise beyond.
DiskCost splitRequests(const MeasuredDisk &disk);

} // namespace windlass
