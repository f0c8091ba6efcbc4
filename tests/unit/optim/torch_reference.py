# SPDX-License-Identifier: Apache-2.0
# Writes torch_reference.inc: parameters after each of 6 steps by PyTorch's own optimizers (Debian's python3-torch, 1.13), in double.
# Run with /usr/bin/python3 torch_reference.py > torch_reference.inc. The inputs are multiples of 1/16, exact in every format.
import torch

COUNT, STEPS, LR = 12, 6, 0.125


def start():
    return torch.tensor([((i * 7) % 11 - 5) / 8 for i in range(COUNT)], dtype=torch.float64)


def gradient(step):
    return torch.tensor([((i * 5 + step * 3) % 13 - 6) / 16 for i in range(COUNT)], dtype=torch.float64)


o = torch.optim
CASES = [  # optimizer, our options as C++, PyTorch's
    ("sgd", '{"momentum", {0.0}}', lambda p: o.SGD(p, LR)),
    ("sgd", '{"momentum", {0.0}}, {"weight_decay", {0.1}}', lambda p: o.SGD(p, LR, weight_decay=0.1)),
    ("sgd", '{"momentum", {0.9}}, {"weight_decay", {0.1}}', lambda p: o.SGD(p, LR, momentum=0.9, weight_decay=0.1)),
    ("sgd", '{"momentum", {0.9}}, {"nesterov", {true}}', lambda p: o.SGD(p, LR, momentum=0.9, nesterov=True)),
    ("adam", "", lambda p: o.Adam(p, LR)),
    ("adam", '{"beta1", {0.8}}, {"beta2", {0.95}}, {"epsilon", {1e-3}}, {"weight_decay", {0.1}}',
     lambda p: o.Adam(p, LR, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1)),
    ("adamw", "", lambda p: o.AdamW(p, LR)),
    ("adamw", '{"weight_decay", {0.25}}', lambda p: o.AdamW(p, LR, weight_decay=0.25)),
    ("rmsprop", "", lambda p: o.RMSprop(p, LR)),
    ("rmsprop", '{"centered", {true}}, {"epsilon", {1e-2}}', lambda p: o.RMSprop(p, LR, centered=True, eps=1e-2)),
    ("rmsprop", '{"momentum", {0.5}}, {"weight_decay", {0.1}}', lambda p: o.RMSprop(p, LR, momentum=0.5, weight_decay=0.1)),
    ("rmsprop", '{"alpha", {0.9}}, {"momentum", {0.5}}, {"centered", {true}}, {"epsilon", {1e-2}}',
     lambda p: o.RMSprop(p, LR, alpha=0.9, momentum=0.5, centered=True, eps=1e-2)),
    ("adagrad", "", lambda p: o.Adagrad(p, LR)),
    ("adagrad", '{"lr_decay", {0.1}}, {"initial_sum", {0.5}}, {"weight_decay", {0.1}}',
     lambda p: o.Adagrad(p, LR, lr_decay=0.1, initial_accumulator_value=0.5, weight_decay=0.1)),
]

print("// SPDX-License-Identifier: Apache-2.0")
print("// Written by torch_reference.py; edit that.")
for name, ours, make in CASES:
    parameter = torch.nn.Parameter(start())
    optimizer = make([parameter])
    print(f'{{"{name}", options({{{ours}}}), {{')
    for step in range(STEPS):
        parameter.grad = gradient(step)
        optimizer.step()
        print("    " + " ".join(f"{x:.12g}," for x in parameter.tolist()))
    print("}},")
