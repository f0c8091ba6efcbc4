// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/compare_data.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/store/emulation.h"
#include "ui/models/format.h"
#include "ui/models/run_page_read.h"
#include "ui/models/runs_columns.h"

namespace syncline::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Compare", text); }

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// The mean step after warm-up of the worker that the summary speaks of.
StepSums mean_step(Reader& reader, const std::string& run, const Summary& summary) {
  StepSums mean;
  const std::vector<int> ranks = reader.ranks(run);
  if (ranks.empty()) return mean;
  const int rank = summary.slowest_rank.value_or(ranks.front());
  double steps = 0;
  for (const StepBucket& bucket : reader.step_buckets(run, rank, summary.warm_up_steps, std::numeric_limits<std::int64_t>::max(), 200)) {
    const auto count = static_cast<double>(bucket.count);
    for (const StepField& field : step_fields) mean.*field.member += count * bucket.mean.*field.member;
    steps += count;
  }
  for (const StepField& field : step_fields) {
    if (steps > 0) mean.*field.member /= steps;
  }
  return mean;
}

// "emulated link 1 Gbit/s 100 us": what was emulated, in the words of the experiment.
QString emulated_machine(const RunInfo& run) {
  QStringList words;
  if (!run.emulated.empty()) words << QString::fromStdString(emulation_text(run));
  for (const char* key : {"cluster.link.bandwidth", "cluster.link.latency", "cluster.profile", "cluster.time_scale"}) {
    if (const std::string value = setting_of(run.experiment, key); !value.empty()) words << QString::fromStdString(value);
  }
  return words.join(u' ');
}

}  // namespace

ComparisonData read_comparison(Reader& reader, const QStringList& run_ids) {
  ComparisonData data;
  std::set<std::string> present;
  {
    Statement select = reader.database().prepare("SELECT 1 FROM run WHERE id = ?");
    for (const QString& id : run_ids) {
      select.reset();
      const std::string text = id.toStdString();
      select.bind_all(text);
      if (select.step()) present.insert(text);
    }
  }
  for (const QString& id : run_ids) {
    if (!present.contains(id.toStdString())) {
      data.missing << id;
      continue;
    }
    ComparedRun run;
    run.info = reader.run(id.toStdString());
    try {
      run.summary = summarise(reader, run.info);
      run.split = mean_step(reader, run.info.id, run.summary);
    } catch (const std::exception& error) {
      run.damage = QString::fromUtf8(error.what());
    }
    data.runs.push_back(std::move(run));
  }
  return data;
}

QStringList ComparedItem::runIds() const {
  QStringList ids;
  for (const ComparedRun* run : runs) ids << QString::fromStdString(run->info.id);
  return ids;
}

std::vector<const RunInfo*> ComparedItem::infos() const {
  std::vector<const RunInfo*> all;
  for (const ComparedRun* run : runs) all.push_back(&run->info);
  return all;
}

SeedsSpread ComparedItem::seedsSpreadOf(std::string_view key) const {
  std::vector<std::pair<const RunInfo*, double>> values;
  for (const ComparedRun* run : runs) {
    if (const auto value = value_of(run->summary, key)) values.emplace_back(&run->info, *value);
  }
  return spread_over_seeds(values);
}

QString with_mark(const QString& name, const ComparedItem& item) {
  const RunInfo& run = item.runs.front()->info;
  if (item.prediction()) return tr("%1 (SIM)").arg(format::isolated(name));
  if (is_paced(run)) return tr("%1 (PACED)").arg(format::isolated(name));
  return has_no_arithmetic(run) ? tr("%1 (EMULATED)").arg(format::isolated(name)) : name;
}

std::vector<ComparedItem> compared_items(const ComparisonData& data, bool aggregate) {
  std::vector<ComparedItem> items;
  std::map<std::string, std::size_t> places;
  for (const ComparedRun& run : data.runs) {
    const std::string key = run.info.group_key + (run.info.kind == "measured" ? "" : " " + run.info.kind);
    const auto found = aggregate ? places.find(key) : places.end();
    if (found != places.end()) {
      items[found->second].runs.push_back(&run);
      continue;
    }
    places[key] = items.size();
    ComparedItem item;
    item.id = aggregate ? u"g:" + QString::fromStdString(key) : u"r:" + QString::fromStdString(run.info.id);
    item.name = QString::fromStdString(run.info.name);
    item.runs = {&run};
    item.palette = run.info.palette;
    item.colour = QColor(QString::fromStdString(run.info.colour));
    items.push_back(std::move(item));
  }
  // Two experiments may have one name; then what is after it tells them apart.
  std::map<QString, int> names;
  for (const ComparedItem& item : items) ++names[item.name];
  for (ComparedItem& item : items) {
    if (names[item.name] > 1) {
      const RunInfo& run = item.runs.front()->info;
      item.name = tr("%1 (seed %2, %3)").arg(format::isolated(item.name)).arg(run.seed).arg(QString::fromStdString(run.id).right(6));
    }
    item.name = with_mark(item.name, item);
    const auto unfinished =
        std::count_if(item.runs.begin(), item.runs.end(), [](const ComparedRun* run) { return run->info.state != "finished"; });
    if (unfinished == 0) continue;
    const QString word = QString::fromStdString(item.runs.front()->info.state);
    item.note = item.runs.size() == 1 ? word : tr("%1 of %2 not finished").arg(unfinished).arg(item.runs.size());
  }
  return items;
}

ComparedCell compare_cell(const SummaryMetric& metric, const ComparedItem& item, const ComparedItem* baseline) {
  ComparedCell cell;
  const SeedsSpread seeds = item.seedsSpreadOf(metric.key);
  const Spread& spread = seeds.spread;
  if (spread.n == 0) {
    cell.value = format::missing;
    cell.words = tr("not measured in %1").arg(format::isolated(item.name));
    for (const ComparedRun* run : item.runs) {
      if (const auto why = times_withheld(run->summary)) cell.words = QString::fromStdString(*why);
    }
    return cell;
  }
  cell.value = seeds_spread_text(metric.quantity, seeds);
  if (spread.n == 1) cell.words = tr("single run");
  if (baseline == nullptr || baseline->id == item.id) return cell;
  const Spread base = baseline->spreadOf(metric.key);
  if (base.n == 0) {
    cell.words = tr("the baseline does not have this value");
    return cell;
  }
  const double difference = spread.mean - base.mean;
  if (difference == 0) {
    cell.difference = tr("equal to %1").arg(format::isolated(baseline->name));
    cell.words = tr("the same as the baseline");
    return cell;
  }
  const QString sign = difference < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
  cell.difference = sign + quantity_text(metric.quantity, std::abs(difference));
  // A difference of shares is in percentage points; the percent that follows is relative.
  if (metric.quantity == SummaryMetric::accuracy || metric.quantity == SummaryMetric::share) cell.difference.replace(u'%', tr("pp"));
  if (base.mean != 0) {
    QString relative = format::difference(spread.mean, base.mean, metric.better == SummaryMetric::lower);
    if (metric.better == SummaryMetric::neither) relative.remove(u'\u25b2').remove(u'\u25bc');
    cell.difference += QStringLiteral("  ") + relative.trimmed();
  }
  const bool good = (difference < 0) == (metric.better == SummaryMetric::lower);
  if (within_spread(spread, base)) {
    cell.verdict = ComparedCell::within;
    cell.difference.remove(u'\u25b2').remove(u'\u25bc');
    cell.words = tr("within spread: %1").arg(within_spread_rule());
  } else if (metric.better == SummaryMetric::neither) {
    cell.words = tr("neither direction is better");
  } else {
    cell.verdict = good ? ComparedCell::better : ComparedCell::worse;
    cell.words = good ? tr("better than the baseline") : tr("worse than the baseline");
    if (spread.n == 1 || base.n == 1) cell.words += tr(", single run: nothing is known of the noise");
  }
  return cell;
}

QString within_spread_rule() {
  return tr("with three runs or more on both sides, a difference below twice its standard error is within what repeating would give");
}

QString evaluated_parameters(const std::string& strategy) {
  // Those of every replica alike, unless the strategy lets replicas differ.
  return strategy == "none" ? tr("each rank's own parameters") : tr("common parameters");
}

QStringList comparison_warnings(const std::vector<ComparedItem>& items, XAxis axis) {
  QStringList warnings;
  const auto differing = [&](auto value, const QString& sentence) {
    QStringList values;
    for (const ComparedItem& item : items) {
      const QString one = QString::fromStdString(value(item.runs.front()->info));
      if (!one.isEmpty() && !values.contains(one)) values << one;
    }
    if (values.size() > 1) warnings << sentence.arg(values.mid(0, 5).join(QStringLiteral(", ")));
  };
  differing([](const RunInfo& run) { return run.dataset; }, tr("the data differ: %1"));
  differing([](const RunInfo& run) { return run.model; }, tr("the models differ: %1"));
  differing([](const RunInfo& run) { return run.workers > 1 ? evaluated_parameters(run.strategy).toStdString() : std::string(); },
            tr("what is evaluated differs: %1"));
  differing([](const RunInfo& run) { return run.kind; }, tr("measured runs stand beside predictions: %1"));
  const auto emulated =
      std::count_if(items.begin(), items.end(), [](const ComparedItem& item) { return !item.runs.front()->info.emulated.empty(); });
  if (emulated > 0 && emulated < static_cast<std::ptrdiff_t>(items.size())) {
    QStringList names;
    for (const ComparedItem& item : items) {
      if (!item.runs.front()->info.emulated.empty()) names << item.name;
    }
    warnings
        << tr("emulated runs stand beside real ones; times of %1 are those of the emulated machine").arg(names.join(QStringLiteral(", ")));
  }
  if (emulated == static_cast<std::ptrdiff_t>(items.size())) {
    differing([](const RunInfo& run) { return emulated_machine(run).toStdString(); }, tr("the emulated machines differ: %1"));
  }
  if (axis == XAxis::step && steps_differ(items)) {
    warnings << tr("the charts are over steps, and a step is not the same thing for all of these: strategies or numbers of workers differ");
  }
  return warnings;
}

bool steps_differ(const std::vector<ComparedItem>& items) {
  return std::any_of(items.begin(), items.end(), [&](const ComparedItem& item) {
    const RunInfo &run = item.runs.front()->info, &first = items.front().runs.front()->info;
    return run.strategy != first.strategy || run.workers != first.workers;
  });
}

QByteArray comparison_csv(const std::vector<ComparedItem>& items, const ComparedItem* baseline) {
  const auto quoted = [](QString text) { return QString(u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"'); };
  const auto number = [](double value) { return std::isfinite(value) ? format::exact(value) : QString(); };
  QStringList head = {QStringLiteral("name"), QStringLiteral("runs"), QStringLiteral("baseline")};
  for (const SummaryMetric& metric : compared_metrics()) {
    const QString key = text_of(metric.key);
    head << key << key + QStringLiteral("_deviation") << key + QStringLiteral("_n") << key + QStringLiteral("_difference")
         << key + QStringLiteral("_relative");
  }
  QString csv = head.join(u',') + u'\n';
  for (const ComparedItem& item : items) {
    const bool is_baseline = baseline != nullptr && baseline->id == item.id;
    QStringList row = {quoted(item.name), quoted(item.runIds().join(u' ')), is_baseline ? QStringLiteral("true") : QStringLiteral("false")};
    for (const SummaryMetric& metric : compared_metrics()) {
      const Spread spread = item.spreadOf(metric.key);
      const Spread base = baseline != nullptr ? baseline->spreadOf(metric.key) : Spread{NAN, NAN, 0};
      row << number(spread.mean) << number(spread.deviation) << QString::number(spread.n) << number(spread.mean - base.mean)
          << number(base.mean == 0 ? NAN : spread.mean / base.mean - 1);
    }
    csv += row.join(u',') + u'\n';
  }
  return csv.toUtf8();
}

}  // namespace syncline::ui
