// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/palette.h"

#include <gtest/gtest.h>

#include <set>

namespace syncline::ui {
namespace {

TEST(Palette, EveryCurveStandsOutFromItsBackground) {
  for (const bool dark : {false, true}) {
    for (int index = 0; index < palette::curve_styles; ++index) {
      EXPECT_GE(palette::contrast(palette::curve(index, dark).colour, palette::background(dark)), 3.3)
          << index << (dark ? " dark" : " light");
    }
  }
}

TEST(Palette, NoTwoIndicesLookTheSameAndTheyWrapAfterTwentyOne) {
  for (const bool dark : {false, true}) {
    std::set<std::tuple<QRgb, int, int, bool>> looks;
    for (int index = 0; index < palette::curve_styles; ++index) {
      const palette::CurveStyle style = palette::curve(index, dark);
      looks.insert({style.colour.rgb(), static_cast<int>(style.dash), static_cast<int>(style.marker), style.hollow});
    }
    EXPECT_EQ(looks.size(), static_cast<std::size_t>(palette::curve_styles));
    EXPECT_EQ(palette::curve(palette::curve_styles + 3, dark).colour, palette::curve(3, dark).colour);
  }
}

TEST(Palette, StatusTextsAreReadable) {
  for (const palette::Status status : {palette::Status::good, palette::Status::attention, palette::Status::bad, palette::Status::muted}) {
    EXPECT_GE(palette::contrast(palette::status(status, false), Qt::white), 4.5);
    EXPECT_GE(palette::contrast(palette::status(status, true), palette::background(true)), 4.5);
  }
}

TEST(Palette, PaleFillsGetAnOutline) {
  const std::set<int> light = {1, 5, 6}, dark = {6};
  for (int part = 0; part < palette::part_count; ++part) {
    EXPECT_EQ(palette::stepPart(part, false).outlined, light.contains(part)) << part;
    EXPECT_EQ(palette::stepPart(part, true).outlined, dark.contains(part)) << part;
  }
}

TEST(Palette, HatchedTilesShowBothFillAndHatch) {
  for (const bool dark : {false, true}) {
    for (int part = 0; part < palette::part_count; ++part) {
      const QImage tile = palette::stepPartTile(part, dark, 2);
      std::set<QRgb> colours;
      for (int y = 0; y < tile.height(); ++y) {
        for (int x = 0; x < tile.width(); ++x) colours.insert(tile.pixel(x, y));
      }
      EXPECT_TRUE(colours.contains(palette::stepPart(part, dark).fill.rgb())) << part;
      EXPECT_EQ(colours.size() > 1, part != 0) << part;
    }
  }
}

TEST(Palette, TextOfBothThemesIsReadableOnEveryGround) {
  using Role = QPalette::ColorRole;
  for (const QPalette* theme : {&palette::light(), &palette::dark()}) {
    for (const auto& [text, ground] : std::initializer_list<std::pair<Role, Role>>{{QPalette::WindowText, QPalette::Window},
                                                                                   {QPalette::Text, QPalette::Base},
                                                                                   {QPalette::Text, QPalette::AlternateBase},
                                                                                   {QPalette::ButtonText, QPalette::Button},
                                                                                   {QPalette::HighlightedText, QPalette::Highlight},
                                                                                   {QPalette::ToolTipText, QPalette::ToolTipBase},
                                                                                   {QPalette::Link, QPalette::Base},
                                                                                   {QPalette::PlaceholderText, QPalette::Base}}) {
      EXPECT_GE(palette::contrast(theme->color(text), theme->color(ground)), 4.5) << text << ' ' << ground;
    }
  }
  EXPECT_FALSE(palette::isDark(palette::light()));
  EXPECT_TRUE(palette::isDark(palette::dark()));
}

TEST(Palette, ScalesRiseInLightnessOrMeetInTheMiddle) {
  double before = -1;
  for (const QColor& colour : palette::sequential()) {
    EXPECT_GT(colour.lightnessF(), 0);
    const double now = palette::contrast(colour, Qt::black);
    EXPECT_GT(now, before);
    before = now;
  }
  EXPECT_EQ(palette::diverging(false).size(), 5U);
  EXPECT_GT(palette::contrast(palette::diverging(true)[0], palette::background(true)),
            palette::contrast(palette::diverging(true)[2], palette::background(true)));
}

}  // namespace
}  // namespace syncline::ui
