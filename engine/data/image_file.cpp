// SPDX-License-Identifier: Apache-2.0
#include "engine/data/image_file.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

// After cstdio, which jpeglib.h needs and does not include.
#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

namespace syncline {

namespace {

constexpr std::int64_t most_pixels = std::int64_t{1} << 26;
constexpr int most_scans = 500;  // a progressive JPEG may repeat scans without end; real ones have about ten

enum class Format { jpeg, png };

Format format_of(Bytes bytes, const std::string& file) {
  constexpr std::uint8_t jpeg[] = {0xff, 0xd8, 0xff}, png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (bytes.size() >= sizeof jpeg && std::memcmp(bytes.data(), jpeg, sizeof jpeg) == 0) return Format::jpeg;
  if (bytes.size() >= sizeof png && std::memcmp(bytes.data(), png, sizeof png) == 0) return Format::png;
  bad_file(file, "begins like neither a JPEG nor a PNG file", "an image in one of these formats is needed");
}

[[noreturn]] void broken(const std::string& file, const char* reason) {
  bad_file(file, fmt::format("the image cannot be decoded ({})", reason), "a whole JPEG or PNG file is needed");
}

// libjpeg reports errors by a function that must not return: it jumps out of the library back into the member function that called
// it. Those functions have no objects with destructors of their own, so that the jump skips none.
class JpegReader {
 public:
  explicit JpegReader(Bytes bytes) : bytes_(bytes) {
    info_.err = jpeg_std_error(&errors_);
    info_.client_data = this;
    errors_.error_exit = [](j_common_ptr info) {
      auto& reader = *static_cast<JpegReader*>(info->client_data);
      info->err->format_message(info, reader.message_);
      std::longjmp(reader.back_, 1);
    };
    errors_.emit_message = [](j_common_ptr info, int level) {
      const int code = info->err->msg_code;
      const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_BOGUS_PROGRESSION;
      if (level < 0 && !harmless) info->err->error_exit(info);  // missing or wrong pixels, which libjpeg would make up
    };
    monitor_.progress_monitor = [](j_common_ptr info) {
      if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > most_scans) ERREXIT(info, JERR_BAD_PROGRESSION);
    };
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  bool header() {
    if (setjmp(back_) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &monitor_;
    jpeg_mem_src(&info_, bytes_.data(), static_cast<unsigned long>(bytes_.size()));
    jpeg_read_header(&info_, TRUE);
    return true;
  }
  // `out`: height x width x channels bytes.
  bool pixels(int channels, std::uint8_t* out) {
    if (setjmp(back_) != 0) return false;
    info_.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    info_.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = out + static_cast<std::size_t>(info_.output_scanline) * info_.output_width * static_cast<std::size_t>(channels);
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }
  ImageHeader size() const { return {static_cast<std::int64_t>(info_.image_height), static_cast<std::int64_t>(info_.image_width)}; }
  int components() const { return info_.num_components; }
  const char* message() const { return message_; }

 private:
  Bytes bytes_;
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr monitor_{};
  std::jmp_buf back_{};
  char message_[JMSG_LENGTH_MAX] = {};
};

// libpng's simplified interface catches its own jumps.
class PngReader {
 public:
  explicit PngReader(Bytes bytes) {
    image_.version = PNG_IMAGE_VERSION;
    good_ = png_image_begin_read_from_memory(&image_, bytes.data(), bytes.size()) != 0;
  }
  ~PngReader() { png_image_free(&image_); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool header() const { return good_; }
  bool pixels(int channels, std::uint8_t* out) {
    image_.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    const png_color black{0, 0, 0};
    return png_image_finish_read(&image_, &black, out, 0, nullptr) != 0;
  }
  ImageHeader size() const { return {static_cast<std::int64_t>(image_.height), static_cast<std::int64_t>(image_.width)}; }
  const char* message() const { return image_.message; }

 private:
  png_image image_{};
  bool good_ = false;
};

void check_size(ImageHeader found, const Shape& shape, bool resize, const std::string& file) {
  if (resize && found.height * found.width > most_pixels) {
    bad_file(file, fmt::format("{}x{} pixels", found.height, found.width), fmt::format("an image has at most {} pixels", most_pixels));
  }
  if (!resize && (found.height != shape[0] || found.width != shape[1])) {
    bad_file(file, fmt::format("{}x{} pixels", found.height, found.width),
             fmt::format("the set has images of {}x{}, and data.resize = true scales the others", shape[0], shape[1]));
  }
}

template <class Reader>
void decode(Reader& reader, const Shape& shape, bool resize, std::span<std::uint8_t> out, const std::string& file) {
  const ImageHeader size = reader.size();
  check_size(size, shape, resize, file);
  const auto channels = static_cast<int>(shape[2]);
  if (size.height == shape[0] && size.width == shape[1]) {
    if (!reader.pixels(channels, out.data())) broken(file, reader.message());
    return;
  }
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.height * size.width * shape[2]));
  if (!reader.pixels(channels, pixels.data())) broken(file, reader.message());
  detail::resize_to_cover(pixels, size, shape, out);
}

}  // namespace

ImageHeader image_header(Bytes bytes, const std::string& file) {
  if (format_of(bytes, file) == Format::jpeg) {
    JpegReader reader(bytes);
    if (!reader.header()) broken(file, reader.message());
    return reader.size();
  }
  const PngReader reader(bytes);
  if (!reader.header()) broken(file, reader.message());
  return reader.size();
}

void decode_image(Bytes bytes, const Shape& shape, bool resize, std::span<std::uint8_t> out, const std::string& file) {
  if (format_of(bytes, file) == Format::jpeg) {
    JpegReader reader(bytes);
    if (!reader.header()) broken(file, reader.message());
    if (reader.components() != 1 && reader.components() != 3) {
      bad_file(file, fmt::format("a JPEG with {} colour components", reader.components()), "1 (grey) or 3 (colour) are needed");
    }
    decode(reader, shape, resize, out, file);
  } else {
    PngReader reader(bytes);
    if (!reader.header()) broken(file, reader.message());
    decode(reader, shape, resize, out, file);
  }
}

}  // namespace syncline
