// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_columns.h"

#include <QCoreApplication>
#include <QTimeZone>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/metrics/statistics.h"
#include "engine/store/emulation.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Runs", text); }

struct Fixed {
  const char *id, *title, *help;
  bool number, details;
  SummaryMetric::Quantity quantity;
};
using M = SummaryMetric;
constexpr std::array<Fixed, 16> fixed_columns = {{
    {"star", QT_TRANSLATE_NOOP("Runs", "★"), QT_TRANSLATE_NOOP("Runs", "Starred"), false, false, M::plain},
    {"name", QT_TRANSLATE_NOOP("Runs", "Name"), QT_TRANSLATE_NOOP("Runs", "The run's name, with its colour in charts"), false, false,
     M::plain},
    {"state", QT_TRANSLATE_NOOP("Runs", "State"), QT_TRANSLATE_NOOP("Runs", "Concluded from what can be seen of the job now"), false, false,
     M::plain},
    {"strategy", QT_TRANSLATE_NOOP("Runs", "Strategy"), QT_TRANSLATE_NOOP("Runs", "When and how workers exchange"), false, false, M::plain},
    {"ranks", QT_TRANSLATE_NOOP("Runs", "Ranks"), QT_TRANSLATE_NOOP("Runs", "Workers and servers"), true, false, M::plain},
    {"target", QT_TRANSLATE_NOOP("Runs", "Target"), QT_TRANSLATE_NOOP("Runs", "Where the job runs"), false, false, M::plain},
    {"created", QT_TRANSLATE_NOOP("Runs", "Created"), QT_TRANSLATE_NOOP("Runs", "When the run was launched"), false, false, M::plain},
    {"duration", QT_TRANSLATE_NOOP("Runs", "Duration"),
     QT_TRANSLATE_NOOP("Runs", "From start to end, or to the newest heartbeat; of the newest attempt"), true, false, M::duration},
    {"loss", QT_TRANSLATE_NOOP("Runs", "Loss (last)"), QT_TRANSLATE_NOOP("Runs", "Training loss of the last step"), true, true, M::plain},
    {"accuracy_last", QT_TRANSLATE_NOOP("Runs", "Acc. (last)"), QT_TRANSLATE_NOOP("Runs", "Test accuracy of the last evaluation"), true,
     true, M::accuracy},
    {"accuracy", QT_TRANSLATE_NOOP("Runs", "Acc. (best)"), QT_TRANSLATE_NOOP("Runs", "Best test accuracy of all evaluations"), true, true,
     M::accuracy},
    {"samples_per_s", QT_TRANSLATE_NOOP("Runs", "Samples/s"),
     QT_TRANSLATE_NOOP("Runs", "Samples trained per active second after warm-up, all workers together"), true, true, M::count},
    {"exposed", QT_TRANSLATE_NOOP("Runs", "Exposed"),
     QT_TRANSLATE_NOOP("Runs", "Share of the step in which communication is not covered by computing"), true, true, M::share},
    {"tags", QT_TRANSLATE_NOOP("Runs", "Tags"), "", false, false, M::plain},
    {"note", QT_TRANSLATE_NOOP("Runs", "Note"), "", false, false, M::plain},
    {"id", QT_TRANSLATE_NOOP("Runs", "Id"), QT_TRANSLATE_NOOP("Runs", "As the command line names it"), false, false, M::plain},
}};

constexpr const char* summary_prefix = "summary:";
constexpr const char* setting_prefix = "setting:";

QString texts(const std::vector<std::string>& words) {
  QStringList list;
  for (const std::string& word : words) list << QString::fromStdString(word);
  return list.join(QStringLiteral(", "));
}

RunsCell of_number(const RunsColumn& column, std::optional<double> number, const QString& reason) {
  if (!number) return {format::missing, reason, std::nullopt, false};
  return {quantity_text(column.quantity, *number), {}, number, false};
}

std::optional<double> summary_number(const QString& id, const Summary& summary) {
  if (id == u"loss") return summary.final_train_loss;
  if (id == u"accuracy_last") return summary.final_test_accuracy;
  if (id == u"accuracy") return summary.best_test_accuracy;
  if (id == u"samples_per_s") return summary.samples_per_s;
  if (id == u"exposed") return exposed_share(summary);
  return value_of(summary, id.mid(static_cast<int>(std::char_traits<char>::length(summary_prefix))).toStdString());
}

RunsCell of_details(const RunsColumn& column, const RunRow& row, const RunDetails* details) {
  if (details != nullptr && !details->damage.isEmpty()) return {format::missing, details->damage, std::nullopt, false};
  const bool setting = column.id.startsWith(QLatin1String(setting_prefix));
  if (setting) {
    const std::string key = column.id.mid(static_cast<int>(std::char_traits<char>::length(setting_prefix))).toStdString();
    const auto found = details == nullptr ? decltype(details->settings.end()){} : details->settings.find(key);
    if (details == nullptr || found == details->settings.end()) return {QStringLiteral("\u2026"), tr("being read"), std::nullopt, true};
    if (found->second.isEmpty()) return {format::missing, tr("this experiment does not have the key"), std::nullopt, false};
    bool numeric = false;
    const double number = found->second.toDouble(&numeric);
    return {found->second, {}, numeric ? std::optional(number) : std::nullopt, false};
  }
  if (details == nullptr || !details->summary) return {QStringLiteral("\u2026"), tr("being read"), std::nullopt, true};
  QString why = is_active(row.info.state) ? tr("not measured yet") : tr("not measured in this run");
  const bool learned = column.id == u"loss" || column.id.startsWith(u"accuracy");
  if (learned && has_no_arithmetic(row.info)) why = tr("nothing was computed in this run: its compute is emulated");
  if (const auto withheld = times_withheld(*details->summary); withheld && !learned) why = QString::fromStdString(*withheld);
  return of_number(column, summary_number(column.id, *details->summary), why);
}

// Behind the state: whose times these are, where it is not this machine's computing.
QString compute_mark(const RunInfo& run) { return is_paced(run) ? tr(", paced") : has_no_arithmetic(run) ? tr(", emulated") : QString(); }

std::optional<double> duration_of(const RunInfo& run) {
  const std::optional<double> until = run.ended ? run.ended : run.heartbeat;
  if (!run.started || !until) return std::nullopt;
  return std::max(0.0, *until - *run.started);
}

}  // namespace

RunsColumn runs_column(const QString& id) {
  for (const Fixed& fixed : fixed_columns) {
    if (id == QLatin1String(fixed.id)) {
      return {id, tr(fixed.title), *fixed.help == 0 ? QString() : tr(fixed.help), fixed.number, fixed.details, fixed.quantity};
    }
  }
  if (id.startsWith(QLatin1String(summary_prefix))) {
    const auto metric = summary_metric(id.mid(8).toStdString());
    if (!metric) return {};
    QString title = QString::fromUtf8(metric->name.data(), static_cast<int>(metric->name.size()));
    if (metric->name == metric->key) title = format::titleOf(title);
    title[0] = title[0].toUpper();
    return {id, title, tr("summary: %1").arg(id.mid(8)), true, true, metric->quantity};
  }
  if (id.startsWith(QLatin1String(setting_prefix)) && id.size() > 8)
    return {id, id.mid(8), tr("setting of the experiment"), false, true, M::plain};
  return {};
}

QStringList frozen_run_columns() { return {QStringLiteral("star"), QStringLiteral("name"), QStringLiteral("state")}; }

QStringList default_run_columns() {
  QStringList ids;
  for (const Fixed& fixed : fixed_columns) {
    if (QLatin1String(fixed.id) != QLatin1String("id")) ids << QString::fromUtf8(fixed.id);
  }
  return ids;
}

QStringList known_run_columns() {
  QStringList ids;
  for (const Fixed& fixed : fixed_columns) ids << QString::fromUtf8(fixed.id);
  for (const std::string& key : summary_keys()) ids << QLatin1String(summary_prefix) + QString::fromStdString(key);
  return ids;
}

QString quantity_text(SummaryMetric::Quantity quantity, double value) {
  switch (quantity) {
    case M::share:
      return std::isfinite(value) ? format::share(value) : format::metric(value);
    case M::accuracy:
      return std::isfinite(value) ? format::percent(value) : format::metric(value);
    case M::duration:
      return format::duration(value);
    case M::count:
    case M::rate:
      return format::shortCount(value);
    case M::bytes:
      return format::traffic(value);
    case M::plain:
      break;
  }
  if (value == std::floor(value) && std::abs(value) < 1e15) return format::count(static_cast<std::int64_t>(value));
  return format::metric(value);
}

QString spread_text(SummaryMetric::Quantity quantity, double mean, double deviation, int n) {
  double factor = 1;
  QString unit;
  if (quantity == M::share || quantity == M::accuracy) {
    factor = 0.01;
    unit = QStringLiteral("%");
  } else if (quantity == M::duration) {
    const format::Unit chosen = format::durationUnit(std::abs(mean));
    factor = chosen.factor;
    unit = chosen.text;
  } else if (quantity != M::plain) {
    static constexpr std::array<std::pair<double, const char*>, 4> steps = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
    const auto step = std::find_if(steps.begin(), steps.end() - 1, [mean](const auto& one) { return std::abs(mean) >= one.first; });
    factor = step->first;
    unit = QString::fromUtf8(step->second) + (quantity == M::bytes ? QStringLiteral("B") : QString());
  }
  QString text = format::spread(mean / factor, deviation / factor, n);
  if (unit.isEmpty()) return text;
  const QString before_n = QStringLiteral(" (n");
  const auto at = text.indexOf(before_n);
  return at < 0 ? text + u' ' + unit : text.insert(at, u' ' + unit);
}

QString seeds_spread_text(SummaryMetric::Quantity quantity, const SeedsSpread& of) {
  if (of.spread.n <= 1) return of.spread.n == 0 ? format::missing : quantity_text(quantity, of.spread.mean);
  QString text = spread_text(quantity, of.spread.mean, of.spread.deviation, of.spread.n);
  if (of.copies && of.spread.n == of.runs) text.replace(QStringLiteral("(n = %1)").arg(of.runs), tr("(%1 runs)").arg(of.runs));
  return text;
}

QString seeds_text(const std::vector<const RunInfo*>& runs) {
  const auto all = static_cast<int>(runs.size());
  const int seeds = distinct_seeds(runs);
  if (all == 1) return tr("single run");
  if (seeds == all) return tr("%1 seeds").arg(seeds);
  return seeds == 1 ? tr("%1 runs of one seed").arg(all) : tr("%1 seeds, %2 runs").arg(seeds).arg(all);
}

bool sorts_by_number(const RunsColumn& column) {
  return column.number || column.id == u"star" || column.id == u"state" || column.id == u"created";
}

std::optional<double> number_of(const RunsColumn& column, const RunRow& row, const RunDetails* details) {
  const RunInfo& run = row.info;
  if (column.details) return details != nullptr && details->summary ? summary_number(column.id, *details->summary) : std::nullopt;
  if (column.id == u"star") return run.starred ? 1 : 0;
  if (column.id == u"state") return state_order(details != nullptr && !details->damage.isEmpty() ? "damaged" : run.state);
  if (column.id == u"ranks") return run.workers + run.servers;
  if (column.id == u"created") return row.created;
  if (column.id == u"duration") return duration_of(run);
  return std::nullopt;
}

std::optional<double> number_of_group(const RunsColumn& column, const std::vector<RunRowPtr>& rows, const RunsDetails& details) {
  std::vector<std::pair<const RunInfo*, double>> numbers;
  for (const RunRowPtr& row : rows) {
    const auto number = number_of(column, *row, details.find(row->info.id));
    if (number && std::isfinite(*number)) numbers.emplace_back(&row->info, *number);
  }
  if (numbers.empty()) return std::nullopt;
  if (column.number) return spread_over_seeds(numbers).spread.mean;
  // The newest, the one that needs a person most, and starred only when all are.
  const auto less = [](const auto& left, const auto& right) { return left.second < right.second; };
  return column.id == u"created" ? std::max_element(numbers.begin(), numbers.end(), less)->second
                                 : std::min_element(numbers.begin(), numbers.end(), less)->second;
}

RunsCell cell_of(const RunsColumn& column, const RunRow& row, const RunDetails* details, double now_utc_s) {
  const RunInfo& run = row.info;
  const QString& id = column.id;
  if (column.details) return of_details(column, row, details);
  if (id == u"star")
    return {run.starred ? QStringLiteral("\u2605") : QStringLiteral("\u2606"), run.starred ? tr("starred") : tr("not starred"),
            run.starred ? 1.0 : 0.0, false};
  if (id == u"name")
    return {QString::fromStdString(run.name),
            run.name == run.given_name ? QString() : tr("in the experiment: %1").arg(QString::fromStdString(run.given_name)), std::nullopt,
            false};
  if (id == u"state") {
    const bool damaged = details != nullptr && !details->damage.isEmpty();
    const StateLook look = state_look(damaged ? "damaged" : run.state);
    const QString mark = compute_mark(run), emulated = QString::fromStdString(emulation_text(run));
    const QString sentence = damaged ? tr("Damaged: %1").arg(details->damage) : state_sentence(run);
    return {look.sign + u' ' + look.word + mark,
            emulated.isEmpty() ? sentence : tr("%1; %2: times are those of the emulated machine").arg(sentence, emulated),
            static_cast<double>(look.order), false};
  }
  if (id == u"strategy") {
    const QString strategy = QString::fromStdString(run.strategy);
    return {run.plan.empty() || run.strategy == "none" ? strategy : tr("%1, %2").arg(strategy, QString::fromStdString(run.plan)),
            {},
            std::nullopt,
            false};
  }
  if (id == u"ranks") {
    const QString tip = run.servers > 0 ? tr("%1, %2").arg(format::counted(run.workers, tr("%1 worker"), tr("%1 workers")),
                                                           format::counted(run.servers, tr("%1 server"), tr("%1 servers")))
                                        : tr("workers only");
    return {format::count(run.workers + run.servers), tip, static_cast<double>(run.workers + run.servers), false};
  }
  if (id == u"target") {
    const bool here = run.host.empty() || run.host == host_name();
    return {here ? tr("this computer") : QString::fromStdString(run.host), QString::fromStdString(run.host), std::nullopt, false};
  }
  if (id == u"created")
    return {format::ago(row.created, now_utc_s), format::moment(row.created, QTimeZone::systemTimeZone()), row.created, false};
  if (id == u"duration") return of_number(column, duration_of(run), tr("not started"));
  if (id == u"tags") return {texts(run.tags), {}, std::nullopt, false};
  if (id == u"note") {
    const QString note = QString::fromStdString(run.notes);
    return {note.section(u'\n', 0, 0), note, std::nullopt, false};
  }
  if (id == u"id") return {QString::fromStdString(run.id), {}, std::nullopt, false};
  return {};
}

QString runs_as_table(const std::vector<RunsColumn>& columns, const std::vector<RunRowPtr>& rows, const RunsDetails& details) {
  QStringList heads;
  for (const RunsColumn& column : columns) heads << (column.id == u"star" ? tr("Starred") : column.title);
  QStringList lines = {heads.join(u'\t')};
  for (const RunRowPtr& row : rows) {
    QStringList cells;
    for (const RunsColumn& column : columns) {
      const RunsCell cell = cell_of(column, *row, details.find(row->info.id), row->created);
      if (column.id == u"state") {
        cells << QString::fromStdString(row->info.state) + compute_mark(row->info);
      } else if (column.id == u"created") {
        cells << format::isoUtc(row->created);
      } else if (column.id == u"star") {
        cells << (row->info.starred ? tr("yes") : tr("no"));
      } else if (column.number) {
        cells << (cell.number ? format::exact(*cell.number) : QString());
      } else {
        cells << (cell.text == format::missing ? QString() : QString(cell.text).replace(u'\t', u' '));
      }
    }
    lines << cells.join(u'\t');
  }
  return lines.join(u'\n') + u'\n';
}

RunsCell cell_of_group(const RunsColumn& column, const std::vector<RunRowPtr>& rows, const RunsDetails& details, double now_utc_s) {
  if (column.id == u"state") {
    std::map<int, std::pair<StateLook, int>> counts;
    std::set<QString> marks;  // runs of one experiment have one; other groups may have several
    for (const RunRowPtr& row : rows) {
      const StateLook look = state_look(row->info.state);
      counts.try_emplace(look.order, look, 0).first->second.second += 1;
      marks.insert(compute_mark(row->info));
    }
    QStringList signs, words;
    for (const auto& [order, one] : counts) {
      signs << QString::number(one.second) + u' ' + one.first.sign;
      words << tr("%1 %2").arg(one.second).arg(one.first.word.toLower());
    }
    const QString text = counts.size() == 1 ? counts.begin()->second.first.sign + u' ' + counts.begin()->second.first.word
                                            : signs.join(QStringLiteral("  "));
    const QString mark = marks.size() == 1 ? *marks.begin() : tr(", some emulated");
    return {text + mark, words.join(QStringLiteral(", ")) + mark, static_cast<double>(counts.begin()->first), false};
  }
  if (column.id == u"created") return cell_of(column, *rows.front(), nullptr, now_utc_s);
  std::vector<std::pair<const RunInfo*, double>> numbers;
  std::set<QString> different;
  bool pending = false, starred = true;
  for (const RunRowPtr& row : rows) {
    const RunsCell cell = cell_of(column, *row, details.find(row->info.id), now_utc_s);
    pending = pending || cell.pending;
    starred = starred && row->info.starred;
    if (column.number && cell.number && std::isfinite(*cell.number)) numbers.emplace_back(&row->info, *cell.number);
    if (!column.number) different.insert(cell.text);
  }
  if (column.id == u"star") return {starred ? QStringLiteral("\u2605") : QStringLiteral("\u2606"), {}, starred ? 1.0 : 0.0, false};
  if (!column.number) {
    if (different.size() == 1) return {*different.begin(), {}, std::nullopt, pending};
    if (column.id == u"tags" || column.id == u"note" || column.id == u"id") return {};
    QStringList all(different.begin(), different.end());
    return {tr("%1 different").arg(different.size()), all.mid(0, 20).join(QStringLiteral(", ")), std::nullopt, pending};
  }
  if (pending) return {QStringLiteral("\u2026"), tr("being read"), std::nullopt, true};
  if (numbers.empty()) return {format::missing, tr("not measured in any of these runs"), std::nullopt, false};
  const auto [spread, runs, copies] = spread_over_seeds(numbers);
  if (runs == 1) return {quantity_text(column.quantity, spread.mean), tr("of one run"), spread.mean, false};
  if (spread.deviation == 0) return {quantity_text(column.quantity, spread.mean), tr("the same in %1 runs").arg(runs), spread.mean, false};
  const QString all = seeds_spread_text(column.quantity, {spread, runs, copies});
  if (!copies) return {all, tr("mean \u00b1 standard deviation of %1 runs").arg(runs), spread.mean, false};
  if (spread.n == runs) {  // one seed: what repeating it gives
    return {all, tr("mean \u00b1 standard deviation of %1 runs of one seed").arg(runs), spread.mean, false};
  }
  const QString tip = tr("mean \u00b1 standard deviation of %1 seeds; %2 runs: a seed that was run again counts once, with its mean");
  return {all, tip.arg(spread.n).arg(runs), spread.mean, false};
}

}  // namespace syncline::ui
