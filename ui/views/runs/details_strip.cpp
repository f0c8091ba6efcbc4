// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs/details_strip.h"

#include <limits>

#include "engine/metrics/clock.h"
#include "ui/models/format.h"
#include "ui/models/runs_columns.h"
#include "ui/widgets/sparkline.h"

namespace syncline::ui {

namespace {

constexpr int points_wanted = 60;

struct Curves {
  std::vector<QPointF> loss, rate, exposed;
  QString last_loss, last_rate, last_exposed;
};

std::vector<QPointF> points_of(Reader& reader, const std::string& run, std::string_view name) {
  std::vector<QPointF> points;
  const auto series = reader.find_series(run, name);
  if (!series) return points;
  const double everything = std::numeric_limits<double>::infinity();
  const SeriesView view = reader.read(series->key, XAxis::step, -everything, everything, points_wanted);
  for (const Point& point : view.points) points.emplace_back(static_cast<double>(point.axes.step), point.value);
  // A spike of one sample stays visible: each bucket gives its lowest and its highest value.
  for (const SeriesBucket& bucket : view.buckets) {
    points.emplace_back(static_cast<double>(bucket.first_axes.step), bucket.min);
    points.emplace_back(static_cast<double>(bucket.last_axes.step), bucket.max);
  }
  return points;
}

Curves read_curves(Reader& reader, const std::string& run, int rank) {
  Curves curves;
  curves.loss = points_of(reader, run, series::train_loss);
  if (!curves.loss.empty()) curves.last_loss = format::metric(curves.loss.back().y());
  const std::vector<int> ranks = reader.ranks(run);
  if (ranks.empty()) return curves;
  const int which = std::find(ranks.begin(), ranks.end(), rank) == ranks.end() ? ranks.front() : rank;
  for (const StepBucket& bucket : reader.step_buckets(run, which, 0, std::numeric_limits<std::int64_t>::max(), points_wanted)) {
    const StepSums& mean = bucket.mean;
    if (mean.step_s <= 0) continue;
    const auto step = static_cast<double>(mean.axes.step);
    curves.rate.emplace_back(step, static_cast<double>(mean.samples) / mean.step_s);
    curves.exposed.emplace_back(step, mean.exposed_s / mean.step_s);
  }
  if (!curves.rate.empty()) curves.last_rate = format::shortCount(curves.rate.back().y());
  if (!curves.exposed.empty()) curves.last_exposed = format::share(curves.exposed.back().y());
  return curves;
}

}  // namespace

DetailsStrip::DetailsStrip(StoreService& store, QWidget* parent) : QFrame(parent), store_(store) {
  setObjectName(QStringLiteral("runs.details"));
  setFrameShape(QFrame::StyledPanel);
  sentence_ = new QLabel(this);
  sentence_->setObjectName(QStringLiteral("runs.details.state"));
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  sentence_->setTextFormat(Qt::PlainText);
  sentence_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  sentence_->setWordWrap(true);
  note_ = new QLabel(this);
  note_->setObjectName(QStringLiteral("runs.details.note"));
  note_->setTextFormat(Qt::PlainText);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  related_ = new QLabel(this);
  related_->setObjectName(QStringLiteral("runs.details.related"));
  related_->setTextFormat(Qt::RichText);
  related_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  related_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  related_->hide();
  connect(related_, &QLabel::linkActivated, this, &DetailsStrip::openRelated);
  loss_ = new Sparkline(tr("Training loss"), this);
  throughput_ = new Sparkline(tr("Samples/s of a worker"), this);
  exposed_ = new Sparkline(tr("Exposed share"), this);
  throughput_->setToolTip(tr("Samples per second of the slowest worker, step by step"));
  exposed_->setToolTip(tr("Share of the slowest worker's step in which communication is not covered by computing"));
  check_ = new QPushButton(tr("Chec&k State Now"), this);
  check_->setObjectName(QStringLiteral("runs.details.check"));
  open_ = new QPushButton(tr("&Open"), this);
  open_->setObjectName(QStringLiteral("runs.details.open"));
  connect(check_, &QPushButton::clicked, this, &DetailsStrip::checkState);
  connect(open_, &QPushButton::clicked, this, &DetailsStrip::open);
  auto* curves = new QHBoxLayout;
  const auto beside = [&](QLabel*& label, const QString& name, Sparkline* curve) {
    label = new QLabel(this);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    curves->addWidget(label);
    curves->addWidget(curve);
    curves->addSpacing(12);
  };
  beside(loss_text_, QStringLiteral("runs.details.loss"), loss_);
  beside(throughput_text_, QStringLiteral("runs.details.rate"), throughput_);
  beside(exposed_text_, QStringLiteral("runs.details.exposed"), exposed_);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(8, 4, 8, 4);
  grid->addWidget(sentence_, 0, 0, 1, 4);
  grid->addWidget(check_, 0, 4);
  grid->addLayout(curves, 1, 0);
  grid->addWidget(note_, 1, 3);
  grid->addWidget(open_, 1, 4);
  grid->addWidget(related_, 2, 0, 1, 5);
  grid->setColumnStretch(3, 1);
  auto* age = new QTimer(this);  // of the last heartbeat
  age->setInterval(1000);
  connect(age, &QTimer::timeout, this, [this] {
    if (row_ && isVisible() && is_active(row_->info.state) && !sentence_->hasSelectedText()) writeSentence();
  });
  age->start();
  hide();
}

void DetailsStrip::show(const RunRowPtr& row, const RunDetails* details, int others) {
  const bool same = row_ && row && row_->newest() == row->newest();
  row_ = row;
  setVisible(row != nullptr);
  if (!row) return;
  const RunInfo& run = row->info;
  damage_ = details != nullptr ? details->damage : QString();
  const bool counted = details != nullptr && details->summary && details->summary->steps;
  steps_ = counted ? format::counted(*details->summary->steps, tr("%1 step"), tr("%1 steps")) : QString();
  others_ = others;
  writeSentence();
  note_->setText(run.notes.empty() ? QString() : tr("note: %1").arg(QString::fromStdString(run.notes).section(u'\n', 0, 0)));
  note_->setToolTip(QString::fromStdString(run.notes));
  if (!same) readRelated();
  if (!same || drawn_ != run.last_sequence) readCurves();
}

void DetailsStrip::writeSentence() {
  const RunInfo& run = row_->info;
  QStringList parts = {format::isolated(QString::fromStdString(run.name)),
                       damage_.isEmpty() ? state_sentence(run) : tr("Damaged: %1").arg(damage_)};
  if (!steps_.isEmpty()) parts << steps_;
  if (run.heartbeat && is_active(run.state)) parts << tr("last heartbeat %1").arg(format::ago(*run.heartbeat, utc_s()));
  if (row_->attempts.size() > 1) parts << tr("attempt %1").arg(row_->attempts.size());
  if (!run.host.empty()) parts << tr("host %1").arg(QString::fromStdString(run.host));
  if (others_ > 0) parts << tr("%n more selected", nullptr, others_);
  sentence_->setText(parts.join(QStringLiteral(" \u00b7 ")));
}

// "Related: resumed from easgd p8 · same experiment seed 2, seed 3", each a link.
void DetailsStrip::readRelated() {
  related_->hide();
  ++waiting_;
  const auto answered = [this] {
    if (--waiting_ == 0) Q_EMIT loadedChanged();
  };
  store_.read<std::vector<RelatedRun>>(
      this, {}, [row = row_](Reader& reader) { return read_related(reader, *row); },
      [this, row = row_, answered](const std::vector<RelatedRun>& related) {
        answered();
        if (!row_ || row_->newest() != row->newest()) return;
        QStringList parts;
        std::optional<RelatedRun::Kind> before;
        for (const RelatedRun& one : related) {
          const QString link = QStringLiteral("<a href=\"%1\">%2</a>").arg(one.id, one.name.toHtmlEscaped());
          if (before == one.kind)
            parts.back() += QStringLiteral(", ") + link;
          else
            parts << text_of(one.kind) + u' ' + link;
          before = one.kind;
        }
        related_->setText(tr("Related: %1").arg(parts.join(QStringLiteral(" \u00b7 "))));
        related_->setVisible(!parts.isEmpty());
      },
      [answered](const QString&) { answered(); });
}

void DetailsStrip::readCurves() {
  drawn_ = row_->info.last_sequence;
  const std::string run = row_->info.id;
  const auto revision = static_cast<quint64>(drawn_);
  const int colour = row_->info.palette;
  ++waiting_;
  const auto answered = [this] {
    if (--waiting_ == 0) Q_EMIT loadedChanged();
  };
  store_.read<Curves>(
      this, {},
      [run](Reader& reader) {
        const RunInfo info = reader.run(run);
        const auto summary = StoredSummaries(reader).of(info);
        return read_curves(reader, run, summary ? summary->slowest_rank.value_or(0) : 0);
      },
      [this, run, revision, colour, answered](const Curves& curves) {
        answered();
        if (!row_ || row_->info.id != run) return;
        const QString key = QString::fromStdString(run);
        loss_->setPoints(key + QStringLiteral(":loss"), revision, curves.loss, colour, curves.last_loss);
        throughput_->setPoints(key + QStringLiteral(":rate"), revision, curves.rate, colour, curves.last_rate);
        exposed_->setPoints(key + QStringLiteral(":exposed"), revision, curves.exposed, colour, curves.last_exposed);
        loss_text_->setText(curves.loss.empty() ? QString() : tr("loss %1").arg(curves.last_loss));
        throughput_text_->setText(curves.rate.empty() ? QString() : tr("samples/s of a worker %1").arg(curves.last_rate));
        exposed_text_->setText(curves.exposed.empty() ? QString() : tr("exposed %1").arg(curves.last_exposed));
        loss_->setVisible(!curves.loss.empty());
        throughput_->setVisible(!curves.rate.empty());
        exposed_->setVisible(!curves.exposed.empty());
      },
      [answered](const QString&) { answered(); });
}

}  // namespace syncline::ui
