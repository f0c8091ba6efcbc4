// SPDX-License-Identifier: GPL-3.0-or-later
// What the Help menu opens, apart from What's This.
#pragma once

#include <QPointer>
#include <QString>

class QDialog;
class QWidget;

namespace syncline::ui {

class ActionRegistry;
class PageActions;
class Problems;

// What works where the focus was first, then what works everywhere.
QDialog* make_keyboard_overview(ActionRegistry&, PageActions&, QWidget* focus, QWidget* parent);
QDialog* make_about(QWidget* parent);
// A text to read before it is copied; nothing is sent anywhere.
QString report_text(const Problems&, const QString& workspace, const QString& engine);
QDialog* make_text_dialog(const QString& name, const QString& title, const QString& explanation, const QString& text, QWidget* parent);

}  // namespace syncline::ui
