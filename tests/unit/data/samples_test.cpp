// SPDX-License-Identifier: Apache-2.0
// What happens to a sample on its way: augmentation and normalisation; and the set that is drawn instead of read.
#include <cmath>
#include <numeric>
#include <set>

#include "engine/data/augment.h"
#include "engine/data/normalise.h"
#include "tests/unit/data/fixtures.h"

namespace syncline {
namespace {

using namespace test;

std::string as_text(const ByteVector& bytes) { return {bytes.begin(), bytes.end()}; }

TEST(Registry, NamesEverySourceOnceWithDefaults) {
  std::set<std::string> names;
  for (const Entry& entry : source_entries()) {
    names.insert(std::string(entry.name));
    for (const Parameter& parameter : entry.parameters) EXPECT_FALSE(parameter.help.empty()) << entry.name << "." << parameter.key;
  }
  EXPECT_EQ(names, (std::set<std::string>{"fashion-mnist", "idx", "cifar10", "cifar100", "images", "synthetic"}));
  EXPECT_EQ(source_entries().size(), names.size());
  DataSpec unknown;
  unknown.source = "mnits";
  EXPECT_EQ(message_of<ConfigError>([&] { open_data(unknown, 1); }),
            "data.source: there is no source \"mnits\"; possible are fashion-mnist, idx, cifar10, cifar100, images, synthetic");
}

TEST(Normaliser, IsTheFormula) {
  const Shape shape{37, 29, 3};  // more than one line of the inner loop, and no multiple of it
  const std::vector<float> mean = {0.4914f, 0.4822f, 0.4465f}, deviation = {0.2470f, 0.2435f, 0.2616f};
  const Normaliser normaliser(shape, mean, deviation);
  ByteVector in(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 37 % 256);
  std::vector<float> out(in.size());
  normaliser.apply(in, out);
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(out[i], (in[i] / 255.0 - mean[i % 3]) / deviation[i % 3], 1e-6);
  const Normaliser one({2, 2, 3}, {0.5f}, {0.25f});
  one.apply(std::span<const std::uint8_t>(in).first(12), std::span(out).first(12));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(out[i], in[i] / 63.75 - 2, 1e-6);
}

// Every pixel of the image is different, so that a crop's offset can be read off.
ByteVector distinct(const Shape& shape) {
  ByteVector image(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(1 + i % 255);
  return image;
}

ByteVector augmented(const std::vector<std::string>& names, const Shape& shape, std::int64_t epoch, std::int64_t id,
                     std::uint64_t seed = 1) {
  ByteVector image = distinct(shape), scratch(image.size());
  Augmenter(names, shape, seed).apply(epoch, id, image, scratch);
  return image;
}

TEST(Augment, FlipMirrorsAboutHalfOfTheImages) {
  const Shape shape{3, 5, 3};
  const ByteVector image = distinct(shape);
  ByteVector mirrored;
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      for (std::size_t c = 0; c < 3; ++c) mirrored.push_back(image[(y * 5 + 4 - x) * 3 + c]);
    }
  }
  int flips = 0;
  for (std::int64_t id = 0; id < 1000; ++id) {
    const ByteVector out = augmented({"flip"}, shape, 0, id);
    ASSERT_TRUE(out == image || out == mirrored);
    if (out == mirrored) ++flips;
  }
  EXPECT_GT(flips, 440);
  EXPECT_LT(flips, 560);
}

TEST(Augment, CropShiftsByUpToAnEighthOverBlack) {
  const Shape shape{12, 15, 1};  // shifts up to 2 in both
  const ByteVector image = distinct(shape);
  std::set<std::pair<int, int>> shifts;
  for (std::int64_t id = 0; id < 600; ++id) {
    const ByteVector out = augmented({"crop"}, shape, 0, id);
    int matches = 0;
    for (int dy = -2; dy <= 2; ++dy) {
      for (int dx = -2; dx <= 2; ++dx) {
        bool same = true;
        for (int y = 0; y < 12; ++y) {
          for (int x = 0; x < 15; ++x) {
            const bool inside = y + dy >= 0 && y + dy < 12 && x + dx >= 0 && x + dx < 15;
            same =
                same && out[static_cast<std::size_t>(y * 15 + x)] == (inside ? image[static_cast<std::size_t>((y + dy) * 15 + x + dx)] : 0);
          }
        }
        if (!same) continue;
        ++matches;
        shifts.insert({dy, dx});
      }
    }
    ASSERT_EQ(matches, 1);
  }
  EXPECT_EQ(shifts.size(), 25u);
}

TEST(Augment, DependsOnSeedEpochAndSampleAlone) {
  const Shape shape{32, 32, 3};
  EXPECT_EQ(augmented({"crop", "flip"}, shape, 3, 9), augmented({"flip", "crop"}, shape, 3, 9));
  std::set<std::string> seen;
  for (std::int64_t k = 0; k < 12; ++k) {
    seen.insert(as_text(augmented({"crop", "flip"}, shape, k, 9)));
    seen.insert(as_text(augmented({"crop", "flip"}, shape, 3, 100 + k)));
    seen.insert(as_text(augmented({"crop", "flip"}, shape, 3, 9, static_cast<std::uint64_t>(k) + 2)));
  }
  EXPECT_GT(seen.size(), 25u);  // 162 outcomes: a few of 36 may be alike
  EXPECT_EQ(message_of<ConfigError>([] { Augmenter({"crop"}, Shape{10}, 1); }),
            "data.augment: samples of 10 are not images; the list must be empty");
}

TEST(Augment, OnePixelImagesSurvive) {
  EXPECT_EQ(augmented({"crop", "flip"}, {1, 1, 3}, 0, 0), distinct({1, 1, 3}));
  EXPECT_EQ(augmented({"crop"}, {4, 1, 1}, 0, 0).size(), 4u);
}

TEST(Synthetic, IsSeededAndOfAnySize) {
  const DataSpec given = spec(
      "synthetic",
      {{"classes", number(7)}, {"height", number(9)}, {"width", number(13)}, {"channels", number(3)}, {"train_size", number(2000000000)}});
  const Split a = open_data(given, 5), b = open_data(given, 5), other = open_data(given, 6);
  EXPECT_EQ(a.train->size(), 2000000000);
  EXPECT_EQ(a.train->shape(), (Shape{9, 13, 3}));
  EXPECT_EQ(a.train->classes(), 7);
  EXPECT_EQ(data_shape(given).train_size, 2000000000);
  std::set<std::string> seen;
  for (const std::int64_t id : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1999999999}}) {
    ByteVector x(351), y(351);
    a.train->read(id, x);
    b.train->read(id, y);
    EXPECT_EQ(x, y);
    EXPECT_EQ(a.train->label(id), id % 7);
    seen.insert(as_text(x));
    other.train->read(id, y);
    seen.insert(as_text(y));
  }
  ByteVector test(351);
  a.test->read(0, test);
  seen.insert(as_text(test));
  EXPECT_EQ(seen.size(), 7u);
}

// Nearest class mean, learned from the training half, is right on nearly all of the test half: a small net can learn it too. With no
// less than chance to lose: another pattern per half, or labels that do not follow the pattern, fail here.
TEST(Synthetic, CanBeLearned) {
  const Split split = open_data(spec("synthetic", {{"train_size", number(400)}, {"test_size", number(200)}}), 3);
  std::vector<std::vector<double>> means(10, std::vector<double>(784));
  ByteVector pixels(784);
  for (std::int64_t id = 0; id < 400; ++id) {
    split.train->read(id, pixels);
    for (std::size_t i = 0; i < 784; ++i) means[static_cast<std::size_t>(split.train->label(id))][i] += pixels[i] / 40.0;
  }
  int right = 0;
  double deviation = 0;
  for (std::int64_t id = 0; id < 200; ++id) {
    split.test->read(id, pixels);
    std::vector<double> distance(10);
    for (std::size_t c = 0; c < 10; ++c) {
      for (std::size_t i = 0; i < 784; ++i) distance[c] += (pixels[i] - means[c][i]) * (pixels[i] - means[c][i]);
    }
    right += std::min_element(distance.begin(), distance.end()) - distance.begin() == split.test->label(id) ? 1 : 0;
    for (const std::uint8_t pixel : pixels)
      deviation += std::abs(pixel - means[static_cast<std::size_t>(split.test->label(id))][0]) / 200 / 784;
  }
  EXPECT_GE(right, 190);
  EXPECT_GT(deviation, 10) << "there is noise";
}

}  // namespace
}  // namespace syncline
