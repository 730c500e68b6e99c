// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and pooling, compared with loops over windows.
#include "test/compiler/import/graphjson/GraphJsonCases.h"
#include <algorithm>
#include <limits>

namespace windlass::test {
namespace {

/// An image of 2 x 4 x 5 x 6, which is 0 outside.
struct Image {
  const Numbers &data;
  bool isInside(int i, int j) const { return i >= 0 && i < 5 && j >= 0 && j < 6; }
  double at(int n, int c, int i, int j) const {
    return isInside(i, j) ? data[((n * 4 + c) * 5 + i) * 6 + j] : 0;
  }
};

/// 6 outputs in 2 groups. The window of 3 x 2 has strides of 2 and 1, dilations of 1 and 2, and padding on
/// three sides.
Case convolution() {
  Case tested;
  tested.name = "conv";
  tested.params = {{"x", {2, 4, 5, 6}}, {"w", {6, 2, 3, 2}}, {"b", {6}}};
  tested.shape = {2, 6, 3, 5};
  tested.ops = {{{"op", "conv"},
                 {"in", {"x", "w", "b"}},
                 {"strides", {2, 1}},
                 {"pads", {1, 0, 1, 1}},
                 {"dilations", {1, 2}},
                 {"groups", 2},
                 {"out", "z"}}};
  tested.expected = [](auto &states) {
    Image x{states["x"].data};
    Numbers z;
    for (int n = 0; n < 2; ++n)
      for (int o = 0; o < 6; ++o)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 5; ++j) {
            double sum = states["b"].data[o];
            for (int c = 0; c < 2; ++c)
              for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 2; ++l)
                  sum += states["w"].data[((o * 2 + c) * 3 + k) * 2 + l] *
                         x.at(n, o / 3 * 2 + c, i * 2 + k - 1, j + 2 * l);
            z.push_back(sum);
          }
    return z;
  };
  return tested;
}

/// Every element of an image of 3 x 2 adds its product with a window of 3 x 2 to the result.
Case transposedConvolution() {
  Case tested;
  tested.name = "conv_transpose";
  tested.params = {{"x", {2, 4, 3, 2}}, {"w", {4, 3, 3, 2}}, {"b", {6}}};
  tested.shape = {2, 6, 7, 3};
  tested.ops = {{{"op", "conv_transpose"},
                 {"in", {"x", "w", "b"}},
                 {"strides", {2, 1}},
                 {"pads", {1, 0, 0, 1}},
                 {"dilations", {1, 2}},
                 {"output_padding", {1, 0}},
                 {"groups", 2},
                 {"out", "z"}}};
  tested.expected = [](auto &states) {
    const Numbers &x = states["x"].data, &w = states["w"].data, &b = states["b"].data;
    Numbers z(2 * 6 * 7 * 3);
    for (size_t i = 0; i < z.size(); ++i)
      z[i] = b[i / (7 * 3) % 6];
    for (int n = 0; n < 2; ++n)
      for (int c = 0; c < 4; ++c)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 2; ++j)
            for (int o = 0; o < 3; ++o)
              for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 2; ++l) {
                  const int row = 2 * i + k - 1, column = j + 2 * l;
                  if (row >= 0 && row < 7 && column < 3)
                    z[((n * 6 + c / 2 * 3 + o) * 7 + row) * 3 + column] +=
                        x[((n * 4 + c) * 3 + i) * 2 + j] * w[((c * 3 + o) * 3 + k) * 2 + l];
                }
    return z;
  };
  return tested;
}

/// Windows of 3 x 2 with strides of 2, and a row of padding before the image.
Case pool(const std::string &name, const json &keys,
          const std::function<double(double sum, double most, int inside)> &formula) {
  Case tested;
  tested.name = name;
  tested.params = {{"x", {2, 4, 5, 6}}};
  tested.shape = {2, 4, 2, 3};
  json op = {{"op", name},        {"in", {"x"}},          {"kernel", {3, 2}},
             {"strides", {2, 2}}, {"pads", {1, 0, 0, 0}}, {"out", "z"}};
  op.update(keys);
  tested.ops = {op};
  tested.expected = [formula](auto &states) {
    Image x{states["x"].data};
    Numbers z;
    for (int matrix = 0; matrix < 8; ++matrix)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
          double sum = 0, most = -std::numeric_limits<double>::infinity();
          int inside = 0;
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 2; ++l)
              if (x.isInside(i * 2 + k - 1, j * 2 + l)) {
                double value = x.at(matrix / 4, matrix % 4, i * 2 + k - 1, j * 2 + l);
                sum += value, most = std::max(most, value), ++inside;
              }
          z.push_back(formula(sum, most, inside));
        }
    return z;
  };
  return tested;
}

/// Windows of 19 elements with a dilation of 2, a stride of 3, and padding.
Case longPool(const std::string &name) {
  Case tested;
  tested.name = name + "_of_long_windows";
  tested.params = {{"x", {1, 2, 40}}};
  tested.shape = {1, 2, 3};
  tested.ops = {{{"op", name},
                 {"in", {"x"}},
                 {"kernel", {19}},
                 {"strides", {3}},
                 {"dilations", {2}},
                 {"pads", {4, 1}},
                 {"out", "z"}}};
  tested.expected = [name](auto &states) {
    Numbers z;
    for (int channel = 0; channel < 2; ++channel)
      for (int i = 0; i < 3; ++i) {
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        int inside = 0;
        for (int k = 0; k < 19; ++k)
          if (const int at = 3 * i + 2 * k - 4; at >= 0 && at < 40) {
            const double value = states["x"].data[channel * 40 + at];
            most = std::max(most, value), sum += value, ++inside;
          }
        z.push_back(name == "max_pool" ? most : sum / inside);
      }
    return z;
  };
  return tested;
}

} // namespace

std::vector<Case> convolutionCases() {
  Case counted =
      pool("average_pool", {{"count_include_pad", true}}, [](double sum, double, int) { return sum / 6; });
  counted.name = "average_pool_that_counts_padding";
  return {convolution(),
          transposedConvolution(),
          pool("max_pool", json::object(), [](double, double most, int) { return most; }),
          pool("average_pool", json::object(), [](double sum, double, int inside) { return sum / inside; }),
          counted,
          longPool("max_pool"),
          longPool("average_pool")};
}

} // namespace windlass::test
