// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/launch_step.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/models/editor/form_fields.h"
#include "ui/models/palette.h"
#include "ui/models/settings.h"
#include "ui/views/editor/field_editor.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/file_dialog.h"

namespace syncline::ui {

namespace {

std::vector<FormPart> launch_form() {
  std::vector<FormPart> parts = {{"", {"name", "seed"}}, {"cluster", {"workers", "threads_per_worker"}}};
  for (const FormPart& part : parts_of(Step::launch)) {
    if (!part.section.empty()) parts.push_back(part);
  }
  return parts;
}

struct Look {
  QString mark;
  palette::Status status;
};
Look look_of(PreflightItem::State state) {
  switch (state) {
    case PreflightItem::good:
      return {QStringLiteral("✓"), palette::Status::good};
    case PreflightItem::warning:
      return {QStringLiteral("!"), palette::Status::attention};
    case PreflightItem::bad:
      return {QStringLiteral("✕"), palette::Status::bad};
    case PreflightItem::unknown:
      return {QStringLiteral("…"), palette::Status::muted};
  }
  return {};
}

}  // namespace

LaunchStep::LaunchStep(EditorParts& editor, QWidget* parent) : StepPage(Step::launch, editor, launch_form(), parent) {
  auto* target = new QLabel(tr("Target: this computer"), this);
  target->setObjectName(QStringLiteral("editor.launch.target"));
  column()->insertWidget(0, target);

  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("Re&peat with seeds"), this);
  seeds_ = new QLineEdit(this);
  seeds_->setObjectName(QStringLiteral("editor.launch.seeds"));
  seeds_->setPlaceholderText(tr("once, with the seed above"));
  seeds_->setToolTip(tr("Several runs that differ in their seed: 1-5 or 1, 2, 7. Each starts when the one before has ended"));
  seeds_->setMinimumWidth(190);
  seeds_->setMaximumWidth(230);
  label->setBuddy(seeds_);
  seeds_note_ = new QLabel(this);
  seeds_note_->setObjectName(QStringLiteral("editor.launch.seeds.note"));
  seeds_note_->setWordWrap(true);
  row->addWidget(label);
  row->addWidget(seeds_);
  row->addWidget(seeds_note_, 1);
  column()->addLayout(row);
  connect(seeds_, &QLineEdit::textChanged, this, [this] { judgeSeeds(); });

  addHeading(tr("Before launch"));
  list_ = new QListWidget(this);
  list_->setObjectName(QStringLiteral("editor.launch.preflight"));
  list_->setAccessibleName(tr("What is looked at before a launch"));
  list_->setWordWrap(true);
  list_->setResizeMode(QListView::Adjust);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column()->addWidget(list_);

  choose_engine_ = new QPushButton(this);
  choose_engine_->setObjectName(QStringLiteral("editor.launch.choose-engine"));
  QAction* choose = editor.workbench.actions().add(
      this, {QStringLiteral("engine.choose"), tr("Choose En&gine…"), tr("Choose the syncline-engine that runs experiments"), {}, {}},
      [this] {
        auto* dialog = new FileDialog(this, tr("Choose Engine"), QCoreApplication::applicationDirPath());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(FileDialog::ExistingFile);
        connect(dialog, &FileDialog::fileSelected, this,
                [this](const QString& path) { parts().workbench.settings().set(QString::fromUtf16(EngineProgram::path_setting), path); });
        dialog->open();
      });
  choose_engine_->setText(choose->text());
  choose_engine_->setToolTip(choose->toolTip());
  connect(choose_engine_, &QPushButton::clicked, choose, &QAction::trigger);
  column()->addWidget(choose_engine_, 0, Qt::AlignLeft);

  auto* heading_row = new QHBoxLayout;
  auto* heading = addHeading(tr("Command"));
  column()->removeWidget(heading);
  auto* copy = new QPushButton(tr("Cop&y"), this);
  copy->setObjectName(QStringLiteral("editor.launch.copy"));
  copy->setToolTip(tr("Copy the command"));
  heading_row->addWidget(heading);
  heading_row->addStretch(1);
  heading_row->addWidget(copy);
  column()->addLayout(heading_row);
  command_ = new QPlainTextEdit(this);
  command_->setObjectName(QStringLiteral("editor.launch.command"));
  command_->setAccessibleName(tr("Command that Launch runs"));
  command_->setReadOnly(true);
  command_->setTabChangesFocus(true);
  command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  command_->setFixedHeight(command_->fontMetrics().height() * 4 + 12);
  column()->addWidget(command_);
  connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(command_->toPlainText()); });

  answer_ = addNote(QStringLiteral("editor.launch.answer"));
  auto* buttons = new QHBoxLayout;
  end_ = new QPushButton(tr("&End Dry Run"), this);
  end_->setObjectName(QStringLiteral("editor.launch.end-dry-run"));
  connect(end_, &QPushButton::clicked, this, [this] { parts().launch.endDryRun(); });
  buttons->addWidget(end_);
  buttons->addStretch(1);
  for (const char* id : {"run.dry-run", "run.launch"}) {
    auto* button = new QPushButton(this);
    button->setObjectName(QStringLiteral("editor.launch.") + QString::fromLatin1(id));
    buttons->addWidget(button);
    buttons_.push_back({QString::fromLatin1(id), button});
  }
  column()->addLayout(buttons);
  column()->addStretch(1);

  connect(&editor.launch, &LaunchController::itemsChanged, this, &LaunchStep::showItems);
  connect(&editor.launch, &LaunchController::commandChanged, this, &LaunchStep::showCommand);
  connect(&editor.launch, &LaunchController::busyChanged, this, &LaunchStep::showBusy);
  connect(&editor.launch, &LaunchController::dryRunAnswered, this, [this](bool ok, const QStringList& sentences) {
    say(tr("Dry run: %1").arg(sentences.join(QStringLiteral("; "))), ok ? palette::Status::good : palette::Status::bad);
  });
  connect(&editor.launch, &LaunchController::failed, this, [this](const QString& sentence) { say(sentence, palette::Status::bad); });
  connect(&editor.launch, &LaunchController::launched, this, [this](const QString&, int number, int of) {
    QString text = of == 1 ? tr("Started") : tr("Started run %1 of %2").arg(number).arg(of);
    if (number < of) text += tr("; the next starts when it has ended, as long as this window is open");
    say(text, palette::Status::good);
  });
  showItems();
  showCommand();
  showBusy();
  judgeSeeds();
}

void LaunchStep::bind(const QString& action_id, QAction* action) {
  for (const auto& [id, button] : buttons_) {
    if (id != action_id) continue;
    button->setText(action->text());
    button->setIcon(action->icon());
    button->setToolTip(action->toolTip());
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    const QPointer<QPushButton> guard = button;
    connect(action, &QAction::changed, button, [guard, action] {
      guard->setEnabled(action->isEnabled());
      guard->setToolTip(action->toolTip());
    });
  }
}

std::optional<std::vector<std::uint64_t>> LaunchStep::seeds() const { return parse_seeds(seeds_->text()); }

void LaunchStep::focusSeeds() { seeds_->setFocus(Qt::OtherFocusReason); }

void LaunchStep::judgeSeeds() {
  QString reason;
  const auto seeds = parse_seeds(seeds_->text(), &reason);
  seeds_note_->setText(!seeds ? reason : seeds->size() > 1 ? tr("%1 runs, one after the other").arg(seeds->size()) : QString());
  QPalette colours = palette();
  if (!seeds) colours.setColor(QPalette::WindowText, palette::status(palette::Status::bad, palette::isDark(colours)));
  seeds_note_->setPalette(colours);
}

void LaunchStep::showItems() {
  choose_engine_->setVisible(!parts().workbench.engine().problem().isEmpty());
  const std::vector<PreflightItem>& items = parts().launch.items();
  while (list_->count() > static_cast<int>(items.size())) delete list_->takeItem(list_->count() - 1);
  const bool dark = palette::isDark(palette());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const int row = static_cast<int>(i);
    if (row >= list_->count()) list_->addItem(new QListWidgetItem);
    const Look look = look_of(items[i].state);
    const QString text = QStringLiteral("%1  %2").arg(look.mark, items[i].text);
    QListWidgetItem* item = list_->item(row);
    if (item->text() != text) item->setText(text);
    item->setForeground(items[i].state == PreflightItem::good ? palette().color(QPalette::Text) : palette::status(look.status, dark));
    item->setToolTip(items[i].text);
  }
  int height = 2 * list_->frameWidth() + 4;
  for (int row = 0; row < list_->count(); ++row) height += std::max(list_->sizeHintForRow(row), list_->fontMetrics().height());
  list_->setFixedHeight(std::max(height, 2 * list_->fontMetrics().height()));
}

void LaunchStep::showCommand() {
  const QString command = parts().launch.command();
  command_->setPlainText(command.isEmpty() ? parts().launch.commandNote() : command);
}

void LaunchStep::showBusy() { end_->setVisible(parts().launch.busy()); }

void LaunchStep::say(const QString& text, palette::Status status) {
  answer_->setText(text);
  QPalette colours = palette();
  colours.setColor(QPalette::WindowText, palette::status(status, palette::isDark(colours)));
  answer_->setPalette(colours);
}

void LaunchStep::show(const Examination& examination) {
  StepPage::show(examination);
  if (isVisible()) parts().launch.refreshCommand();
}

void LaunchStep::becameVisible() {
  parts().launch.lookAround();
  parts().launch.refreshCommand();
}

StepPage* make_launch_step(EditorParts& parts, QWidget* parent) { return new LaunchStep(parts, parent); }

}  // namespace syncline::ui
