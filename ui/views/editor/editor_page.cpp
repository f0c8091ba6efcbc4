// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/editor_page.h"

#include <QApplication>
#include <QGridLayout>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/experiment/text_edit.h"
#include "engine/store/saved.h"
#include "ui/models/format.h"
#include "ui/models/lineage.h"
#include "ui/models/palette.h"
#include "ui/views/editor/launch_step.h"
#include "ui/views/editor/text_view.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/tall_rows.h"

namespace syncline::ui {

namespace {

constexpr int steps_width = 112, estimates_width = 172;

QString tab_of(Step step) {
  static const char* const names[] = {"model", "data", "topology", "strategy", "optimizer", "launch"};
  return QString::fromLatin1(names[static_cast<int>(step)]);
}

QScrollArea* scrolled(QWidget* content, QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setWidget(content);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  area->setFocusPolicy(Qt::NoFocus);
  return area;
}

// Under a name of its own, so that it and what it is a copy of can be told apart.
std::string named_as_copy(const std::string& text) {
  const ExperimentDocument copied(text);
  const document::Node* node = copied.tree().find("name");
  if (node == nullptr || node->type != document::Node::text) return text;
  const QString copy = format::copyOf(QString::fromStdString(std::get<std::string>(node->value)));
  const std::optional<Replacement> edit = replace_value(text, {"name"}, document::print_text(copy.toStdString()));
  return edit ? with_replacement(text, *edit) : text;
}

void colour(QWidget& widget, palette::Status status) {
  QPalette colours = widget.parentWidget() != nullptr ? widget.parentWidget()->palette() : widget.palette();
  colours.setColor(QPalette::WindowText, palette::status(status, palette::isDark(colours)));
  colours.setColor(QPalette::ButtonText, colours.color(QPalette::WindowText));
  widget.setPalette(colours);
}

}  // namespace

EstimatePanel::EstimatePanel(QWidget* parent) : QWidget(parent), grid_(new QGridLayout) {
  setObjectName(QStringLiteral("editor.estimates"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  auto* heading = new QLabel(tr("Estimate"), this);
  QFont bold = heading->font();
  bold.setBold(true);
  heading->setFont(bold);
  column->addWidget(heading);
  grid_->setVerticalSpacing(1);
  column->addLayout(grid_);
  column->addStretch(1);
}

void EstimatePanel::setEstimates(const std::vector<Estimate>& estimates) {
  while (labels_.size() < 3 * estimates.size()) {
    const int row = static_cast<int>(labels_.size());
    for (int i = 0; i < 3; ++i) {
      auto* label = new QLabel(this);
      label->setWordWrap(true);
      label->setTextInteractionFlags(i == 1 ? Qt::TextSelectableByMouse : Qt::NoTextInteraction);
      label->setFocusPolicy(Qt::NoFocus);
      if (i != 1) label->setForegroundRole(QPalette::PlaceholderText);
      if (i == 0) label->setContentsMargins(0, 8, 0, 0);
      grid_->addWidget(label, row + i, 0);
      labels_.push_back(label);
    }
  }
  for (std::size_t i = 0; i < labels_.size() / 3; ++i) {
    const bool used = i < estimates.size();
    const Estimate none;
    const Estimate& estimate = used ? estimates[i] : none;
    // Where the number comes from stands beside its name; why there is none needs a line of its own.
    const bool known = estimate.value != format::missing;
    const QString texts[] = {known ? QStringLiteral("%1 · %2").arg(estimate.name, estimate.origin) : estimate.name, estimate.value,
                             known ? QString() : estimate.origin};
    for (std::size_t k = 0; k < 3; ++k) {
      QLabel* label = labels_[3 * i + k];
      label->setText(texts[k]);
      label->setToolTip(estimate.full);
      label->setVisible(used && !(k == 2 && known));
    }
    if (used) {
      labels_[3 * i + 1]->setAccessibleName(QStringLiteral("%1: %2 (%3)").arg(estimate.name, estimate.value, estimate.origin));
      labels_[3 * i + 1]->setObjectName(QStringLiteral("estimate.") + estimate.name);
    }
  }
}

EditorPage::EditorPage(Workbench& workbench, const QString& saved_id, const QString& name, const QString& text, const QString& from_run,
                       QWidget* parent)
    : Page(workbench, parent), saved_id_(saved_id), name_(name) {
  setObjectName(QStringLiteral("editor"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  if (saved_id.isEmpty()) {
    open(from_run.isEmpty() ? text.toStdString() : named_as_copy(text.toStdString()), name);
    if (!from_run.isEmpty()) {
      workbench.store().write(this, [draft = draft_->id().toStdString(), run = from_run.toStdString()](StoreService::Writer& writer) {
        keep_draft_origin(writer.workspace, draft, run);
      });
    }
    return;
  }
  loading_ = new QLabel(tr("Reading the draft…"), this);
  loading_->setObjectName(QStringLiteral("editor.loading"));
  loading_->setAlignment(Qt::AlignCenter);
  loading_->setWordWrap(true);
  column->addWidget(loading_);
  const auto fail = [this](const QString& why) {
    failed_ = true;
    loading_->setText(why);
    Q_EMIT loadedChanged();
  };
  workbench.store().read<std::optional<SavedText>>(
      this, QStringLiteral("draft"), [id = saved_id.toStdString()](Reader& reader) { return saved_text(reader.database(), id); },
      [this, fail](const std::optional<SavedText>& saved) {
        if (!saved || saved->kind != "draft") {
          fail(tr("This draft is no longer in the workspace; it may have been removed in another window."));
          return;
        }
        loading_->hide();
        open(saved->content, QString::fromStdString(saved->name));
      },
      [fail](const QString& why) { fail(tr("The draft cannot be read: %1").arg(why)); });
}

EditorPage::~EditorPage() {
  delete stack_;  // its fields and views use the document until they are gone
}

void EditorPage::open(const std::string& text, const QString& name) {
  document_ = std::make_unique<ExperimentDocument>(text);
  draft_ = std::make_unique<Draft>(*document_, workbench().store(), saved_id_, name);
  validator_ = std::make_unique<Validator>(*document_);
  launch_ = std::make_unique<LaunchController>(*document_, *validator_, *draft_, workbench().engine(), workbench().store());
  parts_ = std::make_unique<EditorParts>(EditorParts{workbench(), *document_, *validator_, *draft_, *launch_});

  auto* column = static_cast<QVBoxLayout*>(layout());
  column->addWidget(makeHeader());
  strip_ = new QLabel(this);
  strip_->setObjectName(QStringLiteral("editor.strip"));
  strip_->setWordWrap(true);
  strip_->setContentsMargins(10, 4, 10, 4);
  strip_->setAutoFillBackground(true);
  strip_->setBackgroundRole(QPalette::AlternateBase);
  strip_->hide();
  column->addWidget(strip_);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(makeForm());
  text_ = new TextView(*document_, stack_);
  stack_->addWidget(text_);
  column->addWidget(stack_, 1);
  addActions();

  connect(draft_.get(), &Draft::changed, this, &EditorPage::followDocument);
  connect(draft_.get(), &Draft::failed, this, [this](const QString& sentence) { notify(sentence, true); });
  connect(document_.get(), &ExperimentDocument::changed, this, &EditorPage::followDocument);
  connect(validator_.get(), &Validator::examined, this, &EditorPage::examined);
  connect(launch_.get(), &LaunchController::failed, this, [this](const QString& sentence) { notify(sentence, true); });
  connect(launch_.get(), &LaunchController::launched, this, [this](const QString& id, int number, int) {
    if (number == 1) workbench().openRun(id);
  });
  if (draft_->openElsewhere()) notify(tr("This draft is open in another window; here it can be read and not edited."), false);
  for (StepPage* each : pages_) connect(&each->form(), &FormPanel::wasReset, this, &EditorPage::sayReset);
  followDocument();
  showStep(Step::model);
  if (!wanted_tab_.isEmpty()) showTab(wanted_tab_);
}

QWidget* EditorPage::makeHeader() {
  auto* header = new QWidget(this);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(10, 4, 10, 4);
  heading_ = new QLabel(header);
  heading_->setObjectName(QStringLiteral("editor.heading"));
  heading_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  QFont bold = heading_->font();
  bold.setBold(true);
  heading_->setFont(bold);
  row->addWidget(heading_, 1);
  problem_count_ = new QToolButton(header);
  problem_count_->setObjectName(QStringLiteral("editor.problems"));
  problem_count_->setAutoRaise(true);
  problem_count_->setMinimumHeight(26);
  connect(problem_count_, &QToolButton::clicked, this, [this] { nextProblem(1); });
  row->addWidget(problem_count_);
  views_ = new QTabBar(header);
  views_->setObjectName(QStringLiteral("editor.views"));
  views_->setAccessibleName(tr("Views of the experiment"));
  views_->addTab(tr("&Form"));
  views_->addTab(tr("Te&xt"));
  views_->setDrawBase(false);
  connect(views_, &QTabBar::currentChanged, this, [this](int index) { showText(index == 1); });
  row->addWidget(views_);
  for (int i = 0; i < 5; ++i) {
    auto* button = new QToolButton(header);
    button->setMinimumHeight(26);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setToolButtonStyle(i < 2 ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(i < 2);
    header_buttons_.push_back(button);
    row->addWidget(button);
  }
  return header;
}

QWidget* EditorPage::makeForm() {
  auto* box = new QWidget(this);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  step_list_ = new QListWidget(box);
  step_list_->setObjectName(QStringLiteral("editor.steps"));
  step_list_->setAccessibleName(tr("Steps"));
  step_list_->setFixedWidth(steps_width);
  step_list_->setFrameShape(QFrame::NoFrame);
  make_rows_tall(*step_list_);
  row->addWidget(step_list_);
  step_stack_ = new QStackedWidget(box);
  for (const Step step : steps) {
    step_list_->addItem(title_of(step));
    StepPage* made = make_step_page(step, *parts_, step_stack_);
    made->setObjectName(QStringLiteral("editor.step.") + tab_of(step));
    pages_.push_back(made);
    step_stack_->addWidget(scrolled(made, step_stack_));
    if (step == Step::launch) launch_step_ = static_cast<LaunchStep*>(made);
  }
  row->addWidget(step_stack_, 1);
  estimates_ = new EstimatePanel(box);
  auto* side = scrolled(estimates_, box);
  side->setFixedWidth(estimates_width);
  side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  row->addWidget(side);
  connect(step_list_, &QListWidget::currentRowChanged, this, [this](int row_number) {
    step_stack_->setCurrentIndex(row_number);
    if (row_number >= 0) pages_[static_cast<std::size_t>(row_number)]->becameVisible();
  });
  return box;
}

void EditorPage::addActions() {
  ActionRegistry& actions = workbench().actions();
  const auto add = [&](const char* id, const QString& text, const QString& help, const QList<QKeySequence>& keys, const char* icon,
                       const std::function<void()>& act) {
    QAction* action = actions.add(this, {QString::fromLatin1(id), text, help, keys, QString::fromLatin1(icon)}, act);
    if (const QIcon drawn = themed_icon(QString::fromLatin1(icon)); !drawn.isNull()) action->setIcon(drawn);
    return action;
  };
  undo_ = add("draft.undo", tr("&Undo"), tr("Take the last edit of this draft back"), QKeySequence::keyBindings(QKeySequence::Undo),
              "edit-undo", [this] {
                document_->endTyping();
                document_->undoStack().undo();
              });
  redo_ = add("draft.redo", tr("&Redo"), tr("Do again what was taken back"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)}, "edit-redo",
              [this] { document_->undoStack().redo(); });
  QAction* save = add("draft.save", tr("&Save Draft"), tr("Keep this draft in the workspace now, and in its file where it has one"),
                      {QKeySequence(Qt::CTRL | Qt::Key_S)}, "document-save", [this] { draft_->save(); });
  add("draft.save-as", tr("Save &As File…"), tr("Write this draft to a file, as syncline-engine reads it"),
      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, "document-export", [this] { saveAs(); });
  dry_run_ = add("run.dry-run", tr("Dr&y Run"), tr("Start all ranks, do one step, record nothing"),
                 {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return)}, "view-refresh", [this] { dryRun(); });
  launch_action_ = add("run.launch", tr("&Launch"), tr("Start this experiment on this computer"), {QKeySequence(Qt::CTRL | Qt::Key_Return)},
                       "media-playback-start", [this] { launch(); });
  add("draft.next-problem", tr("&Next Problem"), tr("Go to the next problem of this experiment"), {QKeySequence(Qt::Key_F8)}, "go-down",
      [this] { nextProblem(1); });
  add("draft.previous-problem", tr("&Previous Problem"), tr("Go to the problem before"), {QKeySequence(Qt::SHIFT | Qt::Key_F8)}, "go-up",
      [this] { nextProblem(-1); });
  add("draft.next-view", tr("Next &View"), tr("Form or text of this experiment"), {QKeySequence(Qt::CTRL | Qt::Key_PageDown)},
      "view-list-details", [this] { showText(true); });
  add("draft.previous-view", tr("Previous Vie&w"), tr("Text or form of this experiment"), {QKeySequence(Qt::CTRL | Qt::Key_PageUp)},
      "view-list-details", [this] { showText(false); });
  QAction* const shown[] = {undo_, redo_, save, dry_run_, launch_action_};
  for (std::size_t i = 0; i < header_buttons_.size(); ++i) {
    header_buttons_[i]->setDefaultAction(shown[i]);
    header_buttons_[i]->setObjectName(QStringLiteral("editor.button.") + ActionRegistry::idOf(shown[i]));
    header_buttons_[i]->setAccessibleName(QString(shown[i]->text()).remove(u'&'));
  }
  header_buttons_[2]->setToolButtonStyle(Qt::ToolButtonIconOnly);
  launch_step_->bind(QStringLiteral("run.dry-run"), dry_run_);
  launch_step_->bind(QStringLiteral("run.launch"), launch_action_);
  const auto busy = [this] {
    const QString reason = launch_->busy() ? tr("The engine is at work for this draft") : QString();
    ActionRegistry::setReason(launch_action_, reason);
    ActionRegistry::setReason(dry_run_, reason);
  };
  connect(launch_.get(), &LaunchController::busyChanged, this, busy);
  const auto history = [this] {
    const QUndoStack& stack = document_->undoStack();
    const auto words = [](const QString& alone, const QString& of, const QString& what) {
      return what.isEmpty() ? alone : of.arg(QString(what).replace(u'&', QStringLiteral("&&")));
    };
    undo_->setText(words(tr("&Undo"), tr("&Undo: %1"), stack.undoText()));
    redo_->setText(words(tr("&Redo"), tr("&Redo: %1"), stack.redoText()));
    ActionRegistry::setReason(undo_, document_->undoStack().canUndo() ? QString() : tr("Undo: nothing has been edited"));
    ActionRegistry::setReason(redo_, document_->undoStack().canRedo() ? QString() : tr("Redo: nothing has been undone"));
  };
  connect(&document_->undoStack(), &QUndoStack::indexChanged, this, history);
  connect(&document_->undoStack(), &QUndoStack::cleanChanged, this, history);
  history();
}

QString EditorPage::title() const { return draft_ ? draft_->name() : name_.isEmpty() ? tr("Draft") : name_; }
bool EditorPage::unsaved() const { return draft_ && !draft_->openElsewhere() && draft_->unsaved(); }
bool EditorPage::loaded() const { return failed_ || (validator_ && validator_->upToDate()); }
QString EditorPage::restoreKey() const {
  // A draft that the workspace does not have would come back as an empty page.
  if (failed_ || (draft_ && !draft_->inWorkspace())) return {};
  const QString id = draft_ ? draft_->id() : saved_id_;
  return id.isEmpty() ? QString() : QStringLiteral("draft:") + id;
}

bool EditorPage::mayClose() {
  if (!draft_ || !draft_->unsaved()) return true;
  if (draft_->cannotBeKept()) return !draft_->wouldBeLost() || mayLose();
  draft_->save();  // the writer thread finishes it
  return true;
}

bool EditorPage::mayLose() {
  QMessageBox box(
      QMessageBox::Warning, tr("Draft Not Kept"),
      tr("The edits of the draft %1 could not be kept in the workspace and would be lost.").arg(format::isolated(draft_->name())),
      QMessageBox::NoButton, this);
  box.setObjectName(QStringLiteral("editor.unkept"));
  box.setTextFormat(Qt::PlainText);
  QPushButton* save = box.addButton(tr("&Save to a File…"), QMessageBox::AcceptRole);
  QPushButton* discard = box.addButton(tr("&Discard"), QMessageBox::DestructiveRole);
  QPushButton* cancel = box.addButton(QMessageBox::Cancel);
  save->setObjectName(QStringLiteral("editor.unkept.save"));
  discard->setObjectName(QStringLiteral("editor.unkept.discard"));
  cancel->setObjectName(QStringLiteral("editor.unkept.cancel"));
  box.setDefaultButton(save);
  box.setEscapeButton(cancel);
  box.exec();
  if (box.clickedButton() == discard) return true;
  if (box.clickedButton() != save) return false;
  const QString path =
      FileDialog::saveFile(this, tr("Save Draft as File"),
                           draft_->file().isEmpty() ? draft_->name().replace(u'/', u'-') + QStringLiteral(".toml") : draft_->file(),
                           tr("Experiments (*.toml);;All files (*)"));
  if (path.isEmpty()) return false;
  const QString error = draft_->writeBeforeClosing(path);
  if (!error.isEmpty()) notify(error, true);
  return error.isEmpty();
}

void EditorPage::followDocument() {
  const QString heading = tr("Draft: %1%2").arg(format::isolated(title()), unsaved() ? QStringLiteral(" *") : QString());
  heading_->setText(heading);
  heading_->setToolTip(draft_->file().isEmpty() ? title() : draft_->file());
  if (last_title_ != title() || last_unsaved_ != unsaved()) {
    last_title_ = title();
    last_unsaved_ = unsaved();
    Q_EMIT titleChanged();
  }
  const auto& syntax = document_->syntaxError();
  if (syntax) {
    notify(tr("Line %1 is not TOML: %2. The form shows the text as it was before and edits nothing until this is right.")
               .arg(syntax->line)
               .arg(QString::fromStdString(syntax->message)),
           true);
    strip_->setProperty("syntax", true);
  } else if (strip_->property("syntax").toBool()) {
    strip_->setProperty("syntax", false);
    strip_->hide();
  }
}

void EditorPage::examined() {
  const auto examination = validator_->latest();
  std::vector<int> counts(pages_.size(), 0);
  for (const Problem& problem : examination->problems) ++counts[static_cast<std::size_t>(step_of_key(problem.origin.key))];
  const bool dark = palette::isDark(palette());
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    pages_[i]->show(*examination);
    QListWidgetItem* item = step_list_->item(static_cast<int>(i));
    const QString title = title_of(static_cast<Step>(i));
    item->setText(QStringLiteral("%1  %2").arg(counts[i] > 0 ? QStringLiteral("!") : QStringLiteral("✓"), title));
    item->setToolTip(counts[i] == 0 ? tr("No problem") : counts[i] == 1 ? tr("1 problem") : tr("%1 problems").arg(counts[i]));
    item->setData(Qt::AccessibleTextRole, QStringLiteral("%1, %2").arg(title, item->toolTip()));
    if (counts[i] > 0)
      item->setForeground(palette::status(palette::Status::bad, dark));
    else
      item->setData(Qt::ForegroundRole, QVariant());
  }
  text_->setProblems(examination->problems);
  estimates_->setEstimates(examination->estimates);
  const std::size_t count = examination->problems.size();
  problem_count_->setText(count == 0 ? tr("valid ✓") : count == 1 ? tr("1 problem") : tr("%1 problems").arg(count));
  problem_count_->setToolTip(count == 0 ? tr("The engine's own check finds nothing wrong") : tr("Go to the next problem (F8)"));
  problem_count_->setAccessibleName(problem_count_->text());
  colour(*problem_count_, count == 0 ? palette::Status::good : palette::Status::bad);
  if (at_problem_ >= static_cast<int>(count)) at_problem_ = -1;
  Q_EMIT loadedChanged();
  if (pending_purpose_.isEmpty() || !validator_->upToDate()) return;
  const QString purpose = std::exchange(pending_purpose_, QString());
  purpose == QStringLiteral("launch") ? launch() : dryRun();
}

StepPage* EditorPage::page(Step step) const { return pages_[static_cast<std::size_t>(step)]; }

void EditorPage::showStep(Step step) {
  if (views_->currentIndex() != 0) views_->setCurrentIndex(0);
  step_list_->setCurrentRow(static_cast<int>(step));
}

void EditorPage::showText(bool text) {
  const bool had_focus = stack_->isAncestorOf(QApplication::focusWidget());
  if (views_->currentIndex() != (text ? 1 : 0)) views_->setCurrentIndex(text ? 1 : 0);
  stack_->setCurrentIndex(text ? 1 : 0);
  document_->endTyping();
  if (!had_focus) return;
  if (text)
    text_->setFocus(Qt::OtherFocusReason);
  else
    step_list_->setFocus(Qt::OtherFocusReason);
}

void EditorPage::showTab(const QString& tab) {
  if (!document_) {
    wanted_tab_ = tab;
    return;
  }
  if (tab == QStringLiteral("text")) showText(true);
  for (const Step step : steps) {
    if (tab == tab_of(step)) showStep(step);
  }
}

void EditorPage::nextProblem(int direction) {
  const auto examination = validator_->latest();
  if (!examination || examination->problems.empty()) {
    notify(tr("There is no problem to go to."), false);
    return;
  }
  const int count = static_cast<int>(examination->problems.size());
  at_problem_ = at_problem_ < 0 ? (direction > 0 ? 0 : count - 1) : (at_problem_ + direction + count) % count;
  goTo(static_cast<std::size_t>(at_problem_));
}

void EditorPage::goTo(std::size_t number) {
  const Problem& problem = validator_->latest()->problems[number];
  const QString key = QString::fromStdString(problem.origin.key);
  const QString where = key.isEmpty() ? QString() : key + QStringLiteral(": ");
  notify(tr("Problem %1 of %2: %3%4")
             .arg(number + 1)
             .arg(validator_->latest()->problems.size())
             .arg(where, QString::fromStdString(problem.message)),
         true);
  if (views_->currentIndex() == 0 && !key.isEmpty()) {
    const Step step = step_of_key(problem.origin.key);
    showStep(step);
    if (page(step)->focusKey(key)) {
      auto* area = qobject_cast<QScrollArea*>(step_stack_->currentWidget());
      if (area != nullptr && QApplication::focusWidget() != nullptr) area->ensureWidgetVisible(QApplication::focusWidget(), 20, 60);
      return;
    }
  }
  // A key that no field has, or no key at all: where it stands in the text.
  showText(true);
  text_->goTo(std::max(1, problem.origin.line), std::max(1, problem.origin.column));
}

bool EditorPage::validNow(const QString& purpose) {
  document_->endTyping();
  if (!validator_->upToDate()) {
    pending_purpose_ = purpose;
    validator_->examineNow();
    return false;
  }
  if (validator_->latest()->problems.empty()) return true;
  at_problem_ = 0;
  goTo(0);
  return false;
}

void EditorPage::launch() {
  if (launch_->busy() || !validNow(QStringLiteral("launch"))) return;
  const auto seeds = launch_step_->seeds();
  if (!seeds) {
    showStep(Step::launch);
    launch_step_->focusSeeds();
    return;
  }
  if (const QString problem = workbench().engine().problem(); !problem.isEmpty()) {
    showStep(Step::launch);
    launch_step_->say(problem, palette::Status::bad);
    notify(problem, true);
    return;
  }
  launch_->launch(*seeds);
}

void EditorPage::dryRun() {
  if (launch_->busy() || !validNow(QStringLiteral("dry-run"))) return;
  showStep(Step::launch);
  if (const QString problem = workbench().engine().problem(); !problem.isEmpty()) {
    launch_step_->say(problem, palette::Status::bad);
    return;
  }
  launch_step_->say(tr("Dry run: starting all ranks…"), palette::Status::muted);
  launch_->dryRun();
}

void EditorPage::saveAs() {
  auto* dialog = new FileDialog(this, tr("Save Draft as File"), draft_->file());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("editor.save-as"));
  dialog->setAcceptMode(FileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("toml"));
  dialog->setNameFilters({tr("Experiments (*.toml)"), tr("All files (*)")});
  connect(dialog, &FileDialog::fileSelected, this, [this](const QString& path) { draft_->saveAs(path); });
  dialog->open();
}

// One click takes a value away: it is said, and can be taken back.
void EditorPage::sayReset(const KeyPath& path, const std::string& before) {
  const QString key = QString::fromStdString(print_key_path(path));
  workbench().notice(tr("Reset %1, which was %2.").arg(key, QString::fromStdString(before)), tr("&Undo"),
                     [page = QPointer<EditorPage>(this), path, before, at = document_->undoStack().index()] {
                       if (!page) return;
                       // Exactly as it was while nothing has been edited since; else the value alone.
                       QUndoStack& history = page->document_->undoStack();
                       history.index() == at ? history.undo() : static_cast<void>(page->document_->setValue(path, before));
                     });
}

void EditorPage::notify(const QString& text, bool bad) {
  strip_->setText(text);
  colour(*strip_, bad ? palette::Status::bad : palette::Status::muted);
  strip_->show();
}

Page* make_editor_page(Workbench& workbench, const QString& saved_id, const QString& name, const QString& experiment_text,
                       const QString& from_run) {
  return new EditorPage(workbench, saved_id, name, experiment_text, from_run);
}

}  // namespace syncline::ui
