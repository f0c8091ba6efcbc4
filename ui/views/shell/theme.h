// SPDX-License-Identifier: GPL-3.0-or-later
// System, light or dark; text size; how numbers are written. What is chosen takes effect at once, in every open window.
#pragma once

#include <QFont>
#include <QObject>
#include <QPalette>
#include <QString>

namespace syncline::ui {

class Settings;

// Names of the settings that the window itself reads, with their defaults.
namespace keys {
inline const QString theme = QStringLiteral("appearance/theme");                   // system | light | dark
inline const QString text_size = QStringLiteral("appearance/text-size");           // per cent of the platform's font, 80..200
inline const QString zone = QStringLiteral("numbers/zone");                        // local | utc
inline const QString decimals = QStringLiteral("numbers/decimal-sign");            // system | point | comma
inline const QString start_place = QStringLiteral("general/start-place");          // last | runs | drafts | recipes | plugins
inline const QString restore = QStringLiteral("general/restore-pages");            // bool, true
inline const QString single_letters = QStringLiteral("shortcuts/single-letters");  // bool, true
inline const QString engine = QStringLiteral("engine/path");                       // empty: looked for
inline const QString notify_finished = QStringLiteral("notifications/finished");   // bool, false
inline const QString notify_failed = QStringLiteral("notifications/failed");       // bool, false; lost ones too
}  // namespace keys

class Theme : public QObject {
  Q_OBJECT

 public:
  // Remembers the platform's style, palette and font: made before any of them is changed.
  explicit Theme(Settings&, QObject* parent = nullptr);
  // For this process only, without touching the settings (`--theme`).
  void force(const QString& choice);
  QString choice() const;
  void apply();

 private:
  void apply_numbers();
  void apply_zone();
  Settings& settings_;
  QString forced_, system_style_;
  QPalette system_palette_;
  QFont system_font_;
  QByteArray system_zone_;
  bool zone_is_utc_ = false;
};

}  // namespace syncline::ui
