// SPDX-License-Identifier: Apache-2.0
// Handles on memory that may live on a device, or nowhere (the simulator's ghost vectors): cheap to copy, they keep their storage alive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace syncline {

enum class Element : std::uint8_t { fp32, int32 };  // every element takes 4 bytes

// Memory with one owner; 64-byte aligned and zero at creation. `data` is null for ghosts and not dereferenceable on the host for devices.
class Storage {
 public:
  enum class Place : std::uint8_t { host, device, ghost };
  static std::shared_ptr<Storage> host(std::int64_t count);
  static std::shared_ptr<Storage> ghost(std::int64_t count);
  Storage(void* data, std::int64_t count, Place place, void (*release)(void*))
      : data_(data), count_(count), place_(place), release_(release) {}
  ~Storage() {
    if (release_ != nullptr) release_(data_);
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  void* data() const { return data_; }
  std::int64_t count() const { return count_; }
  Place place() const { return place_; }

 private:
  void* data_;
  std::int64_t count_;
  Place place_;
  void (*release_)(void*);
};

// A range of elements. Code outside kernels/ and the transports of engine/comm never dereferences it.
class View {
 public:
  View() = default;
  View(std::shared_ptr<Storage> storage, std::int64_t offset, std::int64_t count);
  static View host(std::int64_t count) { return {Storage::host(count), 0, count}; }
  static View ghost(std::int64_t count) { return {Storage::ghost(count), 0, count}; }

  std::int64_t count() const { return count_; }
  std::int64_t bytes() const { return count_ * 4; }
  std::int64_t offset() const { return offset_; }  // in its storage; arena-shaped vectors own theirs, so: in the arena
  bool empty() const { return count_ == 0; }
  View part(std::int64_t offset, std::int64_t count) const;  // throws std::out_of_range outside the range
  Storage::Place place() const { return storage_ ? storage_->place() : Storage::Place::host; }
  bool same_range(const View& other) const { return storage_ == other.storage_ && offset_ == other.offset_ && count_ == other.count_; }
  bool overlaps(const View& other) const {
    return storage_ && storage_ == other.storage_ && offset_ < other.offset_ + other.count_ && other.offset_ < offset_ + count_;
  }

  // For kernels, transports and tests; null for ghosts and for empty views.
  float* data() const { return pointer_; }
  std::int32_t* ints() const { return reinterpret_cast<std::int32_t*>(pointer_); }
  std::span<float> floats() const { return {pointer_, static_cast<std::size_t>(count_)}; }

 private:
  std::shared_ptr<Storage> storage_;
  std::int64_t offset_ = 0, count_ = 0;
  float* pointer_ = nullptr;
};

// The shape of ONE sample, channels last: {features}, {length, features} or {height, width, channels}. The batch dimension ("rows") travels
// apart.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims);
  explicit Shape(std::span<const std::int64_t> dims);
  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
  std::int64_t channels() const { return rank_ == 0 ? 1 : dims_[static_cast<std::size_t>(rank_ - 1)]; }
  std::int64_t elements() const;
  bool operator==(const Shape&) const = default;
  std::string text() const;  // "28x28x1"

 private:
  std::array<std::int64_t, 4> dims_{};
  int rank_ = 0;
};

struct Tensor {
  View view;  // at least rows * shape.elements() elements
  Shape shape;
  Element element = Element::fp32;
  explicit operator bool() const { return !view.empty(); }
};

}  // namespace syncline
