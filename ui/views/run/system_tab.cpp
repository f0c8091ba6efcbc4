// SPDX-License-Identifier: GPL-3.0-or-later
// What the run takes of its machines: processor, memory and network, one line a rank or host.
#include <QEvent>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "ui/views/run/run_tab.h"

namespace syncline::ui {

class SystemTab : public RunTab {
  Q_OBJECT

 public:
  SystemTab(RunContext of, QWidget* parent) : RunTab(of, QStringLiteral("run.system"), parent) {
    cpu_ = chart("run.system.cpu", tr("Processor"));
    memory_ = chart("run.system.memory", tr("Memory"));
    sent_ = chart("run.system.sent", tr("Network, sent"));
    received_ = chart("run.system.received", tr("Network, received"));
    auto* inside = new QWidget(this);
    auto* grid = new QGridLayout(inside);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(cpu_, 0, 0);
    grid->addWidget(memory_, 0, 1);
    grid->addWidget(sent_, 1, 0);
    grid->addWidget(received_, 1, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("run.system.scroll"));
    scroll->setAccessibleName(tr("Charts"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(inside);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->addWidget(scroll);
    connect(&data(), &RunData::changed, this, &SystemTab::update);
  }

  bool loaded() const override { return data().known() && cpu_->loaded() && memory_->loaded() && sent_->loaded() && received_->loaded(); }

 private:
  SeriesChart* chart(const char* name, const QString& title) {
    auto* made = new SeriesChart(context().charts, QString::fromLatin1(name), title, this);
    made->setCompact(true);
    made->setMinimumHeight(190);
    connect(made, &SeriesChart::loadedChanged, this, &RunTab::loadedChanged);
    return made;
  }

  // A line for every rank that has the series.
  void set(SeriesChart* chart, const std::string& series, const QString& each) {
    const RunSnapshot& now = snapshot();
    std::vector<int> ranks;
    for (const SeriesInfo& info : now.series) {
      if (info.name == series && info.rank >= 0 && info.count > 0) ranks.push_back(info.rank);
    }
    std::sort(ranks.begin(), ranks.end());
    std::vector<CurveSpec> curves;
    for (const int rank : ranks) {
      CurveSpec spec;
      spec.id = QStringLiteral("%1/%2").arg(QString::fromStdString(series)).arg(rank);
      spec.name = each.arg(rank);
      spec.run_ids = {data().id()};
      spec.series = QString::fromStdString(series);
      spec.rank = rank;
      spec.palette = rank;
      curves.push_back(spec);
    }
    chart->setCurves(curves);
    chart->setWhenEmpty(now.active() ? tr("The first sample comes after some seconds.") : tr("This run did not record it."));
  }

  void update() {
    set(cpu_, "cpu_share", tr("rank %1"));
    set(memory_, "resident_memory_bytes", tr("rank %1"));
    set(sent_, "network_sent_bytes_per_s", tr("host of rank %1"));
    set(received_, "network_received_bytes_per_s", tr("host of rank %1"));
    if (!snapshot().active() &&
        snapshot().series.end() == std::find_if(snapshot().series.begin(), snapshot().series.end(),
                                                [](const SeriesInfo& info) { return info.name == "network_sent_bytes_per_s"; })) {
      sent_->setWhenEmpty(tr("Not available on this host, or not recorded by this run."));
      received_->setWhenEmpty(tr("Not available on this host, or not recorded by this run."));
    }
  }

  SeriesChart *cpu_, *memory_, *sent_, *received_;
};

RunTab* make_system_tab(RunContext context, QWidget* parent) { return new SystemTab(context, parent); }

}  // namespace syncline::ui

#include "system_tab.moc"
