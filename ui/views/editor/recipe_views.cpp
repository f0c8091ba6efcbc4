// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/recipe_views.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

QString say(const char* text) { return QCoreApplication::translate("Recipes", text); }
QString words(const std::string& text) { return QString::fromStdString(text); }

QLabel* paragraph(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  return label;
}

void make_bold(QLabel* label) {
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
}

void colour(QLabel* label, palette::Status status) {
  QPalette colours = label->parentWidget()->palette();
  colours.setColor(QPalette::WindowText, palette::status(status, palette::isDark(colours)));
  label->setPalette(colours);
}

}  // namespace

RecipeCard::RecipeCard(ShippedRecipe shipped, int number, QWidget* parent) : QFrame(parent), shipped_(std::move(shipped)) {
  setFrameShape(QFrame::StyledPanel);
  setObjectName(QStringLiteral("recipes.card.") + shipped_.name);
  setAccessibleName(shipped_.title);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  auto* title = paragraph(shipped_.title, this);
  make_bold(title);
  column->addWidget(title);
  auto* facts = paragraph(shipped_.facts(), this);
  facts->setForegroundRole(QPalette::PlaceholderText);
  column->addWidget(facts);
  if (shipped_.recipe) column->addWidget(paragraph(words(shipped_.recipe->paper.claim), this));
  column->addWidget(paragraph(shipped_.needs(), this));
  state_ = paragraph({}, this);
  state_->setObjectName(QStringLiteral("recipes.state"));
  column->addWidget(state_);
  column->addStretch(1);
  auto* row = new QHBoxLayout;
  const auto button = [&](const QString& text, const QString& name, const QString& meaning) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(QStringLiteral("recipes.") + name);
    made->setAccessibleName(meaning.arg(shipped_.title));
    made->setEnabled(shipped_.recipe.has_value());
    row->addWidget(made);
    return made;
  };
  const QString key = number < 9 ? QStringLiteral(" &%1").arg(number + 1) : QString();
  open = button(say("Claims%1").arg(key), QStringLiteral("claims"), say("Claims of %1"));
  run = button(say("Run"), QStringLiteral("run"), say("Run %1"));
  run->setIcon(themed_icon(QStringLiteral("media-playback-start")));
  quick = button(say("Run Quick"), QStringLiteral("quick"), say("Run the quick size of %1"));
  stop = button(say("Stop"), QStringLiteral("stop"), say("Stop %1"));
  row->addStretch(1);
  column->addLayout(row);
  show_standing({});
}

void RecipeCard::show_standing(const std::vector<RecipeRecord>& records) {
  if (!shipped_.recipe) {
    stop->hide();
    state_->setText(QStringLiteral("✕ ") + shipped_.problem);
    colour(state_, palette::Status::bad);
    return;
  }
  standing_ = standing_of(*shipped_.recipe, records);
  state_->setText(standing_.sentence);
  colour(state_, standing_.status);
  const bool running = standing_.state == RecipeStanding::running;
  run->setVisible(!running);
  quick->setVisible(!running);
  stop->setVisible(running);
}

bool RecipeCard::matches(const QString& search) const {
  QString all = shipped_.name + u' ' + shipped_.title + u' ' + shipped_.facts();
  if (shipped_.recipe)
    all += u' ' + words(shipped_.recipe->paper.title + ' ' + shipped_.recipe->paper.authors + ' ' + shipped_.recipe->paper.claim);
  for (const QString& word : search.split(u' ', Qt::SkipEmptyParts)) {
    if (!all.contains(word, Qt::CaseInsensitive)) return false;
  }
  return true;
}

RecipeDetail::RecipeDetail(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("recipes.detail"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  auto* top = new QHBoxLayout;
  back = new QPushButton(say("&Back to All"), this);
  back->setObjectName(QStringLiteral("recipes.back"));
  title_ = paragraph({}, this);
  make_bold(title_);
  top->addWidget(back);
  top->addWidget(title_, 1);
  column->addLayout(top);
  about_ = paragraph({}, this);
  about_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(about_);
  state_ = paragraph({}, this);
  state_->setObjectName(QStringLiteral("recipes.detail.state"));
  column->addWidget(state_);
  claims_ = new QTableWidget(this);
  claims_->setObjectName(QStringLiteral("recipes.claims"));
  claims_->setAccessibleName(say("Claims"));
  claims_->setColumnCount(5);
  claims_->setHorizontalHeaderLabels({say("Claim"), say("Result"), say("Measured"), say("Expected"), say("What it says")});
  claims_->verticalHeader()->hide();
  claims_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  claims_->setSelectionBehavior(QAbstractItemView::SelectRows);
  claims_->setTabKeyNavigation(false);
  claims_->setWordWrap(true);
  claims_->horizontalHeader()->setStretchLastSection(true);
  column->addWidget(claims_, 1);
}

void RecipeDetail::show_recipe(const ShippedRecipe& shipped, const RecipeStanding& standing) {
  const bool other = name_ != shipped.name;
  name_ = shipped.name;
  title_->setText(shipped.title);
  const Recipe& recipe = *shipped.recipe;
  QStringList about = {words(recipe.paper.title) + QStringLiteral(" — ") + words(recipe.paper.authors), words(recipe.paper.venue)};
  if (!recipe.paper.link.empty()) about.last() += QStringLiteral(" · ") + words(recipe.paper.link);
  for (const std::string* text : {&recipe.paper.claim, &recipe.summary, &recipe.paper.confidence})
    if (!text->empty()) about << words(*text);
  about_->setText(about.join(u'\n'));
  state_->setText(standing.sentence);
  colour(state_, standing.status);
  const bool dark = palette::isDark(QWidget::palette());
  claims_->setRowCount(static_cast<int>(standing.claims.size()));
  for (int row = 0; row < claims_->rowCount(); ++row) {
    const ClaimResult& claim = standing.claims[static_cast<std::size_t>(row)];
    QString text = words(claim.text);
    if (!claim.note.empty()) text += QStringLiteral(" (") + words(claim.note) + u')';
    const QStringList cells = {words(claim.id), verdict_text(claim), measured_text(claim), words(claim.expected), text};
    for (int k = 0; k < cells.size(); ++k) {
      QTableWidgetItem* item = claims_->item(row, k);
      if (item == nullptr) claims_->setItem(row, k, item = new QTableWidgetItem);
      if (item->text() != cells[k]) item->setText(cells[k]);
      item->setToolTip(cells[k]);
      if (k == 1) item->setForeground(palette::status(verdict_status(claim), dark));
      if (k == 2) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
  }
  if (!other) return;
  for (int k = 0; k < 3; ++k) claims_->resizeColumnToContents(k);
  claims_->setColumnWidth(3, 220);
  claims_->resizeRowsToContents();
}

}  // namespace syncline::ui
