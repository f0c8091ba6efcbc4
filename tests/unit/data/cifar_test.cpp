// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cifar.h"

#include "tests/unit/data/fixtures.h"

namespace syncline {
namespace {

using namespace test;

// Pixel p of plane c in record i is p + 50 c + i, so that every place is told from its neighbours.
ByteVector records(const std::vector<ByteVector>& labels) {
  ByteVector bytes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    bytes.insert(bytes.end(), labels[i].begin(), labels[i].end());
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t p = 0; p < 1024; ++p) bytes.push_back(static_cast<std::uint8_t>(p + 50 * c + i));
    }
  }
  return bytes;
}

class Cifar10 : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 1; i <= 5; ++i) put("data_batch_" + std::to_string(i) + ".bin", records({{static_cast<std::uint8_t>(i)}, {9}}));
    put("test_batch.bin", records({{0}, {1}, {2}}));
  }
  void put(const std::string& name, const ByteVector& bytes) { write(folder.path() / name, bytes); }
  DataSpec given() const { return spec("cifar10", {{"path", text(folder.path().string())}}); }
  std::string error() const {
    return message_of([&] { open_data(given(), 1); });
  }
  TempFolder folder;
};

TEST_F(Cifar10, ReadsPlanesIntoPixels) {
  const Split split = open_data(given(), 1);
  EXPECT_EQ(split.train->size(), 10);
  EXPECT_EQ(split.test->size(), 3);
  EXPECT_EQ(split.train->shape(), (Shape{32, 32, 3}));
  EXPECT_EQ(split.train->classes(), 10);
  EXPECT_EQ(split.train->class_names()[9], "truck");
  EXPECT_EQ(split.train->label(4), 3);
  EXPECT_EQ(split.train->label(5), 9);
  ByteVector pixels(3072);
  split.train->read(5, pixels);
  for (std::size_t p = 0; p < 1024; ++p) {
    for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(pixels[p * 3 + c], static_cast<std::uint8_t>(p + 50 * c + 1));
  }
  const DataShape shape = data_shape(given());
  EXPECT_EQ(shape.shape, (Shape{32, 32, 3}));
  EXPECT_EQ(shape.train_size, 10);
  EXPECT_EQ(shape.test_size, 3);
  EXPECT_EQ(shape.classes, 10);
}

TEST_F(Cifar10, TakesTheFolderAboveAndNamesBesideTheData) {
  TempFolder above;
  fs::create_directories(above.path());
  fs::copy(folder.path(), above.path() / "cifar-10-batches-bin");
  const std::string names = "a\nb\nc\nd\ne\nf\ng\nh\ni\nlast \n\n";
  write(above.path() / "cifar-10-batches-bin" / "batches.meta.txt", {names.begin(), names.end()});
  const Split split = open_data(spec("cifar10", {{"path", text(above.path().string())}}), 1);
  EXPECT_EQ(split.train->class_names()[9], "last");
}

TEST_F(Cifar10, SaysWhatIsWrong) {
  put("data_batch_3.bin", records({{3}, {10}}));
  EXPECT_EQ(error(), folder.file("data_batch_3.bin") + ": label 10 in record 1; with 10 classes labels run from 0 to 9");
  put("data_batch_3.bin", records({{3}}));
  const std::string unlike =
      folder.file("data_batch_3.bin") + ": 1 records; data_batch_1.bin has 2, and all training files must have the same number";
  EXPECT_EQ(error(), unlike);
  EXPECT_EQ(message_of([&] { data_shape(given()); }), unlike);
  ByteVector cut = records({{3}, {3}});
  cut.pop_back();
  put("data_batch_3.bin", cut);
  const std::string sentence = folder.file("data_batch_3.bin") + ": 6145 bytes long; a CIFAR-10 file is one or more records of 3073 bytes";
  EXPECT_EQ(error(), sentence);
  EXPECT_EQ(message_of([&] { data_shape(given()); }), sentence);
  put("data_batch_3.bin", {});
  EXPECT_EQ(error(), folder.file("data_batch_3.bin") + ": 0 bytes long; a CIFAR-10 file is one or more records of 3073 bytes");
  fs::remove(folder.path() / "data_batch_3.bin");
  EXPECT_EQ(error(), folder.path().string() +
                         ": there is no file data_batch_3.bin; data.path names a folder with the binary version (data_batch_1.bin to "
                         "data_batch_5.bin, test_batch.bin)");
}

TEST(Cifar100, TakesFineOrCoarseLabels) {
  TempFolder folder;
  write(folder.path() / "train.bin", records({{19, 99}, {0, 5}}));
  write(folder.path() / "test.bin", records({{3, 42}}));
  const Split fine = open_data(spec("cifar100", {{"path", text(folder.path().string())}}), 1);
  EXPECT_EQ(fine.train->classes(), 100);
  EXPECT_EQ(fine.train->label(0), 99);
  EXPECT_EQ(fine.test->label(0), 42);
  const DataSpec coarse = spec("cifar100", {{"path", text(folder.path().string())}, {"labels", text("coarse")}});
  const Split split = open_data(coarse, 1);
  EXPECT_EQ(data_shape(coarse).classes, 20);
  EXPECT_EQ(split.train->label(0), 19);
  ByteVector pixels(3072);
  split.train->read(1, pixels);
  EXPECT_EQ(pixels[0], 1);
  EXPECT_EQ(pixels[1], 51);
  write(folder.path() / "train.bin", records({{20, 99}}));
  EXPECT_EQ(message_of([&] { open_data(coarse, 1); }),
            folder.file("train.bin") + ": label 20 in record 0; with 20 classes labels run from 0 to 19");
  write(folder.path() / "train.bin", records({{20}}));
  EXPECT_EQ(message_of([&] { open_data(coarse, 1); }),
            folder.file("train.bin") + ": 3073 bytes long; a CIFAR-100 file is one or more records of 3074 bytes");
}

}  // namespace
}  // namespace syncline
