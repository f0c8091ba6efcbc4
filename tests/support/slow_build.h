// SPDX-License-Identifier: Apache-2.0
// Whether this is a build for finding errors: what it takes says nothing about speed, and long tests run fewer rounds.
#pragma once

namespace syncline::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define SYNCLINE_SLOW_BUILD
#elif defined(__has_feature)  // how clang says it
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SYNCLINE_SLOW_BUILD
#endif
#endif
#ifdef SYNCLINE_SLOW_BUILD
inline constexpr bool speed_counts = false;
#else
inline constexpr bool speed_counts = true;
#endif

}  // namespace syncline::test
