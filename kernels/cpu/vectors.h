// SPDX-License-Identifier: Apache-2.0
// Flat vectors, rows and columns: the operations of the CPU backend that need neither a primitive nor a state.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "kernels/backend.h"
#include "kernels/cpu/context.h"

namespace syncline::cpu {

void set(Context& context, const View& out, std::initializer_list<Backend::Term> sum, bool relaxed);
double dot(Context& context, const View& a, const View& b);
bool all_finite(Context& context, const View& x);
void add(Context& context, const View& a, const View& b, const View& out, bool relu);
void pointwise(Context& context, std::string_view functor, std::span<const View> views, std::span<const double> scalars);
void dropout(Context& context, std::int64_t rows, std::int64_t per_row, std::uint64_t key, std::int64_t first_position, double rate,
             const View& x, const View& y);
void copy_channels(Context& context, std::int64_t positions, const View& from, std::int64_t from_width, std::int64_t from_first,
                   const View& to, std::int64_t to_width, std::int64_t to_first, std::int64_t channels, bool accumulate);
void embedding_forward(Context& context, std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens,
                       const View& table, const View& y);
void embedding_backward(Context& context, std::int64_t positions, std::int64_t vocabulary, std::int64_t width, const View& tokens,
                        const View& dy, const View& dtable, bool accumulate);

}  // namespace syncline::cpu
