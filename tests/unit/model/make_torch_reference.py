#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes torch_losses.h: the losses of lenet and resnet20 over 20 SGD steps, by PyTorch.

Weights and batches come from the formula in support.h, written here once more, so that nothing but the losses is stored. Both sides
number the parameters in the order of the layers. Layouts: images and convolution weights are channels last here ([out][h][w][in]) and
channels first in PyTorch; the features after a flatten layer are in the order (h, w, c) here and (c, h, w) in PyTorch, so the columns of
the first linear layer are permuted on the way in.

    /usr/bin/python3 make_torch_reference.py > torch_losses.h      (Debian: python3-torch, python3-numpy)
"""
import numpy as np
import torch
import torch.nn.functional as F

STEPS, BATCHES, CLASSES, SIDE = 20, 4, 10, 28
MOMENTUM = 0.9


def uniform(stream, count):
    """24 random bits in [0, 1) for positions 0..count-1: Wellons' lowbias32, twice."""
    mask = 0xFFFFFFFF
    x = (np.arange(count, dtype=np.uint64) + stream * 0x9E3779B9) & mask
    for _ in range(2):
        x ^= x >> np.uint64(16)
        x = (x * 0x7FEB352D) & mask
        x ^= x >> np.uint64(15)
        x = (x * 0x846CA68B) & mask
        x ^= x >> np.uint64(16)
        x = (x + stream) & mask
    return (x >> np.uint64(8)).astype(np.float64) * 2.0**-24


class Weights:
    """Parameters in the order of the layers, from the formula, in PyTorch's layout."""

    def __init__(self):
        self.tensors = []

    def _add(self, values):
        tensor = torch.tensor(values.astype(np.float32), requires_grad=True)
        self.tensors.append(tensor)
        return tensor

    def _stream(self, count):
        return 2 * uniform(1000 + len(self.tensors), count) - 1

    def conv(self, out, kernel, channels, bias):
        fan_in = kernel * kernel * channels
        w = self._stream(out * fan_in) * np.sqrt(6 / fan_in)
        weight = self._add(w.reshape(out, kernel, kernel, channels).transpose(0, 3, 1, 2).copy())
        return weight, self._add(0.1 * self._stream(out)) if bias else None

    def linear(self, out, features, image=None):
        w = self._stream(out * features) * np.sqrt(6 / features)
        w = w.reshape(out, features)
        if image:
            height, width, channels = image
            w = w.reshape(out, height, width, channels).transpose(0, 3, 1, 2).reshape(out, features)
        weight = self._add(w.copy())
        return weight, self._add(0.1 * self._stream(out))

    def batch_norm(self, channels):
        # Scale and shift keep most units of the ReLU that follows on, and few at its kink: see the check in main().
        scale = self._add(0.5 + 0.1 * self._stream(channels))
        shift = self._add(1 + 0.1 * self._stream(channels))
        return scale, shift


def lenet():
    weights = Weights()
    conv1, conv2 = weights.conv(20, 5, 1, True), weights.conv(50, 5, 20, True)
    fc1, fc2 = weights.linear(500, 800, (4, 4, 50)), weights.linear(CLASSES, 500)

    def forward(x):
        x = F.max_pool2d(F.conv2d(x, *conv1), 2)
        x = F.max_pool2d(F.conv2d(x, *conv2), 2)
        x = F.relu(F.linear(x.flatten(1), *fc1))
        return F.linear(x, *fc2)

    return weights.tensors, forward


def resnet20():
    weights = Weights()
    stem, stem_bn = weights.conv(16, 3, 1, False), weights.batch_norm(16)
    blocks, channels = [], 16
    for out in (16, 32, 64):
        for index in range(3):
            block = {"stride": 2 if out > 16 and index == 0 else 1}
            block["conv1"], block["bn1"] = weights.conv(out, 3, channels, False), weights.batch_norm(out)
            block["conv2"], block["bn2"] = weights.conv(out, 3, out, False), weights.batch_norm(out)
            if block["stride"] == 2:
                block["conv3"], block["bn3"] = weights.conv(out, 1, channels, False), weights.batch_norm(out)
            blocks.append(block)
            channels = out
    fc = weights.linear(CLASSES, 64)

    def bn(x, parameters):
        return F.batch_norm(x, None, None, *parameters, training=True, eps=1e-5)

    def forward(x):
        x = F.relu(bn(F.conv2d(x, stem[0], padding=1), stem_bn))
        for b in blocks:
            y = F.relu(bn(F.conv2d(x, b["conv1"][0], stride=b["stride"], padding=1), b["bn1"]))
            y = bn(F.conv2d(y, b["conv2"][0], padding=1), b["bn2"])
            if "conv3" in b:
                x = bn(F.conv2d(x, b["conv3"][0], stride=b["stride"]), b["bn3"])
            x = F.relu(y + x)
        return F.linear(x.mean((2, 3)), *fc)

    return weights.tensors, forward


def batch(index, rows):
    x = 2 * uniform(10 * (index + 1), rows * SIDE * SIDE) - 1
    labels = (uniform(10 * (index + 1) + 1, rows) * CLASSES).astype(np.int64)
    return torch.tensor(x.astype(np.float32)).reshape(rows, 1, SIDE, SIDE), torch.tensor(labels)


def losses(model, rows, lr, dtype):
    parameters, forward = model()
    for parameter in parameters:
        parameter.data = parameter.data.to(dtype)
    optimizer = torch.optim.SGD(parameters, lr=lr, momentum=MOMENTUM)
    result = []
    for step in range(STEPS):
        x, labels = batch(step % BATCHES, rows)
        loss = F.cross_entropy(forward(x.to(dtype)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        result.append(loss.item())
    return result


def main():
    torch.set_num_threads(1)
    print("// SPDX-License-Identifier: Apache-2.0")
    print(f"// Written by make_torch_reference.py with PyTorch {torch.__version__}.")
    print("#pragma once\n")
    print("namespace syncline::test {\n")
    print(f"inline constexpr double torch_momentum = {MOMENTUM};")
    for name, model, rows, lr in (("lenet", lenet, 16, 0.001), ("resnet20", resnet20, 8, 0.001)):
        values = losses(model, rows, lr, torch.float32)
        # A ReLU or a maximum that falls to the other side by rounding bends the trajectory, and each bend makes further ones likelier.
        # Rates and weights are such that it does not happen: PyTorch agrees with itself at double precision.
        assert max(abs(a - b) for a, b in zip(values, losses(model, rows, lr, torch.float64))) < 5e-6, name
        print(f"inline constexpr int torch_{name}_rows = {rows};")
        print(f"inline constexpr double torch_{name}_lr = {lr};")
        print(f"inline constexpr double torch_{name}[] = {{")
        for i in range(0, STEPS, 5):
            print("    " + ", ".join(f"{v:.9f}" for v in values[i:i + 5]) + ",")
        print("};")
    print("\n}  // namespace syncline::test")


if __name__ == "__main__":
    main()
