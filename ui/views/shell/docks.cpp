// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/docks.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/models/background_jobs.h"
#include "ui/models/problems.h"

namespace syncline::ui {

namespace {

QTableView* make_table(QAbstractItemModel& model, const QString& name, const QString& accessible, int stretched) {
  auto* table = new QTableView;
  table->setObjectName(name);
  table->setAccessibleName(accessible);
  table->setModel(&model);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setTabKeyNavigation(false);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->setFrameShape(QFrame::NoFrame);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 8);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setSectionResizeMode(stretched, QHeaderView::Stretch);
  return table;
}

QWidget* with_buttons(QTableView* table, const std::vector<QPushButton*>& buttons) {
  auto* content = new QWidget;
  auto* column = new QVBoxLayout;
  for (QPushButton* button : buttons) column->addWidget(button);
  column->addStretch(1);
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(0, 0, 6, 4);
  row->addWidget(table, 1);
  row->addLayout(column);
  return content;
}

}  // namespace

ProblemsDock::ProblemsDock(Problems& problems, QWidget* parent)
    : QDockWidget(tr("Problems"), parent),
      table_(make_table(problems, QStringLiteral("problems.table"), tr("Problems"), Problems::text_column)) {
  setObjectName(QStringLiteral("window.problems"));
  auto* show = new QPushButton(tr("Sho&w"));
  show->setObjectName(QStringLiteral("problems.show"));
  show->setToolTip(tr("Go to the place that the selected problem concerns."));
  auto* copy = new QPushButton(tr("Co&py All"));
  copy->setObjectName(QStringLiteral("problems.copy"));
  copy->setToolTip(tr("Copy every problem of this session as text."));
  table_->setColumnWidth(Problems::time_column, 80);
  table_->setColumnWidth(Problems::times_column, 60);
  table_->setColumnWidth(Problems::source_column, 170);
  setWidget(with_buttons(table_, {show, copy}));
  const auto show_selected = [this, &problems] {
    const QModelIndex at = table_->currentIndex();
    if (at.isValid()) problems.showPlace(at.row());
  };
  const auto enable = [this, show, copy, &problems] {
    show->setEnabled(table_->currentIndex().isValid());
    copy->setEnabled(problems.rowCount() > 0);
  };
  connect(show, &QPushButton::clicked, this, show_selected);
  connect(table_, &QTableView::activated, this, show_selected);
  connect(copy, &QPushButton::clicked, this, [&problems] { QGuiApplication::clipboard()->setText(problems.asText()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, enable);
  connect(&problems, &QAbstractItemModel::rowsInserted, this, [this, enable] {
    if (!table_->currentIndex().isValid()) table_->setCurrentIndex(table_->model()->index(0, Problems::text_column));
    enable();
  });
  enable();
}

JobsDock::JobsDock(BackgroundJobs& jobs, QWidget* parent)
    : QDockWidget(tr("Background Jobs"), parent),
      table_(make_table(jobs, QStringLiteral("jobs.table"), tr("Background jobs"), BackgroundJobs::stage_column)) {
  setObjectName(QStringLiteral("window.jobs"));
  auto* cancel = new QPushButton(tr("&Cancel Job"));
  cancel->setObjectName(QStringLiteral("jobs.cancel"));
  cancel->setToolTip(tr("End the selected job."));
  table_->setColumnWidth(BackgroundJobs::name_column, 240);
  table_->setColumnWidth(BackgroundJobs::progress_column, 150);
  table_->setColumnWidth(BackgroundJobs::elapsed_column, 80);
  setWidget(with_buttons(table_, {cancel}));
  const auto enable = [this, cancel] { cancel->setEnabled(table_->currentIndex().isValid()); };
  connect(cancel, &QPushButton::clicked, this, [this, &jobs] { jobs.cancelRow(table_->currentIndex().row()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, enable);
  connect(&jobs, &QAbstractItemModel::rowsRemoved, this, enable);
  // The only job there is needs no click to be the selected one.
  connect(&jobs, &QAbstractItemModel::rowsInserted, this, [this, enable] {
    if (!table_->currentIndex().isValid()) table_->setCurrentIndex(table_->model()->index(0, 0));
    enable();
  });
  enable();
}

}  // namespace syncline::ui
