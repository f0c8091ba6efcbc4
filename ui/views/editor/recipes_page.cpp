// SPDX-License-Identifier: GPL-3.0-or-later
// What ships to start from: one card per file. Recipes with their claims, then the example experiments.
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "engine/launch/process.h"
#include "ui/models/editor/background.h"
#include "ui/models/editor/examples.h"
#include "ui/models/editor/launching.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/views/editor/recipe_views.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

namespace {

constexpr int card_width = 300;

struct Shipped {
  std::vector<ShippedRecipe> recipes;
  std::vector<Example> examples;
};

Shipped read_shipped() {
  return {read_recipes(resource_folder(QStringLiteral("recipes"))), read_examples(resource_folder(QStringLiteral("experiments")))};
}

class Card : public QFrame {
 public:
  Card(const Example& example, int number, QWidget* parent) : QFrame(parent), example_(example) {
    setFrameShape(QFrame::StyledPanel);
    setObjectName(QStringLiteral("recipes.card.") + QFileInfo(example.file).completeBaseName());
    setAccessibleName(example.name);
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    auto* name = new QLabel(example.name, this);
    QFont bold = name->font();
    bold.setBold(true);
    name->setFont(bold);
    name->setWordWrap(true);
    auto* comment = new QLabel(example.comment, this);
    auto* facts = new QLabel(example.facts, this);
    facts->setForegroundRole(QPalette::PlaceholderText);
    auto* needs = new QLabel(this);
    needs->setObjectName(QStringLiteral("recipes.needs"));
    const int cores = core_count();
    QString text = QCoreApplication::translate("Recipes", "Needs %1").arg(example.needs);
    palette::Status status = palette::Status::muted;
    if (!example.problem.isEmpty()) {
      text += QStringLiteral("\n✕ ") + example.problem;
      status = palette::Status::bad;
    } else if (example.workers > cores) {
      text += QCoreApplication::translate("Recipes", "\n! This computer offers %1 cores, so ranks share them").arg(format::count(cores));
      status = palette::Status::attention;
    }
    needs->setText(text);
    QPalette colours = parent->palette();
    colours.setColor(QPalette::WindowText, palette::status(status, palette::isDark(colours)));
    needs->setPalette(colours);
    column->addWidget(name);
    for (QLabel* label : {comment, facts, needs}) {
      label->setWordWrap(true);
      label->setTextFormat(Qt::PlainText);
      column->addWidget(label);
    }
    column->addStretch(1);
    auto* row = new QHBoxLayout;
    // Cards have the same buttons; the first nine have access keys of their own.
    const QString key = number < 9 ? QStringLiteral(" &%1").arg(number + 1) : QString();
    open = new QPushButton(QCoreApplication::translate("Recipes", "Open as Draft%1").arg(key), this);
    open->setObjectName(QStringLiteral("recipes.open"));
    open->setAccessibleName(QCoreApplication::translate("Recipes", "Open %1 as draft").arg(example.name));
    run = new QPushButton(QCoreApplication::translate("Recipes", "Run"), this);
    run->setObjectName(QStringLiteral("recipes.run"));
    run->setIcon(themed_icon(QStringLiteral("media-playback-start")));
    run->setAccessibleName(QCoreApplication::translate("Recipes", "Run %1").arg(example.name));
    row->addWidget(open);
    row->addWidget(run);
    row->addStretch(1);
    column->addLayout(row);
  }

  bool matches(const QString& words) const {
    const QString all = example_.name + u' ' + example_.comment + u' ' + example_.facts + u' ' + QFileInfo(example_.file).fileName();
    for (const QString& word : words.split(u' ', Qt::SkipEmptyParts)) {
      if (!all.contains(word, Qt::CaseInsensitive)) return false;
    }
    return true;
  }
  const Example& example() const { return example_; }

  QPushButton *open = nullptr, *run = nullptr;

 private:
  Example example_;
};

class RecipesPage : public Page {
 public:
  explicit RecipesPage(Workbench& bench) : Page(bench) {
    setObjectName(QStringLiteral("recipes"));
    auto* column = new QVBoxLayout(this);
    auto* top = new QHBoxLayout;
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("recipes.search"));
    search_->setAccessibleName(tr("Search"));
    search_->setPlaceholderText(tr("Search"));
    search_->setClearButtonEnabled(true);
    search_->setMaximumWidth(320);
    top->addWidget(search_);
    top->addStretch(1);
    column->addLayout(top);
    message_ = new QLabel(tr("Reading what ships with Syncline…"), this);
    message_->setObjectName(QStringLiteral("recipes.message"));
    message_->setWordWrap(true);
    column->addWidget(message_);
    area_ = new QScrollArea(this);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus);
    box_ = new QWidget(area_);
    grid_ = new QGridLayout(box_);
    grid_->setContentsMargins(0, 0, 0, 0);
    area_->setWidget(box_);
    column->addWidget(area_, 1);
    detail_ = new RecipeDetail(this);
    detail_->hide();
    column->addWidget(detail_, 1);
    connect(detail_->back, &QPushButton::clicked, this, [this] { showGallery(); });
    connect(&bench.store(), &StoreService::changed, this, [this] { readRecords(); });
    connect(search_, &QLineEdit::textChanged, this, [this] { place(); });
    bench.actions().add(this,
                        {QStringLiteral("recipes.find"),
                         tr("&Find Recipe"),
                         tr("Type part of a name or purpose"),
                         {QKeySequence(QKeySequence::Find)},
                         QStringLiteral("edit-find")},
                        [this] {
                          if (!detail_->isHidden()) showGallery();
                          search_->setFocus();
                        });
    in_background(
        this, [] { return read_shipped(); }, [this](const Shipped& shipped) { fill(shipped); });
  }

  QString title() const override { return tr("Recipes"); }
  QString iconName() const override { return QStringLiteral("applications-science"); }
  bool loaded() const override { return loaded_; }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    Page::resizeEvent(event);
    place();
  }

 private:
  void fill(const Shipped& shipped) {
    loaded_ = true;
    for (const ShippedRecipe& recipe : shipped.recipes) {
      auto* card = new RecipeCard(recipe, static_cast<int>(recipes_.size()), box_);
      connect(card->open, &QPushButton::clicked, this, [this, card] { showDetail(*card); });
      connect(card->run, &QPushButton::clicked, this, [this, card] {
        ask(*card, {QStringLiteral("run"), card->shipped().file, QStringLiteral("--detach")});
      });
      connect(card->quick, &QPushButton::clicked, this, [this, card] {
        ask(*card, {QStringLiteral("run"), card->shipped().file, QStringLiteral("--quick"), QStringLiteral("--detach")});
      });
      connect(card->stop, &QPushButton::clicked, this, [this, card] { ask(*card, {QStringLiteral("stop"), card->shipped().file}); });
      recipes_.push_back(card);
    }
    for (const Example& example : shipped.examples) {
      auto* card = new Card(example, static_cast<int>(recipes_.size() + cards_.size()), box_);
      connect(card->open, &QPushButton::clicked, this,
              [this, card] { workbench().newDraft(card->example().name, QString::fromStdString(card->example().text)); });
      connect(card->run, &QPushButton::clicked, this, [this, card] { run(*card); });
      if (!example.problem.isEmpty()) {
        card->run->setEnabled(false);
        card->run->setToolTip(tr("Run: %1").arg(example.problem));
      }
      cards_.push_back(card);
    }
    place();
    readRecords();
    Q_EMIT loadedChanged();
  }

  void readRecords() {
    if (recipes_.empty()) return;
    workbench().store().read<std::vector<RecipeRecord>>(
        this, QStringLiteral("recipes"), [](Reader& reader) { return recipe_records(reader.database()); },
        [this](const std::vector<RecipeRecord>& records) {
          for (RecipeCard* card : recipes_) {
            card->show_standing(records);
            if (!detail_->isHidden() && detail_->name() == card->shipped().name) detail_->show_recipe(card->shipped(), card->standing());
          }
        });
  }

  void showDetail(const RecipeCard& card) {
    detail_->show_recipe(card.shipped(), card.standing());
    for (QWidget* other : {static_cast<QWidget*>(area_), static_cast<QWidget*>(search_), static_cast<QWidget*>(message_)}) other->hide();
    detail_->show();
    detail_->back->setFocus();
  }

  void showGallery() {
    detail_->hide();
    area_->show();
    message_->show();
    place();
    for (RecipeCard* card : recipes_)
      if (card->shipped().name == detail_->name()) card->open->setFocus();
  }

  // A command of `recipes`; what comes of it is seen in the workspace.
  void ask(RecipeCard& card, const QStringList& arguments) {
    EngineProgram& engine = workbench().engine();
    if (const QString problem = engine.problem(); !problem.isEmpty()) {
      workbench().notice(problem);
      return;
    }
    engine.run(this, QStringList{QStringLiteral("recipes")} + arguments + QStringList{QStringLiteral("--json")},
               [this, title = card.shipped().title](const EngineProgram::Answer& answer) {
                 if (answer.exit_code != 0) workbench().notice(tr("%1: %2").arg(title, answer.sentence()));
                 readRecords();
               });
  }

  void place() {
    if (!loaded_) return;
    const int columns = std::max(1, area_->viewport()->width() / card_width);
    int shown = 0;
    const auto take = [&](QWidget* card, bool fits) {
      card->setVisible(fits);
      if (!fits) return;
      grid_->addWidget(card, shown / columns, shown % columns);
      ++shown;
    };
    for (RecipeCard* card : recipes_) grid_->removeWidget(card);
    for (Card* card : cards_) grid_->removeWidget(card);
    for (RecipeCard* card : recipes_) take(card, card->matches(search_->text()));
    for (Card* card : cards_) take(card, card->matches(search_->text()));
    for (int i = 0; i < grid_->columnCount(); ++i) grid_->setColumnStretch(i, i < columns ? 1 : 0);
    for (int i = 0; i < grid_->rowCount(); ++i) grid_->setRowStretch(i, 0);
    grid_->setRowStretch(grid_->rowCount(), 1);
    const bool any = !recipes_.empty() || !cards_.empty();
    search_->setVisible(any && detail_->isHidden());
    if (!any)
      message_->setText(
          tr("No recipes or example experiments were found beside this program; a new experiment starts with Project ▸ New Experiment…"));
    else if (shown == 0)
      message_->setText(tr("Nothing here is called %1.").arg(search_->text()));
    else
      message_->setText(tr("Recipes test what a paper claims. Example experiments open as drafts, or run as they are."));
  }

  void run(Card& card) {
    EngineProgram& engine = workbench().engine();
    if (const QString problem = engine.problem(); !problem.isEmpty()) {
      workbench().notice(problem);
      return;
    }
    card.run->setEnabled(false);
    engine.run(this,
               {QStringLiteral("launch"), card.example().file, QStringLiteral("--on"), QStringLiteral("local"), QStringLiteral("--detach"),
                QStringLiteral("--json")},
               [this, guard = QPointer<Card>(&card)](const EngineProgram::Answer& answer) {
                 if (guard) guard->run->setEnabled(true);
                 if (const QString id = launched_id(answer); !id.isEmpty())
                   workbench().openRun(id);
                 else
                   workbench().notice(tr("%1 was not started: %2").arg(guard ? guard->example().name : QString(), answer.sentence()));
               });
  }

  QLineEdit* search_;
  QLabel* message_;
  QScrollArea* area_;
  QWidget* box_;
  QGridLayout* grid_;
  RecipeDetail* detail_;
  std::vector<RecipeCard*> recipes_;
  std::vector<Card*> cards_;
  bool loaded_ = false;
};

}  // namespace

Page* make_recipes_page(Workbench& workbench) { return new RecipesPage(workbench); }

}  // namespace syncline::ui
