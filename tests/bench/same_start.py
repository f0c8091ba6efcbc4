# SPDX-License-Identifier: Apache-2.0
"""The engine's start weights and sample order, computed again from their definitions, so that another library can start from the same
point: Philox 4x32-10 streams (engine/base/random.h), initialisation (engine/model/arena.cpp), order (engine/data/order.cpp), pixels
(engine/data/fashion_mnist.cpp)."""
import gzip
import math

import numpy as np

MASK = (1 << 64) - 1


def philox(counters, key):
    """Blocks of four 32-bit numbers; counters: array [n, 4] of uint64 holding 32-bit values."""
    c0, c1, c2, c3 = (counters[:, i].astype(np.uint64) for i in range(4))
    k0, k1 = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (p1 >> shift) ^ c1 ^ k0, p1 & low, (p0 >> shift) ^ c3 ^ k1, p0 & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return np.stack([c0, c1, c2, c3], axis=1)


def stream_key(seed, purpose, a=0, b=0, c=0):
    name = 0xCBF29CE484222325
    for byte in purpose.encode():
        name = ((name ^ byte) * 0x100000001B3) & MASK
    for word in (name, a, b, c):
        block = philox(np.array([[word & 0xFFFFFFFF, word >> 32, 0x53796E63, 0x6C696E65]], dtype=np.uint64), seed)[0]
        seed = int(block[1]) << 32 | int(block[0])
    return seed


def stream_bits(key, count):
    """The first `count` 32-bit numbers of a stream."""
    blocks = np.arange((count + 3) // 4, dtype=np.uint64)
    counters = np.stack([blocks & np.uint64(0xFFFFFFFF), blocks >> np.uint64(32), 0 * blocks, 0 * blocks], axis=1)
    return philox(counters, key).reshape(-1)[:count]


def weight(seed, name, dims, fan_in, fan_out, before_relu):
    """He's normal values where a ReLU follows, else Glorot's uniform ones, in our layout: [out][kernel_h][kernel_w][in] or [out][in]."""
    count = math.prod(dims)
    key = stream_key(seed, f"initial {name}.weight")
    if before_relu:
        pairs = stream_bits(key, count + count % 2).astype(np.float64).reshape(-1, 2)
        radius = math.sqrt(2 / fan_in) * np.sqrt(-2 * np.log((pairs[:, 0] + 1) * 2.0**-32))
        angle = 6.283185307179586476925 * (pairs[:, 1] * 2.0**-32)
        values = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)[:count]
    else:
        values = math.sqrt(6 / (fan_in + fan_out)) * (stream_bits(key, count).astype(np.float64) * 2.0**-31 - 1)
    return values.astype(np.float32).reshape(dims)


def order(seed, epoch, size):
    """The samples of an epoch: Fisher and Yates, with Lemire's bounded numbers."""
    bits = iter(stream_bits(stream_key(seed, "order", epoch, 0), size + 1000).tolist())
    ids = list(range(size))
    for i in range(size - 1, 0, -1):
        bound = i + 1
        product = next(bits) * bound
        if product & 0xFFFFFFFF < bound:
            threshold = (1 << 32) % bound
            while product & 0xFFFFFFFF < threshold:
                product = next(bits) * bound
        j = product >> 32
        ids[i], ids[j] = ids[j], ids[i]
    return np.array(ids)


def fashion_mnist(folder):
    """Training images [n, 1, 28, 28], normalised as the engine does it, and labels."""
    with gzip.open(f"{folder}/train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 1, 28, 28)
    with gzip.open(f"{folder}/train-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8).astype(np.int64)
    return ((pixels.astype(np.float32) / 255 - np.float32(0.2860)) / np.float32(0.3530)), labels
