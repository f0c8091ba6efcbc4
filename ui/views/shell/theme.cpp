// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/theme.h"

#include <QApplication>
#include <QLocale>
#include <QStyle>
#include <QStyleFactory>
#include <ctime>

#include "ui/models/palette.h"
#include "ui/models/settings.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

Theme::Theme(Settings& settings, QObject* parent)
    : QObject(parent),
      settings_(settings),
      system_style_(QApplication::style()->objectName()),
      system_palette_(QApplication::palette()),
      system_font_(QApplication::font()) {
  connect(&settings, &Settings::changed, this, [this](const QString& key) {
    if (key == keys::theme || key == keys::text_size) apply();
    if (key == keys::decimals) apply_numbers();
    if (key == keys::zone) apply_zone();
  });
  apply_numbers();
  apply_zone();
}

void Theme::force(const QString& choice) {
  forced_ = choice;
  apply();
}

QString Theme::choice() const {
  const QString choice = forced_.isEmpty() ? settings_.value(keys::theme).toString() : forced_;
  return choice == QStringLiteral("light") || choice == QStringLiteral("dark") ? choice : QStringLiteral("system");
}

void Theme::apply() {
  const QString wanted = choice();
  const bool system = wanted == QStringLiteral("system");
  set_platform_icons(system);
  const QString style = system ? system_style_ : QStringLiteral("fusion");
  if (QApplication::style()->objectName().compare(style, Qt::CaseInsensitive) != 0) QApplication::setStyle(QStyleFactory::create(style));
  // Icons and charts recolour themselves when their widgets hear of the new palette.
  QApplication::setPalette(system ? system_palette_ : wanted == QStringLiteral("dark") ? palette::dark() : palette::light());
  QFont font = system_font_;
  const int per_cent = std::clamp(settings_.value(keys::text_size, 100).toInt(), 80, 200);
  if (font.pointSizeF() > 0) {
    font.setPointSizeF(system_font_.pointSizeF() * per_cent / 100);
  } else {
    font.setPixelSize(system_font_.pixelSize() * per_cent / 100);
  }
  if (QApplication::font() != font) QApplication::setFont(font);
}

void Theme::apply_numbers() {
  // A locale carries its decimal sign with it; language and dates do not follow (texts come from the translation, dates are ISO).
  const QString sign = settings_.value(keys::decimals).toString();
  if (sign == QStringLiteral("point")) {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedKingdom));
  } else if (sign == QStringLiteral("comma")) {
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
  } else {
    QLocale::setDefault(QLocale::system());
  }
}

void Theme::apply_zone() {
  // The zone of the process is what every conversion to local time asks, here and in Qt; files carry UTC in any case.
  const bool utc = settings_.value(keys::zone).toString() == QStringLiteral("utc");
  if (utc == zone_is_utc_) return;
  zone_is_utc_ = utc;
  if (utc) {
    system_zone_ = qgetenv("TZ");
    qputenv("TZ", "UTC");
  } else if (system_zone_.isEmpty()) {
    qunsetenv("TZ");
  } else {
    qputenv("TZ", system_zone_);
  }
  tzset();
}

}  // namespace syncline::ui
