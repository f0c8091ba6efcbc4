// SPDX-License-Identifier: GPL-3.0-or-later
// Icons by their freedesktop names. With the platform's theme its own icon is drawn where there is one; else, and whenever the user chose
// light or dark, a bundled line drawing in the colour of the palette's text, so that a change of theme recolours every icon at once.
#pragma once

#include <QIcon>
#include <QString>
#include <QStringList>

namespace syncline::ui {

QIcon themed_icon(const QString& freedesktop_name);  // empty for a name that neither the theme nor this program has

// The platform's icons may be used (theme choice "system").
void set_platform_icons(bool);

QStringList bundled_icon_names();
QByteArray bundled_svg(const QString& freedesktop_name, const QColor&);  // empty: there is none

}  // namespace syncline::ui
