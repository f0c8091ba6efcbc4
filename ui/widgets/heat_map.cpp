// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/heat_map.h"

namespace syncline::ui {

class HeatMap::Implementation {
 public:
  HeatMapData data;
};

HeatMap::HeatMap(ChartGroup&, const QString& name, const QString& title, QWidget* parent)
    : QWidget(parent), implementation_(std::make_unique<Implementation>()) {
  setObjectName(name);
  setAccessibleName(title);
}
HeatMap::~HeatMap() = default;
void HeatMap::setData(HeatMapData cells) { implementation_->data = std::move(cells); }
void HeatMap::setWhenEmpty(const QString&) {}
void HeatMap::setOutlinedRank(int) {}

}  // namespace syncline::ui
