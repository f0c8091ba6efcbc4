// SPDX-License-Identifier: Apache-2.0
// The pieces of a TensorBoard event file: TFRecord framing and the Event message in protobuf's wire format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace syncline::tensorboard {

std::uint32_t crc32c(std::string_view);         // Castagnoli
std::uint32_t masked_crc32c(std::string_view);  // TFRecord's rotation and addition
std::string record(std::string_view payload);   // length, masked CRC of it, payload, masked CRC of it

std::string version_event(double wall_s);  // the first event of a file: file_version "brain.Event:2"
std::string scalar_event(double wall_s, std::int64_t step, std::string_view tag, double value);  // value as float, as TensorBoard stores it

}  // namespace syncline::tensorboard
