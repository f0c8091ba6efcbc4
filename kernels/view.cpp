// SPDX-License-Identifier: Apache-2.0
#include "kernels/view.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "kernels/host_memory.h"

namespace syncline {

std::shared_ptr<Storage> Storage::host(std::int64_t count) {
  if (count < 0) throw std::out_of_range("a vector cannot have " + std::to_string(count) + " elements");
  const std::size_t bytes = (static_cast<std::size_t>(count) * 4 + 63) / 64 * 64;
  void* data = nullptr;
  if (bytes > 0) {
    data = host_memory(bytes);
    std::memset(data, 0, bytes);
  }
  return std::make_shared<Storage>(data, count, Place::host, &std::free);
}

std::shared_ptr<Storage> Storage::ghost(std::int64_t count) { return std::make_shared<Storage>(nullptr, count, Place::ghost, nullptr); }

View::View(std::shared_ptr<Storage> storage, std::int64_t offset, std::int64_t count)
    : storage_(std::move(storage)), offset_(offset), count_(count) {
  const std::int64_t all = storage_ ? storage_->count() : 0;
  if (offset < 0 || count < 0 || offset > all - count) {
    throw std::out_of_range("elements " + std::to_string(offset) + " to " + std::to_string(offset + count) + " of a vector of " +
                            std::to_string(all));
  }
  if (storage_ && storage_->data() != nullptr && count > 0) pointer_ = static_cast<float*>(storage_->data()) + offset;
}

View View::part(std::int64_t offset, std::int64_t count) const {
  if (offset < 0 || count < 0 || offset > count_ - count) {
    throw std::out_of_range("elements " + std::to_string(offset) + " to " + std::to_string(offset + count) + " of a range of " +
                            std::to_string(count_));
  }
  return {storage_, offset_ + offset, count};
}

Shape::Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const std::int64_t> dims) : rank_(static_cast<int>(dims.size())) {
  if (dims.size() > dims_.size()) throw std::out_of_range("a sample has at most 4 dimensions");
  for (std::size_t i = 0; i < dims.size(); ++i) dims_[i] = dims[i];
}

std::int64_t Shape::elements() const {
  std::int64_t product = 1;
  for (int i = 0; i < rank_; ++i) product *= (*this)[i];
  return product;
}

std::string Shape::text() const {
  std::string text;
  for (int i = 0; i < rank_; ++i) text += (i == 0 ? "" : "x") + std::to_string((*this)[i]);
  return text.empty() ? "scalar" : text;
}

}  // namespace syncline
