// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <set>

// After cstdio, which jpeglib.h needs and does not include.
#include <jpeglib.h>
#include <png.h>

#include "engine/data/image_file.h"
#include "tests/unit/data/fixtures.h"

namespace syncline {
namespace {

using namespace test;

struct Picture {
  std::int64_t height, width, channels;
  ByteVector pixels;
};

// Smooth, so that JPEG keeps it within a few grey levels.
Picture gradient(std::int64_t height, std::int64_t width, std::int64_t channels, int start = 40) {
  Picture picture{height, width, channels, {}};
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < channels; ++c) picture.pixels.push_back(static_cast<std::uint8_t>(start + 3 * y + 2 * x + 20 * c));
    }
  }
  return picture;
}

ByteVector png(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : picture.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  png_alloc_size_t size = 0;
  EXPECT_TRUE(png_image_write_to_memory(&image, nullptr, &size, 0, picture.pixels.data(), 0, nullptr));
  ByteVector bytes(size);
  EXPECT_TRUE(png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0, nullptr));
  bytes.resize(size);
  return bytes;
}

ByteVector jpeg(const Picture& picture, bool progressive = false) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = static_cast<int>(picture.channels);
  info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : picture.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 98, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(picture.pixels.data() + info.next_scanline * picture.width * picture.channels);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  ByteVector bytes(memory, memory + size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return bytes;
}

ByteVector decoded(const ByteVector& file, const Shape& shape, bool resize = false) {
  ByteVector out(static_cast<std::size_t>(shape.elements()), 77);
  decode_image(file, shape, resize, out, "some.image");
  return out;
}

int furthest(const ByteVector& a, const ByteVector& b) {
  if (a.size() != b.size()) return 256;
  int most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(ImageFile, DecodesPngExactly) {
  for (const std::int64_t channels : {1, 3}) {
    const Picture picture = gradient(13, 21, channels);
    EXPECT_EQ(image_header(png(picture), "f"), (ImageHeader{13, 21}));
    EXPECT_EQ(decoded(png(picture), {13, 21, channels}), picture.pixels);
  }
}

TEST(ImageFile, DecodesJpegClosely) {
  for (const std::int64_t channels : {1, 3}) {
    for (const bool progressive : {false, true}) {
      const Picture picture = gradient(24, 17, channels);
      const ByteVector file = jpeg(picture, progressive);
      EXPECT_EQ(image_header(file, "f"), (ImageHeader{24, 17}));
      EXPECT_LE(furthest(decoded(file, {24, 17, channels}), picture.pixels), 8);
    }
  }
}

TEST(ImageFile, TurnsGreyIntoColourAndBack) {
  const Picture grey = gradient(8, 8, 1);
  for (const ByteVector& file : {png(grey), jpeg(grey)}) {
    const ByteVector colour = decoded(file, {8, 8, 3});
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_NEAR(colour[3 * i], grey.pixels[i], 4);
      EXPECT_EQ(colour[3 * i], colour[3 * i + 2]);
    }
  }
  Picture flat{8, 8, 3, ByteVector(192, 90)};
  for (const ByteVector& file : {png(flat), jpeg(flat)}) EXPECT_LE(furthest(decoded(file, {8, 8, 1}), ByteVector(64, 90)), 2);
}

TEST(ImageFile, TransparentIsBlack) {
  Picture picture{2, 2, 4, ByteVector(16, 200)};
  picture.pixels[3] = 0;
  for (const std::size_t i : {7, 11, 15}) picture.pixels[i] = 255;
  const ByteVector out = decoded(png(picture), {2, 2, 3});
  EXPECT_EQ(out, (ByteVector{0, 0, 0, 200, 200, 200, 200, 200, 200, 200, 200, 200}));
}

TEST(ImageFile, SaysWhatIsWrong) {
  const Shape shape{24, 17, 3};
  const auto error = [&](const ByteVector& file, bool resize = false) { return message_of([&] { decoded(file, shape, resize); }); };
  const ByteVector good_png = png(gradient(24, 17, 3)), good_jpeg = jpeg(gradient(24, 17, 3));
  const std::string neither = "some.image: begins like neither a JPEG nor a PNG file; an image in one of these formats is needed";
  EXPECT_EQ(error({}), neither);
  EXPECT_EQ(error({'G', 'I', 'F', '8', '9', 'a', 0, 0, 0, 0}), neither);
  EXPECT_EQ(error(png(gradient(8, 9, 3))), "some.image: 8x9 pixels; the set has images of 24x17, and data.resize = true scales the others");
  EXPECT_EQ(error(jpeg(gradient(17, 24, 3))),
            "some.image: 17x24 pixels; the set has images of 24x17, and data.resize = true scales the others");
  EXPECT_EQ(error(jpeg(gradient(24, 17, 4))), "some.image: a JPEG with 4 colour components; 1 (grey) or 3 (colour) are needed");
  const std::string end = "); a whole JPEG or PNG file is needed", begin = "some.image: the image cannot be decoded (";
  const auto is_broken = [&](const ByteVector& file) {
    const std::string message = error(file);
    return message.size() > begin.size() + end.size() && message.rfind(begin, 0) == 0 && message.substr(message.size() - end.size()) == end;
  };
  for (const ByteVector& good : {good_png, good_jpeg}) {
    for (const std::size_t size : {good.size() / 2, good.size() * 3 / 4, good.size() - 40, std::size_t{20}}) {
      EXPECT_TRUE(is_broken({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}))
          << size << error({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    }
  }
  ByteVector damaged = good_png;
  damaged[damaged.size() / 2] ^= 0x40;  // a checksum no longer fits
  EXPECT_TRUE(is_broken(damaged)) << error(damaged);
  EXPECT_THROW(image_header({good_jpeg.data(), 20}, "f"), DataError);
  EXPECT_THROW(image_header({good_png.data(), 20}, "f"), DataError);
  ByteVector huge = good_jpeg;
  for (std::size_t i = 0; i + 8 < huge.size(); ++i) {
    if (huge[i] == 0xff && huge[i + 1] == 0xc0) huge[i + 5] = huge[i + 7] = 0xf0;
  }
  EXPECT_EQ(error(huge, true), "some.image: 61464x61457 pixels; an image has at most 67108864 pixels");
}

TEST(ImageResize, KeepsAFlatImageFlatAndAGradientAGradient) {
  const ByteVector flat(40 * 30 * 3, 123);
  for (const Shape& to : {Shape{8, 8, 3}, Shape{64, 64, 3}, Shape{33, 7, 3}}) {
    ByteVector out(static_cast<std::size_t>(to.elements()));
    detail::resize_to_cover(flat, {40, 30}, to, out);
    EXPECT_LE(furthest(out, ByteVector(out.size(), 123)), 0);
  }
  // Half size, values along x only: each output pixel is near the mean of the two pixels it covers.
  ByteVector in;
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) in.push_back(static_cast<std::uint8_t>(3 * x));
  }
  ByteVector out(16 * 16);
  detail::resize_to_cover(in, {32, 64}, {16, 16, 1}, out);
  for (int x = 0; x < 16; ++x)
    EXPECT_NEAR(out[static_cast<std::size_t>(x)], 3 * (16 + 2 * x + 0.5), 1.01) << "the middle 32 columns, halved";
  // The same size changes nothing.
  ByteVector same(in.size());
  detail::resize_to_cover(in, {32, 64}, {32, 64, 1}, same);
  EXPECT_EQ(same, in);
}

class Folder : public ::testing::Test {
 protected:
  void put(const std::string& name, const ByteVector& bytes) { write(folder.path() / name, bytes); }
  DataSpec given(std::map<std::string, Value, std::less<>> options = {}) const {
    options["path"] = text(folder.path().string());
    return spec("images", options);
  }
  TempFolder folder;
};

TEST_F(Folder, TrainAndTestFolders) {
  put("train/cat/b.png", png(gradient(6, 5, 3, 10)));
  put("train/cat/a.PNG", png(gradient(6, 5, 3, 60)));
  put("train/ant/1.jpeg", jpeg(gradient(6, 5, 3)));
  put("train/ant/notes.txt", {'x'});
  put("train/ant/.hidden.png", {'x'});
  put("test/cat/z.png", png(gradient(6, 5, 3, 70)));
  const Split split = open_data(given(), 1);
  EXPECT_EQ(split.train->class_names(), (std::vector<std::string>{"ant", "cat"}));
  ASSERT_EQ(split.train->size(), 3);
  ASSERT_EQ(split.test->size(), 1);
  EXPECT_EQ(split.train->label(0), 0);
  EXPECT_EQ(split.train->label(1), 1);
  EXPECT_EQ(split.test->label(0), 1);
  EXPECT_EQ(split.train->shape(), (Shape{6, 5, 3}));
  ByteVector pixels(90);
  split.train->read(1, pixels);
  EXPECT_EQ(pixels, gradient(6, 5, 3, 60).pixels) << "files in order of their names";
  const DataShape shape = data_shape(given());
  EXPECT_EQ(shape.shape, (Shape{6, 5, 3}));
  EXPECT_EQ(shape.train_size, 3);
  EXPECT_EQ(shape.test_size, 1);
  EXPECT_EQ(shape.classes, 2);
  EXPECT_EQ(data_shape(given({{"channels", number(1)}})).shape, (Shape{6, 5, 1}));
}

TEST_F(Folder, ABrokenImageIsNamedWhenRead) {
  put("train/a/1.png", png(gradient(6, 5, 3)));
  put("train/a/2.png", {'n', 'o'});
  put("train/a/3.png", png(gradient(5, 6, 3)));
  put("test/a/1.png", png(gradient(6, 5, 3)));
  const Split split = open_data(given(), 1);
  ByteVector pixels(90);
  EXPECT_EQ(message_of([&] { split.train->read(1, pixels); }),
            folder.file("train/a/2.png") + ": begins like neither a JPEG nor a PNG file; an image in one of these formats is needed");
  EXPECT_EQ(message_of([&] { split.train->read(2, pixels); }),
            folder.file("train/a/3.png") + ": 5x6 pixels; the set has images of 6x5, and data.resize = true scales the others");
  EXPECT_NO_THROW(open_data(given({{"resize", {true}}}), 1).train->read(2, pixels));
  ByteVector small(12);
  open_data(given({{"resize", {true}}, {"height", number(2)}, {"width", number(2)}}), 1).train->read(0, small);
  EXPECT_NEAR(small[0], gradient(6, 5, 3).pixels[3 * 6], 8);
  // Through the loader, in its turn.
  LoaderOptions options;
  options.batch_per_rank = {3};
  const auto loader = make_loader(split.train, options);
  EXPECT_THROW(loader->next(), DataError);
}

TEST_F(Folder, AShareIsKeptForTesting) {
  for (int i = 0; i < 20; ++i) {
    for (const char* name : {"a", "b"})
      put(std::string(name) + "/" + std::to_string(i) + ".png", png(gradient(2, 2, 3, 3 * i + 100 * (name[0] - 'a'))));
  }
  const Split split = open_data(given({{"test_share", {0.25}}}), 1), again = open_data(given({{"test_share", {0.25}}}), 2);
  EXPECT_EQ(split.train->size(), 30);
  ASSERT_EQ(split.test->size(), 10);
  std::set<std::string> seen;
  std::int64_t of_a = 0;
  ByteVector pixels(12), other(12);
  for (const auto& half : {split.train, split.test}) {
    for (std::int64_t id = 0; id < half->size(); ++id) {
      half->read(id, pixels);
      EXPECT_EQ(half->label(id), pixels[0] >= 100 + (half->label(id) == 0 ? 100 : 0) ? 1 : 0);
      seen.emplace(pixels.begin(), pixels.end());
    }
  }
  EXPECT_EQ(seen.size(), 40u);
  for (std::int64_t id = 0; id < 10; ++id) {
    split.test->read(id, pixels);
    again.test->read(id, other);
    EXPECT_EQ(pixels, other) << "the same test images for every seed";
    of_a += split.test->label(id) == 0 ? 1 : 0;
  }
  EXPECT_EQ(of_a, 5);
}

TEST_F(Folder, SaysWhatIsWrong) {
  const auto error = [&](std::map<std::string, Value, std::less<>> options = {}) {
    return message_of([&] { open_data(given(options), 1); });
  };
  const std::string root = folder.path().string();
  EXPECT_EQ(error(), root + ": no class folder; one folder of images per class is needed");
  put("train/a/1.png", png(gradient(6, 5, 3)));
  EXPECT_EQ(error(), root + ": a folder train without a folder test; both, or class folders alone, are needed");
  put("test/b/1.png", png(gradient(6, 5, 3)));
  EXPECT_EQ(error(), root + "/test/b: a class that the training images do not have; test classes must be among the training classes");
  put("train/b/notes.txt", {'x'});
  EXPECT_EQ(error(), root + "/train/b: no image; each class folder needs at least one file ending in .jpg, .jpeg or .png");
  fs::remove_all(folder.path() / "train");
  fs::remove_all(folder.path() / "test");
  put("a/1.png", png(gradient(6, 5, 3)));
  EXPECT_EQ(error(), root + ": 1 images, of which test_share = 0.1 leaves 1 to train and 0 to test; both need at least one");
  fs::remove_all(folder.path());
  EXPECT_EQ(error(), root + ": there is no such folder; data.path names a folder of images by class");
}

}  // namespace
}  // namespace syncline
