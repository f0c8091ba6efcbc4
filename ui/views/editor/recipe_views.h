// SPDX-License-Identifier: GPL-3.0-or-later
// A recipe in the gallery, and opened: its claims and what came out.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

#include "ui/models/editor/recipe_list.h"

namespace syncline::ui {

class RecipeCard : public QFrame {
 public:
  RecipeCard(ShippedRecipe, int number, QWidget* parent);  // number: in the gallery; the first nine have access keys
  void show_standing(const std::vector<RecipeRecord>&);
  bool matches(const QString& words) const;
  const ShippedRecipe& shipped() const { return shipped_; }
  const RecipeStanding& standing() const { return standing_; }

  QPushButton *open = nullptr, *run = nullptr, *quick = nullptr, *stop = nullptr;

 private:
  ShippedRecipe shipped_;
  RecipeStanding standing_;
  QLabel* state_ = nullptr;
};

class RecipeDetail : public QWidget {
 public:
  explicit RecipeDetail(QWidget* parent);
  void show_recipe(const ShippedRecipe&, const RecipeStanding&);
  const QString& name() const { return name_; }

  QPushButton* back = nullptr;

 private:
  QString name_;
  QLabel *title_, *about_, *state_;
  QTableWidget* claims_;
};

}  // namespace syncline::ui
