// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment as it was typed and as it was run, where each value comes from, on what, and by which command.
#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/models/format.h"
#include "ui/models/run_page_settings.h"
#include "ui/views/run/run_actions.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

class SettingsTab : public RunTab {
  Q_OBJECT

 public:
  SettingsTab(RunContext of, QWidget* parent) : RunTab(of, QStringLiteral("run.settings"), parent) {
    parts_ = new QTabWidget(this);
    parts_->setObjectName(QStringLiteral("run.settings.parts"));
    parts_->setAccessibleName(tr("Parts of the settings"));
    parts_->tabBar()->setAccessibleName(parts_->accessibleName());
    filter_ = new QLineEdit(this);
    filter_->setObjectName(QStringLiteral("run.settings.filter"));
    filter_->setAccessibleName(tr("Keys or values to look for"));
    filter_->setPlaceholderText(tr("Keys or values with this text"));
    filter_->setClearButtonEnabled(true);
    values_ = new QStandardItemModel(0, 3, this);
    values_->setHorizontalHeaderLabels({tr("Key"), tr("Value"), tr("Origin")});
    parts_->addTab(page(view(values_, "run.settings.values", tr("Complete experiment"))), tr("&Values"));
    typed_ = text("run.settings.typed", tr("Experiment as typed"));
    parts_->addTab(typed_, tr("As &Typed"));
    complete_ = text("run.settings.complete", tr("Complete experiment as text"));
    parts_->addTab(complete_, tr("Com&plete"));
    environment_ = new QStandardItemModel(0, 2, this);
    environment_->setHorizontalHeaderLabels({tr("What"), tr("Value")});
    parts_->addTab(view(environment_, "run.settings.environment", tr("Environment and command")), tr("En&vironment"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(filter_, 1);
    for (QAction* action : {of.actions->duplicate, of.actions->compare_with}) {
      auto* button = new QToolButton(this);
      button->setDefaultAction(action);
      button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
      button->setFocusPolicy(Qt::StrongFocus);
      buttons->addWidget(button);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->addLayout(buttons);
    layout->addWidget(parts_, 1);
    connect(&data(), &RunData::changed, this, &SettingsTab::update);
    connect(parts_, &QTabWidget::currentChanged, this, [this](int index) { filter_->setEnabled(index == 0); });
  }

  bool loaded() const override { return data().known() && values_->rowCount() > 0; }

 private:
  QWidget* page(QTableView* table) {
    proxy_ = new QSortFilterProxyModel(this);
    proxy_->setSourceModel(values_);
    proxy_->setFilterKeyColumn(-1);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table->setModel(proxy_);
    table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    connect(filter_, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
    return table;
  }

  QTableView* view(QAbstractItemModel* model, const char* name, const QString& accessible) {
    auto* made = new QTableView(this);
    made->setObjectName(QString::fromLatin1(name));
    made->setAccessibleName(accessible);
    made->setModel(model);
    made->setEditTriggers(QAbstractItemView::NoEditTriggers);
    made->setSelectionBehavior(QAbstractItemView::SelectRows);
    made->setAlternatingRowColors(true);
    made->setTabKeyNavigation(false);
    made->verticalHeader()->hide();
    made->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    made->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return made;
  }

  QPlainTextEdit* text(const char* name, const QString& accessible) {
    auto* made = new QPlainTextEdit(this);
    made->setObjectName(QString::fromLatin1(name));
    made->setAccessibleName(accessible);
    made->setReadOnly(true);
    made->setTabChangesFocus(true);
    made->setLineWrapMode(QPlainTextEdit::NoWrap);
    made->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    return made;
  }

  // Settings of a run never change; what the ranks resolve when they start does, once.
  void update() {
    const RunInfo& run = snapshot().run;
    const std::vector<SettingRow> facts = environment_of(run);
    if (facts != facts_) {
      facts_ = facts;
      environment_->setRowCount(0);
      for (const SettingRow& fact : facts) environment_->appendRow({new QStandardItem(fact.key), new QStandardItem(fact.value)});
      for (auto* table : findChildren<QTableView*>(QStringLiteral("run.settings.environment"))) table->resizeColumnToContents(0);
    }
    if (values_->rowCount() > 0) return;
    for (const SettingRow& row : settings_of(run))
      values_->appendRow({new QStandardItem(row.key), new QStandardItem(row.value), new QStandardItem(row.origin)});
    typed_->setPlainText(QString::fromStdString(run.experiment_as_typed));
    complete_->setPlainText(QString::fromStdString(run.experiment));
    for (auto* table : findChildren<QTableView*>(QStringLiteral("run.settings.values"))) table->resizeColumnToContents(0);
    Q_EMIT loadedChanged();
  }

  QTabWidget* parts_;
  QLineEdit* filter_;
  QStandardItemModel *values_, *environment_;
  QSortFilterProxyModel* proxy_ = nullptr;
  QPlainTextEdit *typed_, *complete_;
  std::vector<SettingRow> facts_;
};

RunTab* make_settings_tab(RunContext context, QWidget* parent) { return new SettingsTab(context, parent); }

}  // namespace syncline::ui

#include "settings_tab.moc"
