// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plot_frame.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QSaveFile>
#include <QVBoxLayout>

#include "ui/models/chart/plain_table.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/file_dialog.h"

namespace syncline::ui {

PlotFrame::PlotFrame(QWidget& widget, ActionRegistry& registry, const QString& name, const QString& title)
    : widget_(widget), registry_(registry), name_(name), title_(title) {
  outer_ = new QVBoxLayout(&widget);
  outer_->setContentsMargins(4, 4, 4, 4);
  outer_->setSpacing(2);
  header_ = new QHBoxLayout;
  header_->setSpacing(2);
  auto* heading = new ElidedLabel(title, &widget);
  heading->setTextFormat(Qt::PlainText);
  QFont bold = heading->font();
  bold.setBold(true);
  heading->setFont(bold);
  heading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  header_->addWidget(heading, 1);
  outer_->addLayout(header_);
  table_button_ = addButton(QStringLiteral(".table"), QStringLiteral("▦"), tr("Show as table"));
  table_button_->setCheckable(true);
  more_button_ = addButton(QStringLiteral(".more"), QStringLiteral("⋯"), tr("Open the chart's menu"));
  stack_ = new QStackedWidget(&widget);
  table_ = new QTableView(stack_);
  table_->setObjectName(QString(name % QStringLiteral(".rows")));
  table_->setAccessibleName(tr("%1 as a table").arg(title));
  table_->setTabKeyNavigation(false);
  empty_ = new QLabel(stack_);
  empty_->setObjectName(QString(name % QStringLiteral(".empty")));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  footer_ = new QLabel(&widget);
  footer_->setObjectName(QString(name % QStringLiteral(".footer")));
  footer_->setForegroundRole(QPalette::PlaceholderText);
  footer_->setWordWrap(true);
  footer_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  outer_->addWidget(stack_, 1);
  outer_->addWidget(footer_);
  menu_ = new QMenu(&widget);
  menu_->setObjectName(QString(name % QStringLiteral(".menu")));
  menu_->setToolTipsVisible(true);
  connect(more_button_, &QToolButton::clicked, this,
          [this] { menu_->popup(more_button_->mapToGlobal(more_button_->rect().bottomLeft())); });
  connect(table_button_, &QToolButton::toggled, this, [this] { show(any_, when_empty_, footer_text_); });
}

QLabel* PlotFrame::addReading() {
  auto* reading = new QLabel(&widget_);
  reading->setForegroundRole(QPalette::PlaceholderText);
  header_->insertWidget(1, reading);
  return reading;
}

QToolButton* PlotFrame::addButton(const QString& part, const QString& text, const QString& accessible) {
  auto* made = new QToolButton(&widget_);
  made->setObjectName(QString(name_ % part));
  made->setText(text);
  made->setAccessibleName(accessible);
  made->setToolTip(accessible);
  made->setAutoRaise(true);
  made->setFocusPolicy(Qt::TabFocus);
  made->setMinimumSize(24, 24);
  // Before table and menu, which every frame has at its end.
  header_->insertWidget(header_->count() < 3 ? header_->count() : header_->count() - 2, made);
  return made;
}

void PlotFrame::addAbove(QWidget* widget) { outer_->insertWidget(1, widget); }

void PlotFrame::setContents(QWidget* plot, QAbstractItemModel* numbers) {
  plot_ = plot;
  plot->setObjectName(QString(name_ % QStringLiteral(".plot")));
  plot->setAccessibleName(title_);
  table_->setModel(numbers);
  for (QWidget* one : {plot, static_cast<QWidget*>(table_), static_cast<QWidget*>(empty_)}) stack_->addWidget(one);
}

QAction* PlotFrame::add(const char* id, const std::function<void()>& act) {
  QAction* made = registry_.add(&widget_, chart_action_text(QLatin1String(id)), act);
  menu_->addAction(made);
  return made;
}

void PlotFrame::addActions(Picture picture, Numbers numbers) {
  picture_ = std::move(picture);
  numbers_ = std::move(numbers);
  QAction* table = add("chart.table", [this] { table_button_->toggle(); });
  table->setCheckable(true);
  connect(table_button_, &QToolButton::toggled, table, &QAction::setChecked);
  menu_->addSeparator();
  const auto copy = [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(numbers_(chart::TableFormat::tsv))); };
  registry_.add(&widget_, chart_action_text(QStringLiteral("chart.copy-visible")), copy);
  add("chart.copy-data", copy);
  add("chart.export-picture", [this] { exportTo(true); });
  add("chart.export-data", [this] { exportTo(false); });
}

QString PlotFrame::saveData(const QString& path) const {
  QSaveFile file(path);
  const QByteArray bytes = numbers_(chart::table_format_of(path));
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
  return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

void PlotFrame::exportTo(bool picture) {
  const QString title = picture ? tr("Export Picture") : tr("Export Data");
  QStringList filters =
      picture ? QStringList{tr("PDF (*.pdf)"), tr("SVG (*.svg)")} : QStringList{tr("CSV (*.csv)"), tr("TSV (*.tsv)"), tr("JSON (*.json)")};
  for (int scale = 1; picture && scale <= largest_scale; ++scale) filters.append(tr("PNG, scale %1 (*.png)").arg(scale));
  QString filter = filters.front();
  QString path = FileDialog::saveFile(&widget_, title, name_, filters.join(QStringLiteral(";;")), &filter);
  if (path.isEmpty()) return;
  const qsizetype chosen = std::max<qsizetype>(0, filters.indexOf(filter));
  static const QRegularExpression known(QStringLiteral("\\.(pdf|svg|png|csv|tsv|json)$"), QRegularExpression::CaseInsensitiveOption);
  if (!path.contains(known)) path += filters[chosen].section(u'*', 1).chopped(1);
  constexpr int scale_otherwise = 2, vectors = 2;  // the first two formats have no scale
  const QString error =
      picture ? picture_(path, chosen < vectors ? scale_otherwise : static_cast<int>(chosen) - vectors + 1) : saveData(path);
  if (!error.isEmpty()) QMessageBox::warning(&widget_, title, error);
}

void PlotFrame::show(bool any, const QString& when_empty, const QString& footer) {
  any_ = any;
  when_empty_ = when_empty;
  footer_text_ = footer;
  empty_->setText(when_empty);
  stack_->setCurrentWidget(!any ? static_cast<QWidget*>(empty_) : table_button_->isChecked() ? static_cast<QWidget*>(table_) : plot_);
  footer_->setText(footer);
  footer_->setVisible(any && !footer.isEmpty());
}

}  // namespace syncline::ui
