# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of tests/bench/compare: trains a model of the zoo from the engine's start, prints one JSON line. With two workers
DistributedDataParallel over gloo, one process and one thread each. Usage: torch_step.py MODEL WORKERS STEPS WARM_UP LAYOUT DATA LEARNING_RATE;
ranks read RANK and WORLD_SIZE, and meet at the file SYNCLINE_BENCH_STORE."""
import json
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
sys.dont_write_bytecode = True
import torch
from torch import nn
import torch.nn.functional as F

import same_start

SEED, BATCH = 1, 64


class Block(nn.Module):
    def __init__(self, channels_in, channels, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        self.shortcut = self.shortcut_bn = None
        if stride > 1:
            self.shortcut, self.shortcut_bn = nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels)

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)), inplace=True)))
        return F.relu(y + (x if self.shortcut is None else self.shortcut_bn(self.shortcut(x))), inplace=True)


def build(model):
    """A Sequential whose parameters carry the engine's layer names."""
    net = nn.Sequential()
    relu = lambda name: net.add_module(name, nn.ReLU(inplace=True))
    if model == "mlp":
        net.add_module("flatten", nn.Flatten())
        for i, (a, b) in enumerate([(784, 1024), (1024, 1024), (1024, 10)], 1):
            net.add_module(f"fc{i}", nn.Linear(a, b))
            if i < 3:
                relu(f"relu{i}")
    elif model == "lenet":
        net.add_module("conv1", nn.Conv2d(1, 20, 5))
        net.add_module("pool1", nn.MaxPool2d(2))
        net.add_module("conv2", nn.Conv2d(20, 50, 5))
        net.add_module("pool2", nn.MaxPool2d(2))
        net.add_module("flatten", nn.Flatten())
        net.add_module("fc1", nn.Linear(800, 500))
        relu("relu1")
        net.add_module("fc2", nn.Linear(500, 10))
    elif model == "resnet20":
        net.add_module("conv1", nn.Conv2d(1, 16, 3, padding=1, bias=False))
        net.add_module("bn1", nn.BatchNorm2d(16))
        relu("relu1")
        before = 16
        for stage, channels in enumerate([16, 32, 64], 1):
            blocks = nn.Sequential()
            for block in range(1, 4):
                blocks.add_module(f"block{block}", Block(before, channels, 2 if stage > 1 and block == 1 else 1))
                before = channels
            net.add_module(f"stage{stage}", blocks)
        net.add_module("pool", nn.AdaptiveAvgPool2d(1))
        net.add_module("flatten", nn.Flatten())
        net.add_module("fc", nn.Linear(64, 10))
    elif model == "vgg11":
        before, conv, pool = 1, 0, 0
        for item in [64, "P", 128, "P", 256, 256, "P", 512, 512, "P"]:
            if item == "P":
                pool += 1
                net.add_module(f"pool{pool}", nn.MaxPool2d(2))
                continue
            conv += 1
            net.add_module(f"conv{conv}", nn.Conv2d(before, item, 3, padding=1))
            net.add_module(f"bn{conv}", nn.BatchNorm2d(item))
            relu(f"relu{conv}")
            before = item
        net.add_module("flatten", nn.Flatten())
        net.add_module("fc1", nn.Linear(512, 512))
        relu("relu_fc1")
        net.add_module("fc2", nn.Linear(512, 10))
    else:
        raise SystemExit(f"torch_step.py: no model '{model}'")
    return net


# Layers without a ReLU behind them (pooling and batch normalisation let it through).
NO_RELU = {"mlp": {"fc3"}, "lenet": {"conv1", "conv2", "fc2"}, "resnet20": {"fc"}, "vgg11": {"fc2"}}


def start_from_engine(net, model):
    with torch.no_grad():
        for name, module in net.named_modules():
            if isinstance(module, nn.Conv2d):
                out, channels, height, width = module.weight.shape
                values = same_start.weight(SEED, name, (out, height, width, channels), channels * height * width, out * height * width,
                                           name not in NO_RELU[model])
                module.weight.copy_(torch.from_numpy(values).permute(0, 3, 1, 2))
            elif isinstance(module, nn.Linear):
                out, inputs = module.weight.shape
                values = torch.from_numpy(same_start.weight(SEED, name, (out, inputs), inputs, out, name not in NO_RELU[model]))
                if model == "lenet" and name == "fc1":  # ours reads the picture as height, width, channels
                    values = values.reshape(500, 4, 4, 50).permute(0, 3, 1, 2).reshape(500, 800)
                module.weight.copy_(values)
            if isinstance(module, (nn.Conv2d, nn.Linear)) and module.bias is not None:
                module.bias.zero_()


def train(model, workers, steps, warm_up, layout, data, lr):
    torch.set_num_threads(1)
    rank = int(os.environ.get("RANK", "0"))
    if workers > 1:
        import torch.distributed as dist
        dist.init_process_group("gloo", init_method="file://" + os.environ["SYNCLINE_BENCH_STORE"], rank=rank, world_size=workers)
    net = build(model)
    parameters = sum(p.numel() for p in net.parameters())
    start_from_engine(net, model)
    images, labels = same_start.fashion_mnist(data)
    ids = same_start.order(SEED, 0, len(labels))
    images, labels = torch.from_numpy(images), torch.from_numpy(labels)
    if layout == "channels_last":
        net = net.to(memory_format=torch.channels_last)
    if workers > 1:
        net = nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    losses, began = [], 0.0
    for step in range(steps):
        if step == warm_up:
            if workers > 1:
                dist.barrier()
            began = time.monotonic()
        first = (step * workers + rank) * BATCH % (len(ids) // (BATCH * workers) * BATCH * workers)
        chosen = torch.from_numpy(ids[first:first + BATCH])
        x, y = images[chosen], labels[chosen]
        if layout == "channels_last":
            x = x.contiguous(memory_format=torch.channels_last)
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    if workers > 1:
        dist.barrier()
    took = time.monotonic() - began
    loss = losses[4].reshape(1)
    if workers > 1:
        dist.all_reduce(loss)
    if rank == 0:
        print(json.dumps({"parameters": parameters, "loss": loss.item() / workers, "version": torch.__version__,
                          "samples_per_s": (steps - warm_up) * BATCH * workers / took}))
    if workers > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6], float(sys.argv[7]))
