// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/ProductBound.h"
#include "runtime/kernels/ReferenceMatmul.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace windlass;

namespace {

class ProductBound : public testing::Test {
protected:
  ProductBound() {
    spec.m = 5, spec.n = 7, spec.k = 1000;
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::ranges::generate(a, [&] { return normal(random); });
    std::ranges::generate(b, [&] { return normal(random); });
    referenceMatmul(spec, a.data(), b.data(), exact.data());
  }
  Status check(const std::vector<float> &found) {
    void *operands[] = {a.data(), b.data(), nullptr};
    return checkProductBound(spec, operands, exact.data(), found.data());
  }
  /// The sums in f32, from the first product to the last, or backwards.
  std::vector<float> summed(bool backwards) const {
    std::vector<float> c(exact.size());
    for (size_t row = 0; row < 5; ++row)
      for (size_t column = 0; column < 7; ++column)
        for (size_t i = 0; i < 1000; ++i) {
          const size_t k = backwards ? 999 - i : i;
          c[row * 7 + column] += a[row * 1000 + k] * b[k * 7 + column];
        }
    return c;
  }

  plan::MatmulSpec spec;
  std::vector<float> a = std::vector<float>(5 * 1000), b = std::vector<float>(1000 * 7),
                     exact = std::vector<float>(5 * 7);
};

TEST_F(ProductBound, anyOrderOfSumsIsWithin) {
  for (bool backwards : {false, true}) {
    EXPECT_NE(summed(backwards), exact) << "an order that rounds nothing shows nothing";
    const Status status = check(summed(backwards));
    EXPECT_TRUE(status) << status.message();
  }
}

TEST_F(ProductBound, aProductLeftOutIsNot) {
  std::vector<float> found = exact;
  found[9] -= a[1 * 1000 + 17] * b[17 * 7 + 2];
  EXPECT_NE(check(found).message().find("element 9 is"), std::string::npos) << check(found).message();
}

/// Bytes between rows are no part of the product.
TEST_F(ProductBound, whatLiesBetweenRowsIsNotLookedAt) {
  spec.pitchC = 9;
  std::vector<float> apart(5 * 9, 1);
  for (size_t i = 0; i < exact.size(); ++i)
    apart[i / 7 * 9 + i % 7] = exact[i];
  exact = apart;
  apart[7] = 1e9f;
  EXPECT_TRUE(check(apart));
  apart[9] += 1;
  EXPECT_NE(check(apart).message().find("element 9 is"), std::string::npos) << check(apart).message();
}

TEST_F(ProductBound, noNumberIsNot) {
  std::vector<float> found = exact;
  found[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check(found));
}

} // namespace
