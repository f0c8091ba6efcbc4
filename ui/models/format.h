// SPDX-License-Identifier: GPL-3.0-or-later
// How numbers, times and sizes are written. Axes, cells, tooltips and messages all use these, so that a value looks the same everywhere.
// The first group is for the screen (the user's locale), the second for files and the clipboard (C locale, full precision).
#pragma once

#include <QDateTime>
#include <QLocale>
#include <QString>
#include <QTimeZone>
#include <cstdint>
#include <optional>

namespace syncline::ui::format {

inline const QString missing = QStringLiteral("\u2013");  // en dash, never 0 and never empty

QString metric(double value);                                               // 0.2134, 1.204e−5, NaN, +∞; 4 significant digits
QString percent(double share);                                              // 0.9142: "91.42 %" (accuracies)
QString share(double share);                                                // 0.061: "6.1 %", "< 0.1 %"
QString count(std::int64_t value);                                          // 18 204, 1 280 000 in full
QString shortCount(double value);                                           // 1.28 M
QString rate(double value, const QString& what);                            // "12.4 k samples/s"
QString bytes(double value);                                                // memory and files, IEC: "412 MiB"
QString traffic(double bytes);                                              // measured traffic, SI: "1.18 GB"
QString trafficRate(double bytes_per_s);                                    // "1.18 GB/s"
QString linkSpeed(double bytes_per_s);                                      // declared links: "10 Gbit/s"
QString duration(double seconds);                                           // 450 µs, 41.2 ms, 3.4 s, 1 h 02 min 03 s, 2 d 4 h
QString spread(double mean, double deviation, int n);                       // "0.213 ± 0.008 (n = 5)"
QString difference(double value, double baseline, bool smaller_is_better);  // "+57 % ▲"
QString ago(double utc_s, double now_utc_s);                                // "2 d ago"
QString moment(double utc_s, const QTimeZone&);                             // "2026-03-09 14:05"
// A name for the middle of a sentence: one with right-to-left letters stands between U+2068 and U+2069, so that the words and numbers
// beside it stay where they are. Others, and an empty one, as they are.
QString isolated(const QString& name);
// `one` for a count of 1, else `many`; in both %1 is the count: counted(n, tr("%1 rank"), tr("%1 ranks")).
QString counted(std::int64_t n, const QString& one, const QString& many);
// What a copy is called: "mine copy", of that "mine copy 2".
QString copyOf(const QString& name);
template <typename T, typename Format>
QString orMissing(const std::optional<T>& value, Format written) {
  return value ? written(*value) : missing;
}

// The display unit of a quantity over a range, with hysteresis so that a live axis does not flicker: pass the unit in use.
struct Unit {
  QString text;       // "ms"
  double factor = 1;  // display = stored / factor
};
Unit durationUnit(double largest_s, const Unit& in_use = {});
// By the name of a stored series or column: its suffix (_s, _bytes, _per_s) decides. title: "Step time (ms)".
Unit unitFor(const QString& stored_name, double largest, const Unit& in_use = {});
QString titleOf(const QString& stored_name);           // "step_s": "Step time"
QString axisTitle(const QString& title, const Unit&);  // "Step time (ms)"

QString exact(double value);   // C locale, shortest round trip; "NaN", "Infinity", "-Infinity" as in the engine's exports
QString isoUtc(double utc_s);  // 2026-03-09T13:05:07.123Z

}  // namespace syncline::ui::format
