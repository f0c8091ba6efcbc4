// SPDX-License-Identifier: Apache-2.0
#include "engine/data/idx.h"

#include <array>
#include <cmath>

#include "tests/unit/data/fixtures.h"

namespace syncline {
namespace {

using namespace test;

ByteVector ramp(std::size_t count) {
  ByteVector values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i * 37 % 256);
  return values;
}

std::string without_digits(const std::string& message) {
  std::string out;
  for (const char c : message) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) out.push_back(c);
    if (digit && (out.empty() || out.back() != 'N')) out.push_back('N');
  }
  return out;
}

class Idx : public ::testing::Test {
 protected:
  void SetUp() override {
    put("train-images-idx3-ubyte", idx(3, {5, 3, 2}, ramp(30)));
    put("train-labels-idx1-ubyte", idx(1, {5}, {0, 9, 3, 3, 1}));
    put("t10k-images-idx3-ubyte", idx(3, {2, 3, 2}, ramp(12)));
    put("t10k-labels-idx1-ubyte", idx(1, {2}, {4, 5}));
  }
  void put(const std::string& name, const ByteVector& bytes) { write(folder.path() / name, bytes); }
  DataSpec given() const { return spec("idx", {{"path", text(folder.path().string())}}); }
  // The sentence after the file's name, from open_data.
  std::string error(const std::string& file) const {
    const std::string message = message_of([&] { open_data(given(), 1); }), start = folder.file(file) + ": ";
    return message.rfind(start, 0) == 0 ? message.substr(start.size()) : message;
  }
  TempFolder folder;
};

TEST_F(Idx, ReadsPlainFiles) {
  const Split split = open_data(given(), 1);
  EXPECT_EQ(split.train->size(), 5);
  EXPECT_EQ(split.test->size(), 2);
  EXPECT_EQ(split.train->shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(split.train->classes(), 10);
  EXPECT_EQ(split.train->class_names()[9], "9");
  EXPECT_EQ(split.train->label(1), 9);
  EXPECT_EQ(split.test->label(1), 5);
  ByteVector pixels(6);
  split.train->read(4, pixels);
  const ByteVector all = ramp(30);
  EXPECT_EQ(pixels, ByteVector(all.begin() + 24, all.end()));
}

TEST_F(Idx, ReadsGzipWhateverItsName) {
  fs::remove(folder.path() / "train-images-idx3-ubyte");
  put("train-images-idx3-ubyte.gz", gzip(idx(3, {5, 3, 2}, ramp(30))));
  put("train-labels-idx1-ubyte", gzip(idx(1, {5}, {0, 9, 3, 3, 1})));  // gzip by content, not by name
  const Split split = open_data(given(), 1);
  ByteVector pixels(6);
  split.train->read(0, pixels);
  EXPECT_EQ(pixels, (ByteVector{0, 37, 74, 111, 148, 185}));
  const DataShape shape = data_shape(given());
  EXPECT_EQ(shape.shape, (Shape{3, 2, 1}));
  EXPECT_EQ(shape.train_size, 5);
  EXPECT_EQ(shape.test_size, 2);
}

TEST_F(Idx, ReadsGzipInSeveralMembers) {
  const ByteVector whole = idx(3, {5, 3, 2}, ramp(30));
  ByteVector two = gzip({whole.begin(), whole.begin() + 21});
  const ByteVector second = gzip({whole.begin() + 21, whole.end()});
  two.insert(two.end(), second.begin(), second.end());
  put("train-images-idx3-ubyte", two);
  EXPECT_EQ(open_data(given(), 1).train->size(), 5);
}

TEST_F(Idx, TakesExplicitFiles) {
  put("elsewhere", idx(1, {5}, {1, 1, 1, 1, 1}));
  DataSpec named =
      spec("idx", {{"path", text(folder.path().string())}, {"train_labels", text(folder.file("elsewhere"))}, {"classes", number(47)}});
  const Split split = open_data(named, 1);
  EXPECT_EQ(split.train->label(1), 1);
  EXPECT_EQ(split.train->classes(), 47);
  EXPECT_EQ(message_of<ConfigError>([] { open_data(spec("idx", {}), 1); }),
            "data.path: source \"idx\" has neither path nor train_images; path names a folder with the four files");
}

TEST_F(Idx, ConstantsComeFromTheTrainingImages) {
  const Split split = open_data(given(), 1);
  const ByteVector all = ramp(30);
  double mean = 0, variance = 0;
  for (const std::uint8_t value : all) mean += value / 255.0 / 30;
  for (const std::uint8_t value : all) variance += (value / 255.0 - mean) * (value / 255.0 - mean) / 30;
  EXPECT_NEAR(split.train->default_mean()[0], mean, 1e-6);
  EXPECT_NEAR(split.train->default_stddev()[0], std::sqrt(variance), 1e-6);
  EXPECT_EQ(split.test->default_mean(), split.train->default_mean());
}

TEST_F(Idx, SaysWhatIsWrong) {
  struct Case {
    const char* file;
    ByteVector bytes;
    const char* sentence;
  };
  const char* images = "train-images-idx3-ubyte";
  const char* labels = "train-labels-idx1-ubyte";
  ByteVector ramp29 = ramp(29), ramp31 = ramp(31), colour = idx(3, {5, 3, 2}, ramp(30));
  colour[2] = 0x0d;
  const Case cases[] = {
      {images, {}, "0 bytes long; an IDX file of images has a header of 16 bytes"},
      {images, {0, 0, 8, 3, 0, 0}, "6 bytes long; an IDX file of images has a header of 16 bytes"},
      {images, colour, "begins with 00 00 0d 03; an IDX file of images begins with 00 00 08 03"},
      {images, idx(1, {5, 3, 2}, ramp(30)), "begins with 00 00 08 01; an IDX file of images begins with 00 00 08 03"},
      {images, idx(3, {5, 3, 2}, ramp29), "29 bytes after the header; 5 images of 3x2 pixels take 30"},
      {images, idx(3, {5, 3, 2}, ramp31), "31 bytes after the header; 5 images of 3x2 pixels take 30"},
      {images, idx(3, {0, 3, 2}, {}), "0 images by its header; 1 to 2147483647 are possible"},
      {images, idx(3, {0xffffffff, 3, 2}, {}), "4294967295 images by its header; 1 to 2147483647 are possible"},
      {images, idx(3, {5, 0xffffffff, 2}, {}), "images of 4294967295x2 pixels by its header; 1 to 16384 a side are possible"},
      {images, idx(3, {0x7fffffff, 16384, 16384}, {}),
       "0 bytes after the header; 2147483647 images of 16384x16384 pixels take 576460752034988032"},
      {labels, idx(1, {4}, {0, 1, 2, 3}), nullptr},
      {labels, idx(1, {5}, {0, 1, 10, 3, 12}), "label 10 at position 2; with 10 classes labels run from 0 to 9"},
      {labels, idx(3, {5, 3, 2}, ramp(30)), "begins with 00 00 08 03; an IDX file of labels begins with 00 00 08 01"},
      {labels, idx(1, {5}, {0, 1}), "2 bytes after the header; 5 labels take 5"},
      {"t10k-images-idx3-ubyte", idx(3, {2, 2, 3}, ramp(12)), "images of 2x3 pixels; the training images have 3x2, and both must be alike"},
  };
  for (const Case& one : cases) {
    SetUp();
    put(one.file, one.bytes);
    const std::string expected =
        one.sentence != nullptr ? one.sentence : "4 labels; " + folder.file(images) + " has 5 images, and each needs one label";
    EXPECT_EQ(error(one.file), expected);
  }
}

TEST_F(Idx, SaysWhatIsWrongInsideGzip) {
  const char* file = "train-images-idx3-ubyte";
  const ByteVector noise = [] {
    ByteVector values(3000 * 6);
    std::uint32_t state = 1;
    for (auto& value : values) value = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    return values;
  }();
  put("train-labels-idx1-ubyte", idx(1, {3000}, ByteVector(3000, 1)));
  const ByteVector good = gzip(idx(3, {3000, 3, 2}, noise));
  put(file, good);
  EXPECT_EQ(error(file), "no error");

  ByteVector bytes(good.begin(), good.begin() + 5000);
  put(file, bytes);
  EXPECT_EQ(without_digits(error(file)),
            "the compressed data stops after N bytes of content; a whole gzip file is needed, so copy it again");
  bytes = {good.begin(), good.end() - 3};  // in the trailer: all content is there
  put(file, bytes);
  EXPECT_EQ(error(file), "the compressed data stops after 18016 bytes of content; a whole gzip file is needed, so copy it again");
  bytes = good;
  bytes[bytes.size() - 6] ^= 1;
  put(file, bytes);
  EXPECT_EQ(
      error(file),
      "the compressed data is damaged after 18016 bytes of content (incorrect data check); a whole gzip file is needed, so copy it again");
  bytes = good;
  bytes.push_back('x');
  put(file, bytes);
  EXPECT_EQ(error(file), "the compressed data stops after 18016 bytes of content; a whole gzip file is needed, so copy it again");
  put(file, gzip(idx(3, {2999, 3, 2}, noise)));
  EXPECT_EQ(error(file), "more content than its header says; 2999 images of 3x2 pixels take 17994 bytes after the header");
  put(file, gzip(idx(3, {3001, 3, 2}, noise)));
  EXPECT_EQ(error(file), "18000 bytes after the header; 3001 images of 3x2 pixels take 18006");
  put(file, gzip({0, 0, 8}));
  EXPECT_EQ(error(file), "3 bytes long; an IDX file of images has a header of 16 bytes");
}

TEST_F(Idx, ACompressedHeaderAllocatesNothing) {
  put("train-images-idx3-ubyte", gzip(idx(3, {0x7fffffff, 16384, 16384}, {})));
  EXPECT_EQ(without_digits(error("train-images-idx3-ubyte")), "N compressed bytes, which hold at most N; N images of NxN pixels take N");
}

TEST_F(Idx, ShapesAreCheckedByHeadersAlone) {
  put("train-images-idx3-ubyte", idx(3, {5, 3, 2}, ramp(29)));
  EXPECT_EQ(message_of([&] { data_shape(given()); }),
            folder.file("train-images-idx3-ubyte") + ": 29 bytes after the header; 5 images of 3x2 pixels take 30");
  ByteVector start = gzip(idx(3, {5000, 28, 28}, ramp(5000 * 784)));
  start.resize(start.size() / 2);  // the content is not looked at
  put("train-images-idx3-ubyte", start);
  put("train-labels-idx1-ubyte", idx(1, {5000}, ByteVector(5000, 0)));
  put("t10k-images-idx3-ubyte", idx(3, {2, 28, 28}, ramp(2 * 784)));
  EXPECT_EQ(data_shape(given()).train_size, 5000);
  put("train-labels-idx1-ubyte", idx(1, {4}, {0, 1, 2, 3}));
  EXPECT_EQ(message_of([&] { data_shape(given()); }), folder.file("train-labels-idx1-ubyte") + ": 4 labels; " +
                                                          folder.file("train-images-idx3-ubyte") +
                                                          " has 5000 images, and each needs one label");
}

TEST_F(Idx, MissingFilesAreNamed) {
  fs::remove(folder.path() / "t10k-labels-idx1-ubyte");
  EXPECT_EQ(message_of([&] { open_data(given(), 1); }), folder.path().string() +
                                                            ": there is no file t10k-labels-idx1-ubyte or t10k-labels-idx1-ubyte.gz; "
                                                            "source \"idx\" needs the four files of MNIST's layout there");
  const std::string fashion =
      ": there is no such folder; the Debian package dataset-fashion-mnist provides it, or data.path names another folder with the four "
      "files";
  for (const auto& action : {+[](const DataSpec& data) { open_data(data, 1); }, +[](const DataSpec& data) { data_shape(data); }}) {
    EXPECT_EQ(message_of([&] { action(spec("fashion-mnist", {{"path", text("/nowhere/fashion")}})); }), "/nowhere/fashion" + fashion);
  }
  DataSpec named = spec("idx", {{"path", text(folder.path().string())}, {"test_labels", text("/nowhere/labels")}});
  EXPECT_EQ(message_of([&] { open_data(named, 1); }),
            "/nowhere/labels: there is no such file; data.path or the file's own key names where it is");
  named = spec("idx", {{"path", text(folder.path().string())}, {"test_labels", text("/")}});
  EXPECT_EQ(message_of([&] { open_data(named, 1); }), "/: is a folder; a file is needed");
}

TEST(FashionMnist, IsWhatItsAuthorsDescribe) {
  const DataSpec real = spec("fashion-mnist", {});
  if (!fs::exists(real.options.text("path"))) GTEST_SKIP() << "the Debian package dataset-fashion-mnist is not installed";
  const DataShape shape = data_shape(real);
  EXPECT_EQ(shape.shape, (Shape{28, 28, 1}));
  EXPECT_EQ(shape.train_size, 60000);
  EXPECT_EQ(shape.test_size, 10000);
  const Split split = open_data(real, 1);
  ASSERT_EQ(split.train->size(), 60000);
  ASSERT_EQ(split.test->size(), 10000);
  std::array<int, 10> counts{};
  double sum = 0, squares = 0;
  ByteVector pixels(784);
  for (std::int64_t id = 0; id < 60000; ++id) {
    ++counts[static_cast<std::size_t>(split.train->label(id))];
    split.train->read(id, pixels);
    for (const std::uint8_t pixel : pixels) {
      sum += pixel;
      squares += pixel * pixel;
    }
  }
  for (const int count : counts) EXPECT_EQ(count, 6000);
  const double mean = sum / 47040000 / 255, deviation = std::sqrt(squares / 47040000 / 255 / 255 - mean * mean);
  EXPECT_NEAR(split.train->default_mean()[0], mean, 1e-4);
  EXPECT_NEAR(split.train->default_stddev()[0], deviation, 1e-4);
  EXPECT_EQ(split.train->class_names()[static_cast<std::size_t>(split.train->label(0))], "Ankle boot");
}

}  // namespace
}  // namespace syncline
