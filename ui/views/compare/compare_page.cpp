// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/compare_page.h"

#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/elided_label.h"

namespace syncline::ui {

namespace {

constexpr int id_role = Qt::UserRole;

QString axis_title(XAxis axis) {
  switch (axis) {
    case XAxis::step:
      return ComparePage::tr("step");
    case XAxis::samples:
      return ComparePage::tr("samples");
    case XAxis::epoch:
      return ComparePage::tr("epoch");
    case XAxis::gradients:
      return ComparePage::tr("gradient evaluations");
    case XAxis::rounds:
      return ComparePage::tr("communication rounds");
    case XAxis::bytes:
      return ComparePage::tr("bytes sent by rank 0");
    case XAxis::active_s:
      return ComparePage::tr("active time");
    case XAxis::elapsed_s:
      return ComparePage::tr("elapsed time");
    case XAxis::wall_s:
      return ComparePage::tr("wall clock");
  }
  return {};
}

QString axis_name(XAxis axis) { return QString::fromUtf8(name_of(axis).data(), static_cast<qsizetype>(name_of(axis).size())); }

}  // namespace

ComparePage::ComparePage(Workbench& bench, const QStringList& run_ids, const QString& saved_id, QWidget* parent) : Page(bench, parent) {
  setObjectName(QStringLiteral("compare"));
  choice_.runs = run_ids;
  saved_.id = saved_id.toStdString();
  group_ = new ChartGroup(bench.store(), bench.settings(), QStringLiteral("compare"), this);
  group_->setActions(bench.actions());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(6);
  layout->addWidget(makeHead());
  warning_ = new QLabel(this);
  warning_->setObjectName(QStringLiteral("compare.warning"));
  warning_->setWordWrap(true);
  warning_->setTextFormat(Qt::PlainText);
  warning_->hide();
  layout->addWidget(warning_);
  auto* splitter = new QSplitter(this);
  splitter->setObjectName(QStringLiteral("compare.splitter"));
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(makeList());
  content_ = new QStackedWidget(splitter);
  makeTabs();
  splitter->addWidget(content_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({220, 700});
  layout->addWidget(splitter, 1);
  addActions();
  read_soon_.setSingleShot(true);
  read_soon_.setInterval(1000);  // summaries of runs that go on
  connect(&read_soon_, &QTimer::timeout, this, &ComparePage::read);
  connect(&bench.store(), &StoreService::changed, this, [this] {
    group_->refresh();
    if (!read_soon_.isActive()) read_soon_.start();
  });
  connect(&bench.store(), &StoreService::opened, this, &ComparePage::read);
  if (saved_.id.empty()) {
    read();
  } else {
    readSaved();
  }
}

QWidget* ComparePage::makeHead() {
  auto* head = new QWidget(this);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  const auto button = [&](const QString& text, const QString& name, auto act) {
    auto* made = new QPushButton(text, head);
    made->setObjectName(name);
    connect(made, &QPushButton::clicked, this, act);
    row->addWidget(made);
  };
  button(tr("S&ave"), QStringLiteral("compare.save"), [this] { save(false); });
  button(tr("Export Ta&ble\u2026"), QStringLiteral("compare.export"), [this] { exportTable(); });
  row->addStretch(1);
  auto* label = new QLabel(tr("&X axis:"), head);
  axis_ = new QComboBox(head);
  axis_->setObjectName(QStringLiteral("compare.axis"));
  axis_->setAccessibleName(tr("X axis of the charts"));
  for (int i = 0; i < x_axis_count; ++i) axis_->addItem(axis_title(static_cast<XAxis>(i)));
  label->setBuddy(axis_);
  axis_->setCurrentIndex(static_cast<int>(group_->xAxis()));
  connect(axis_, &QComboBox::activated, this, [this](int index) {
    group_->setXAxis(static_cast<XAxis>(index));
    choice_.axis = axis_name(static_cast<XAxis>(index));
    changed();
  });
  connect(group_, &ChartGroup::xAxisChanged, this, [this] {
    axis_->setCurrentIndex(static_cast<int>(group_->xAxis()));
    choice_.axis = axis_name(group_->xAxis());
    if (data_) compare();
    changed();
  });
  aggregate_ = new QCheckBox(tr("Aggregate over see&ds"), head);
  aggregate_->setObjectName(QStringLiteral("compare.aggregate"));
  aggregate_->setChecked(true);
  connect(aggregate_, &QCheckBox::toggled, this, [this](bool on) {
    choice_.aggregate = on;
    choice_.hidden.clear();
    choice_.baseline.clear();
    fillList();
    changed();
  });
  align_ = new QCheckBox(tr("Ali&gn starts"), head);
  align_->setObjectName(QStringLiteral("compare.align"));
  connect(align_, &QCheckBox::toggled, this, [this](bool on) {
    group_->setAlignStarts(on);
    choice_.align = on;
    changed();
  });
  for (QWidget* one :
       {static_cast<QWidget*>(label), static_cast<QWidget*>(axis_), static_cast<QWidget*>(aggregate_), static_cast<QWidget*>(align_)}) {
    row->addWidget(one);
  }
  return head;
}

QWidget* ComparePage::makeList() {
  auto* side = new QWidget(this);
  side->setMinimumWidth(150);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  list_ = new QListWidget(side);
  list_->setObjectName(QStringLiteral("compare.runs"));
  list_->setAccessibleName(tr("Runs compared; tick those to show"));
  list_->setTextElideMode(Qt::ElideMiddle);
  list_->setIconSize(QSize(10, 10));
  list_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(list_, &QListWidget::itemChanged, this, [this] {
    if (filling_) return;
    choice_.hidden.clear();
    for (int i = 0; i < list_->count(); ++i) {
      if (list_->item(i)->checkState() != Qt::Checked) choice_.hidden << list_->item(i)->data(id_role).toString();
    }
    choice_.hidden.removeAll(QString());
    compare();
    changed();
  });
  connect(list_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* chosen) {
    if (const ComparedItem* one = item(chosen->data(id_role).toString())) workbench().openRun(one->runIds().front());
  });
  auto* add = new QPushButton(tr("Add Ru&ns\u2026"), side);
  add->setObjectName(QStringLiteral("compare.add-runs"));
  connect(add, &QPushButton::clicked, this, &ComparePage::pickRuns);
  auto* remove = new QPushButton(tr("Re&move"), side);
  remove->setObjectName(QStringLiteral("compare.remove"));
  connect(remove, &QPushButton::clicked, this, &ComparePage::removeSelected);
  auto* row = new QHBoxLayout;
  row->addWidget(add);
  row->addWidget(remove);
  baseline_ = new ElidedLabel(QString(), side);
  baseline_->setObjectName(QStringLiteral("compare.baseline"));
  layout->addWidget(baseline_);
  layout->addWidget(list_, 1);
  layout->addLayout(row);
  return side;
}

void ComparePage::makeTabs() {
  tabs_ = new QTabWidget(content_);
  tabs_->setObjectName(QStringLiteral("compare.tabs"));
  tabs_->setAccessibleName(tr("Parts of the comparison"));
  const auto tab = [this](CompareTab* made, const QString& name, const QString& text) {
    parts_.push_back(made);
    tab_names_ << name;
    tabs_->addTab(made, text);
    connect(made, &CompareTab::loadedChanged, this, &Page::loadedChanged);
  };
  tab(make_compare_charts(workbench(), *group_, tabs_), QStringLiteral("charts"), tr("Charts"));
  tab(make_compare_table(workbench(), tabs_), QStringLiteral("table"), tr("Table"));
  tab(make_compare_settings(workbench(), tabs_), QStringLiteral("settings"), tr("Settings"));
  tab(make_compare_communication(workbench(), *group_, tabs_), QStringLiteral("communication"), tr("Communication"));
  tab(make_compare_scaling(workbench(), tabs_), QStringLiteral("scaling"), tr("Scaling"));
  tab(make_compare_target(workbench(), tabs_), QStringLiteral("target"), tr("Time to Target"));
  notes_ = new QPlainTextEdit(tabs_);
  notes_->setObjectName(QStringLiteral("compare.notes"));
  notes_->setAccessibleName(tr("Notes on this comparison"));
  notes_->setPlaceholderText(tr("What this comparison shows. Saved with it."));
  notes_->setTabChangesFocus(true);
  connect(notes_, &QPlainTextEdit::textChanged, this, [this] {
    choice_.notes = notes_->toPlainText();
    changed();
  });
  tab_names_ << QStringLiteral("notes");
  tabs_->addTab(notes_, tr("Notes"));
  too_few_ = new QWidget(content_);
  too_few_text_ = new QLabel(tr("Reading the runs\u2026"), too_few_);
  too_few_text_->setObjectName(QStringLiteral("compare.too-few"));
  too_few_text_->setAlignment(Qt::AlignCenter);
  too_few_text_->setWordWrap(true);
  auto* add = new QPushButton(tr("Add a R&un\u2026"), too_few_);
  add->setObjectName(QStringLiteral("compare.too-few.add"));
  connect(add, &QPushButton::clicked, this, &ComparePage::pickRuns);
  previous_ = new QPushButton(tr("Compare with &Previous"), too_few_);
  previous_->setObjectName(QStringLiteral("compare.too-few.previous"));
  previous_->setToolTip(tr("The run that was made before this one"));
  connect(previous_, &QPushButton::clicked, this, &ComparePage::addPrevious);
  auto* layout = new QVBoxLayout(too_few_);
  layout->addStretch(1);
  layout->addWidget(too_few_text_);
  layout->addWidget(add, 0, Qt::AlignHCenter);
  layout->addWidget(previous_, 0, Qt::AlignHCenter);
  layout->addStretch(2);
  content_->addWidget(tabs_);
  content_->addWidget(too_few_);
  content_->setCurrentWidget(too_few_);
}

void ComparePage::addActions() {
  ActionRegistry& actions = workbench().actions();
  const auto key = [](const char* text) { return QList<QKeySequence>{QKeySequence(QString::fromUtf8(text))}; };
  QAction* baseline = actions.add(
      this,
      {QStringLiteral("compare.baseline"), tr("Set as &Baseline"), tr("Measure differences from the selected run."), key("Ctrl+B"), {}},
      [this] { setBaseline(); });
  QAction* remove = actions.add(list_,
                                {QStringLiteral("compare.remove-run"),
                                 tr("&Remove from Comparison"),
                                 tr("The run itself stays."),
                                 {QKeySequence(QKeySequence::Delete)},
                                 {}},
                                [this] { removeSelected(); });
  actions.add(this, {QStringLiteral("compare.add-run"), tr("&Add Runs\u2026"), tr("Choose further runs to compare."), {}, {}},
              [this] { pickRuns(); });
  actions.add(this,
              {QStringLiteral("compare.save-as"), tr("Save Comparison &As\u2026"), tr("Keep this comparison under another name."), {}, {}},
              [this] { save(true); });
  actions.add(this,
              {QStringLiteral("draft.save"), tr("&Save Comparison"), tr("Keep this comparison in the workspace."), key("Ctrl+S"),
               QStringLiteral("document-save")},
              [this] { save(false); });
  actions.add(this, {QStringLiteral("compare.export-table"), tr("&Export Table\u2026"), tr("Write the values as CSV."), {}, {}},
              [this] { exportTable(); });
  by_difference_ = actions.add(this,
                               {QStringLiteral("compare.by-difference"),
                                tr("Name by &Difference"),
                                tr("Call each run by the settings in which it differs from the others."),
                                key("Ctrl+Shift+D"),
                                {}},
                               [this] {
                                 choice_.by_difference = !choice_.by_difference;
                                 fillList();
                                 changed();
                               });
  by_difference_->setCheckable(true);
  QAction* aggregate = actions.add(this,
                                   {QStringLiteral("compare.aggregate"),
                                    tr("A&ggregate over Seeds"),
                                    tr("Take runs that differ in the seed alone as one, with their spread."),
                                    {},
                                    {}},
                                   [this] { aggregate_->toggle(); });
  aggregate->setCheckable(true);
  aggregate->setChecked(aggregate_->isChecked());
  connect(aggregate_, &QCheckBox::toggled, aggregate, &QAction::setChecked);
  auto* only = findChild<QCheckBox*>(QStringLiteral("compare.settings.only"));
  QAction* differences = actions.add(this,
                                     {QStringLiteral("compare.only-differences"),
                                      tr("Show &Only Differences"),
                                      tr("Show the settings in which these runs differ, or all of them."),
                                      {},
                                      {}},
                                     [this, only] {
                                       only->toggle();
                                       showTab(QStringLiteral("settings"));
                                     });
  differences->setCheckable(true);
  differences->setChecked(only->isChecked());
  connect(only, &QCheckBox::toggled, differences, &QAction::setChecked);
  list_->addActions({baseline, by_difference_, remove});
}

QString ComparePage::title() const {
  if (!saved_.name.empty()) return QString::fromStdString(saved_.name);
  if (items_.size() == 2) return tr("%1 / %2").arg(format::isolated(items_[0].name), format::isolated(items_[1].name));
  return tr("Comparison");
}

bool ComparePage::loaded() const {
  if (reading_ || !data_) return false;
  const auto* part = qobject_cast<const CompareTab*>(tabs_->currentWidget());
  return content_->currentWidget() == too_few_ || part == nullptr || part->loaded();
}

void ComparePage::showTab(const QString& name) {
  if (const auto index = tab_names_.indexOf(name); index >= 0) tabs_->setCurrentIndex(static_cast<int>(index));
}

QString ComparePage::restoreKey() const {
  if (!saved_.id.empty()) return QStringLiteral("compare:saved:") + QString::fromStdString(saved_.id);
  return QStringLiteral("compare:") + choice_.runs.join(u',');
}

ComparedItem* ComparePage::item(const QString& id) {
  const auto found = std::find_if(items_.begin(), items_.end(), [&id](const ComparedItem& one) { return one.id == id; });
  return found == items_.end() ? nullptr : &*found;
}

void ComparePage::add(const QStringList& run_ids) {
  for (const QString& id : run_ids) {
    if (!choice_.runs.contains(id)) choice_.runs << id;
  }
  changed();
  read();
}

void ComparePage::changeEvent(QEvent* event) {
  Page::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && data_) fillList();  // swatches have the theme's colours
}

void ComparePage::changed() {
  if (!saved_.id.empty()) Q_EMIT titleChanged();
}

Page* make_compare_page(Workbench& workbench, const QStringList& run_ids, const QString& saved_id) {
  return new ComparePage(workbench, run_ids, saved_id);
}

}  // namespace syncline::ui
