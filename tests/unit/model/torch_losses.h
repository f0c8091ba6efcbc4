// SPDX-License-Identifier: Apache-2.0
// Written by make_torch_reference.py with PyTorch 1.13.0a0.
#pragma once

namespace syncline::test {

inline constexpr double torch_momentum = 0.9;
inline constexpr int torch_lenet_rows = 16;
inline constexpr double torch_lenet_lr = 0.001;
inline constexpr double torch_lenet[] = {
    3.372456312, 3.488881826, 3.008679390, 2.603220224, 2.322480679, 2.456165075, 2.410676241, 2.167745352, 2.384189606, 2.524337530,
    2.232806206, 1.696587682, 1.686656475, 2.117854118, 1.945124149, 1.574508309, 1.350514889, 1.745638847, 1.528097391, 1.317596793,
};
inline constexpr int torch_resnet20_rows = 8;
inline constexpr double torch_resnet20_lr = 0.001;
inline constexpr double torch_resnet20[] = {
    5.228947163, 6.446723461, 6.938577175, 3.678888798, 4.368735790, 5.738709927, 5.264716625, 3.021493673, 3.823182106, 4.714142799,
    3.551811934, 2.743792772, 2.627431631, 2.846477032, 2.144516945, 3.456378698, 2.491678476, 2.744255066, 2.500685453, 3.658141136,
};

}  // namespace syncline::test
