// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/format.h"

#include <fmt/core.h>

#include <QCoreApplication>
#include <QHash>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace syncline::ui::format {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(syncline::ui::format)
};

const QString minus = QStringLiteral("\u2212");

QString on_screen(QString text) { return text.replace(u'-', minus); }

// The exponent that `value` has once it is rounded to `digits` significant ones: 9.9996 with four is 10.00.
int rounded_exponent(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*e", digits - 1, std::abs(value));
  const char* exponent = text.data();
  while (*exponent != 'e' && *exponent != '\0') ++exponent;
  return *exponent == 'e' ? std::atoi(exponent + 1) : 0;
}

std::optional<QString> special(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("+∞") : QString(minus % QStringLiteral("∞"));
  return std::nullopt;
}

// `digits` significant digits without an exponent, never more decimals than that takes.
QString significant(double value, int digits) {
  if (value == 0) return QStringLiteral("0");
  const int decimals = std::max(0, digits - 1 - rounded_exponent(value, digits));
  return on_screen(QLocale().toString(value, 'f', decimals));
}

QString fixed(double value, int decimals) { return on_screen(QLocale().toString(value, 'f', decimals)); }

struct Step {
  double factor;
  QString text;
};

// The largest step that the value reaches once rounded to three digits.
const Step& step_for(double value, std::span<const Step> steps) {
  const Step* chosen = &steps.front();
  for (const Step& step : steps) {
    const double in_step = std::abs(value) / step.factor;
    if (in_step != 0 && rounded_exponent(in_step, 3) >= 0) chosen = &step;
  }
  return *chosen;
}

QString scaled(double value, std::span<const Step> steps, const QString& after = {}) {
  if (const auto text = special(value)) return QString(*text % u' ' % steps.front().text % after);
  const Step& step = step_for(value, steps);
  const QString unit = QString(step.text % after);
  const QString number =
      step.factor == 1 && value == std::round(value) && std::abs(value) < 1000 ? fixed(value, 0) : significant(value / step.factor, 3);
  return unit.isEmpty() ? number : QString(number % u' ' % unit);
}

const std::array<Step, 5>& decimal_steps() {
  static const std::array<Step, 5> steps = {
      {{1, {}}, {1e3, QStringLiteral("k")}, {1e6, QStringLiteral("M")}, {1e9, QStringLiteral("G")}, {1e12, QStringLiteral("T")}}};
  return steps;
}
const std::array<Step, 5>& decimal_byte_steps() {
  static const std::array<Step, 5> steps = {{{1, QStringLiteral("B")},
                                             {1e3, QStringLiteral("kB")},
                                             {1e6, QStringLiteral("MB")},
                                             {1e9, QStringLiteral("GB")},
                                             {1e12, QStringLiteral("TB")}}};
  return steps;
}
const std::array<Step, 5>& binary_byte_steps() {
  static const std::array<Step, 5> steps = {{{1, QStringLiteral("B")},
                                             {1024, QStringLiteral("KiB")},
                                             {1048576, QStringLiteral("MiB")},
                                             {1073741824, QStringLiteral("GiB")},
                                             {1099511627776, QStringLiteral("TiB")}}};
  return steps;
}

// A unit reaches from its own factor to that of the next; one in use is kept until the range leaves a factor of three around that.
struct UnitRange {
  Unit unit;
  double from, to;
};

Unit choose(std::span<const UnitRange> ranges, double largest, const Unit& in_use) {
  const double value = std::abs(largest);
  for (const UnitRange& range : ranges) {
    if (range.unit.text == in_use.text && value >= range.from / 3 && value < range.to * 3) return range.unit;
  }
  for (const UnitRange& range : ranges) {
    if (value < range.to) return range.unit;
  }
  return ranges.back().unit;
}

Unit unit_of_steps(std::span<const Step> steps, const QString& after, double largest, const Unit& in_use) {
  std::vector<UnitRange> ranges;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double to = i + 1 < steps.size() ? steps[i + 1].factor : HUGE_VAL;
    const QString text = steps[i].text.isEmpty() || after.startsWith(u'/') ? QString(steps[i].text % after)
                         : after.isEmpty()                                 ? steps[i].text
                                                                           : QString(steps[i].text % u' ' % after);
    ranges.push_back({{text, steps[i].factor}, i == 0 ? 0 : steps[i].factor, to});
  }
  return choose(ranges, largest, in_use);
}

bool is_traffic(const QString& name) {
  return name == QStringLiteral("bytes") || name.contains(QStringLiteral("sent")) || name.contains(QStringLiteral("received")) ||
         name.contains(QStringLiteral("wire"));
}

bool is_share(const QString& name) {
  return name.endsWith(QStringLiteral("accuracy")) || name.endsWith(QStringLiteral("_fraction")) || name.endsWith(QStringLiteral("_share"));
}

QString two(int value) { return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0')); }

}  // namespace

QString metric(double value) {
  if (const auto text = special(value)) return *text;
  if (value == std::round(value) && std::abs(value) < 1e6) return value == 0 ? QStringLiteral("0") : fixed(value, 0);
  const int exponent = rounded_exponent(value, 4);
  if (exponent < -3 || exponent >= 6) {
    const double mantissa = value / std::pow(10.0, exponent);
    return QString(fixed(mantissa, 3) % u'e' % on_screen(QString::number(exponent)));
  }
  return significant(value, 4);
}

QString percent(double value) {
  if (const auto text = special(value)) return *text;
  return QString(fixed(100 * value, 2) % QStringLiteral(" %"));
}

QString share(double value) {
  if (const auto text = special(value)) return *text;
  if (value > 0 && value < 0.001) return QString(QStringLiteral("< ") % fixed(0.1, 1) % QStringLiteral(" %"));
  return QString(fixed(100 * value, 1) % QStringLiteral(" %"));
}

QString count(std::int64_t value) { return on_screen(QLocale().toString(static_cast<qlonglong>(value))); }

QString shortCount(double value) { return scaled(value, decimal_steps()); }

QString rate(double value, const QString& what) {
  if (const auto text = special(value)) return QString(*text % u' ' % what % QStringLiteral("/s"));
  return QString(shortCount(value) % u' ' % what % QStringLiteral("/s"));
}

QString bytes(double value) {
  if (std::isfinite(value) && std::abs(value) < 1024) return QString(fixed(value, 0) % QStringLiteral(" B"));
  if (const auto text = special(value)) return QString(*text % QStringLiteral(" B"));
  const Step* chosen = &binary_byte_steps().front();
  for (const Step& step : binary_byte_steps()) {
    if (std::abs(value) >= step.factor * 1023.5 / 1024) chosen = &step;
  }
  // Up to four digits before the point, because a unit is 1024 of the one below.
  const double in_step = value / chosen->factor;
  return QString((std::abs(in_step) >= 999.5 ? fixed(in_step, 0) : significant(in_step, 3)) % u' ' % chosen->text);
}

QString traffic(double value) { return scaled(value, decimal_byte_steps()); }
QString trafficRate(double bytes_per_s) { return scaled(bytes_per_s, decimal_byte_steps(), QStringLiteral("/s")); }

QString linkSpeed(double bytes_per_s) {
  if (const auto text = special(bytes_per_s)) return QString(*text % QStringLiteral(" bit/s"));
  const double bits = 8 * bytes_per_s;
  const Step& step = step_for(bits, decimal_steps());
  // As vendors write it: "10 Gbit/s", not "10.0".
  QString number = on_screen(QLocale().toString(bits / step.factor, 'g', 3));
  return QString(number % u' ' % step.text % QStringLiteral("bit/s"));
}

QString duration(double seconds) {
  if (const auto text = special(seconds)) return QString(*text % QStringLiteral(" s"));
  if (seconds < 0) return Text::tr("clocks disagree");
  if (seconds == 0) return QStringLiteral("0 s");
  if (seconds < 999.5e-9) return QString(significant(seconds * 1e9, 3) % QStringLiteral(" ns"));
  if (seconds < 999.5e-6) return QString(significant(seconds * 1e6, 3) % QStringLiteral(" µs"));
  if (seconds < 0.9995) return QString(significant(seconds * 1e3, 3) % QStringLiteral(" ms"));
  if (seconds < 59.95) return QString(fixed(seconds, 1) % QStringLiteral(" s"));
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, 9e15)));
  const std::int64_t days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60, rest = whole % 60;
  if (days > 0) return Text::tr("%1 d %2 h").arg(count(days)).arg(hours);
  if (hours > 0) return Text::tr("%1 h %2 min %3 s").arg(hours).arg(two(static_cast<int>(minutes)), two(static_cast<int>(rest)));
  return Text::tr("%1 min %2 s").arg(minutes).arg(two(static_cast<int>(rest)));
}

QString spread(double mean, double deviation, int n) {
  const QString of = QStringLiteral(" (n = %1)").arg(n);
  if (!std::isfinite(mean) || !std::isfinite(deviation) || n < 2) return QString(metric(mean) % of);
  if (deviation == 0) return QString(metric(mean) % QStringLiteral(" ± 0") % of);
  // The spread to one digit, to two where it begins with 1; the value to the same place.
  const int one = rounded_exponent(deviation, 1);
  const bool leading_one = deviation / std::pow(10.0, one) < 1.95;
  const int place = leading_one ? rounded_exponent(deviation, 2) - 1 : one;
  if (place < -6 || rounded_exponent(mean, 4) >= 6) {
    return QString(metric(mean) % QStringLiteral(" ± ") % metric(deviation) % of);
  }
  const int decimals = std::max(0, -place);
  return QString(fixed(mean, decimals) % QStringLiteral(" ± ") % fixed(deviation, decimals) % of);
}

QString difference(double value, double baseline, bool smaller_is_better) {
  if (!std::isfinite(value) || !std::isfinite(baseline) || baseline == 0) return missing;
  const double change = 100 * (value - baseline) / std::abs(baseline);
  const QString number = fixed(std::abs(change), std::abs(change) < 9.95 ? 1 : 0);
  if (std::abs(change) < 0.05) return QStringLiteral("0 %");
  const bool better = (change < 0) == smaller_is_better;
  return QString((change > 0 ? QStringLiteral("+") : minus) % number % (better ? QStringLiteral(" % ▲") : QStringLiteral(" % ▼")));
}

QString ago(double utc_s, double now_utc_s) {
  const double passed = now_utc_s - utc_s;
  if (!std::isfinite(passed)) return missing;
  if (passed < -2) return Text::tr("clocks disagree");
  const auto whole = static_cast<std::int64_t>(std::max(0.0, passed));
  if (whole < 1) return Text::tr("now");
  if (whole < 60) return Text::tr("%1 s ago").arg(whole);
  if (whole < 3600) return Text::tr("%1 min ago").arg(whole / 60);
  if (whole < 86400) return Text::tr("%1 h ago").arg(whole / 3600);
  return Text::tr("%1 d ago").arg(whole / 86400);
}

QString moment(double utc_s, const QTimeZone& zone) {
  if (!std::isfinite(utc_s)) return missing;
  return QDateTime::fromMSecsSinceEpoch(std::llround(utc_s * 1000), zone).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

Unit durationUnit(double largest_s, const Unit& in_use) {
  static const std::array<UnitRange, 7> ranges = {{{{QStringLiteral("ns"), 1e-9}, 0, 1e-6},
                                                   {{QStringLiteral("µs"), 1e-6}, 1e-6, 1e-3},
                                                   {{QStringLiteral("ms"), 1e-3}, 1e-3, 1},
                                                   {{QStringLiteral("s"), 1}, 1, 180},
                                                   {{QStringLiteral("min"), 60}, 180, 3 * 3600.0},
                                                   {{QStringLiteral("h"), 3600}, 3 * 3600.0, 3 * 86400.0},
                                                   {{QStringLiteral("d"), 86400}, 3 * 86400.0, HUGE_VAL}}};
  if (largest_s == 0 && in_use.text.isEmpty()) return {QStringLiteral("s"), 1};
  return choose(ranges, largest_s, in_use);
}

Unit unitFor(const QString& name, double largest, const Unit& in_use) {
  if (name.endsWith(QStringLiteral("bytes_per_s"))) return unit_of_steps(decimal_byte_steps(), QStringLiteral("/s"), largest, in_use);
  if (name.endsWith(QStringLiteral("_per_s"))) {
    const QString what = QString(name.chopped(6)).replace(u'_', u' ');
    return unit_of_steps(decimal_steps(), QString(what % QStringLiteral("/s")), largest, in_use);
  }
  if (name == QStringLiteral("bytes") || name.endsWith(QStringLiteral("_bytes"))) {
    if (is_traffic(name)) return unit_of_steps(decimal_byte_steps(), {}, largest, in_use);
    return unit_of_steps(binary_byte_steps(), {}, largest, in_use);
  }
  if (name.endsWith(QStringLiteral("_s"))) return durationUnit(largest, in_use);
  if (is_share(name)) return {QStringLiteral("%"), 0.01};
  return {};
}

QString titleOf(const QString& name) {
  static const QHash<QString, QString> known = {
      {QStringLiteral("train_loss"), Text::tr("Training loss")},
      {QStringLiteral("train_accuracy"), Text::tr("Training accuracy")},
      {QStringLiteral("test_loss"), Text::tr("Test loss")},
      {QStringLiteral("test_accuracy"), Text::tr("Test accuracy")},
      {QStringLiteral("samples_per_s"), Text::tr("Throughput")},
      {QStringLiteral("step_s"), Text::tr("Step time")},
      {QStringLiteral("comm_s"), Text::tr("Communication")},
      {QStringLiteral("exposed_s"), Text::tr("Exposed communication")},
      {QStringLiteral("hidden_s"), Text::tr("Hidden communication")},
      {QStringLiteral("active_s"), Text::tr("Active time")},
      {QStringLiteral("elapsed_s"), Text::tr("Elapsed time")},
      {QStringLiteral("wall_s"), Text::tr("Wall clock")},
      {QStringLiteral("bytes"), Text::tr("Bytes sent per rank")},
      {QStringLiteral("gradients"), Text::tr("Gradient evaluations")},
      {QStringLiteral("rounds"), Text::tr("Communication rounds")},
      {QStringLiteral("cpu_share"), Text::tr("CPU use")},
      {QStringLiteral("resident_memory_bytes"), Text::tr("Memory")},
      {QStringLiteral("network_sent_bytes_per_s"), Text::tr("Sent")},
      {QStringLiteral("network_received_bytes_per_s"), Text::tr("Received")},
  };
  if (const auto found = known.constFind(name); found != known.constEnd()) return *found;
  QString title = name;
  for (const QString& suffix : {QStringLiteral("_per_s"), QStringLiteral("_bytes"), QStringLiteral("_s")}) {
    if (title.endsWith(suffix)) {
      title.chop(suffix.size());
      break;
    }
  }
  title.replace(u'_', u' ');
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

QString axisTitle(const QString& title, const Unit& unit) {
  return unit.text.isEmpty() ? title : QString(title % QStringLiteral(" (") % unit.text % u')');
}

QString exact(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("Infinity") : QStringLiteral("-Infinity");
  return QString::fromStdString(fmt::format("{}", value));
}

QString isoUtc(double utc_s) {
  if (!std::isfinite(utc_s)) return {};
  return QDateTime::fromMSecsSinceEpoch(std::llround(utc_s * 1000), Qt::UTC).toString(QStringLiteral("yyyy-MM-ddTHH:mm:ss.zzzZ"));
}

QString isolated(const QString& name) {
  bool turns = false;
  for (qsizetype at = 0; at < name.size() && !turns; ++at) {
    const bool pair = name[at].isHighSurrogate() && at + 1 < name.size();
    switch (pair ? QChar::direction(QChar::surrogateToUcs4(name[at], name[at + 1])) : name[at].direction()) {
      case QChar::DirR:
      case QChar::DirAL:
      case QChar::DirAN:
      case QChar::DirRLE:
      case QChar::DirRLO:
      case QChar::DirLRE:
      case QChar::DirLRO:
      case QChar::DirRLI:
      case QChar::DirLRI:
      case QChar::DirFSI:
        turns = true;
        break;
      default:
        break;
    }
  }
  return turns ? QString(QChar(0x2068) % name % QChar(0x2069)) : name;
}

QString counted(std::int64_t n, const QString& one, const QString& many) { return (n == 1 ? one : many).arg(count(n)); }

QString copyOf(const QString& name) {
  const QString first = QCoreApplication::translate("format", "%1 copy");
  const QString word = QString(first).remove(QStringLiteral("%1"));  // " copy"
  const qsizetype at = name.lastIndexOf(word);
  if (at > 0) {
    const QString after = name.mid(at + word.size());
    bool counted = false;
    const int number = after.startsWith(u' ') ? QStringView(after).mid(1).toInt(&counted) : 0;
    if (after.isEmpty()) return name + QStringLiteral(" 2");
    if (counted && number > 1) return QString(name.left(at + word.size()) % u' ' % QString::number(number + 1));
  }
  return first.arg(name);
}

}  // namespace syncline::ui::format
