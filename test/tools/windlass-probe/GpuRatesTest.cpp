// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulated GPU whose clock advances with each call by the time of the work that is enqueued.
#include "tools/windlass-probe/GpuRates.h"

#include "test/support/cuda/SimPtxCode.h"
#include "test/support/cuda/blaslt/SimBlasLt.h"
#include "test/support/cuda/driver/SimDriver.h"
#include <gtest/gtest.h>
#include <map>

using namespace windlass;
using namespace windlass::test;
using cuda::CuAddress;
using cuda::CuResult;
using cuda::CuStream;
using model::RateId;

namespace {

constexpr double kUpload = 20e9, kOffload = 10e9, kMemory = 1e12; ///< bytes per second
constexpr double kEach = 2e-6;                                    ///< seconds of enqueuing
constexpr double kProduct = 1e-3;                                 ///< seconds of any product

double now = 0;
cuda::Driver simulated;
cuda::BlasLt library;

/// The simulated driver, whose calls advance the clock.
cuda::Driver timedDriver() {
  simulated = SimDriver::table();
  cuda::Driver timed = simulated;
  timed.enqueueUpload = [](CuAddress to, const void *from, size_t bytes, CuStream stream) {
    now += kEach + static_cast<double>(bytes) / kUpload;
    return simulated.enqueueUpload(to, from, bytes, stream);
  };
  timed.enqueueOffload = [](void *to, CuAddress from, size_t bytes, CuStream stream) {
    now += kEach + static_cast<double>(bytes) / kOffload;
    return simulated.enqueueOffload(to, from, bytes, stream);
  };
  timed.enqueueCopy = [](CuAddress to, CuAddress from, size_t bytes, CuStream stream) {
    now += kEach + 2 * static_cast<double>(bytes) / kMemory;
    return simulated.enqueueCopy(to, from, bytes, stream);
  };
  timed.launch = [](auto... arguments) {
    now += kEach;
    return simulated.launch(arguments...);
  };
  return timed;
}

cuda::BlasLt timedLibrary() {
  library = SimBlasLt::table();
  cuda::BlasLt timed = library;
  timed.multiply = [](auto... arguments) {
    now += kProduct;
    return library.multiply(arguments...);
  };
  return timed;
}

class GpuRates : public testing::Test {
protected:
  GpuRates() : sim(options()) {}
  static SimOptions options() {
    SimOptions options;
    options.loader = ptxLoader(1);
    return options;
  }
  Result<ProbeReport> probe(const Result<cuda::BlasLt> &products) {
    ProbeReport report;
    const Status status = probeGpu(
        {cuda::Context::create(timedDriver()).take(), products, 4 * kProduct, [] { return now; }}, report);
    EXPECT_EQ(sim.leftovers(), "");
    for (const SimViolation &each : sim.violations())
      ADD_FAILURE() << nameOf(each.rule) << ": " << each.what;
    return status ? Result<ProbeReport>(report) : status;
  }
  SimDriver sim;
};

TEST_F(GpuRates, areThoseOfTheDevice) {
  const Result<ProbeReport> report = probe(timedLibrary());
  ASSERT_TRUE(report) << report.status().message();
  std::map<RateId, double> found;
  for (const ProbeFinding &finding : report->findings)
    found[finding.id] = finding.perSecond;
  EXPECT_NEAR(found.at(RateId::CgIn), kUpload, 0.1 * kUpload);
  EXPECT_LT(found.at(RateId::CgIn), kUpload) << "enqueuing is a part of it";
  EXPECT_NEAR(found.at(RateId::CgOut), kOffload, 0.1 * kOffload);
  EXPECT_NEAR(found.at(RateId::DeviceBandwidth), kMemory, 0.1 * kMemory);
  // The first size takes all of the time for products.
  for (RateId product : {RateId::MatmulF32, RateId::MatmulBF16, RateId::MatmulF16})
    EXPECT_NEAR(found.at(product), 2.0 * 128 * 128 * 128 / kProduct, 1) << model::ratePath(product);
  ASSERT_EQ(report->latencies.size(), 2u);
  EXPECT_EQ(report->latencies[0].path, "device.launch_overhead");
  EXPECT_NEAR(report->latencies[0].seconds, kEach, 1e-9);
  EXPECT_EQ(report->latencies[1].path, "links.cg.latency");
  EXPECT_NEAR(report->latencies[1].seconds, kEach, 1e-7);
  EXPECT_EQ(report->library, "cuBLASLt 13.1.0");
  EXPECT_EQ(SimBlasLt::leftovers(), "");
}

TEST_F(GpuRates, productsAreLeftOutWithoutTheLibrary) {
  const Result<ProbeReport> report = probe(Status::cannotFit("no libcublasLt.so"));
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(report->notices.front(), "matmuls not measured: no libcublasLt.so");
  for (const ProbeFinding &finding : report->findings)
    EXPECT_NE(finding.id, RateId::MatmulF32);
}

} // namespace
