"""Two-dimensional convolution (cross-correlation) as a sum over taps, with helpers that return fresh arrays.

out[n, o, y, x] = bias[o] + sum over i, ky, kx of weight[o, i, ky, kx] padded[n, i, y stride + ky, x stride + kx].
Source: the definition of torch.nn.Conv2d (groups 1, dilation 1).
"""
import numpy as np


def pair(value):
    """One number for both axes, or one each."""
    if isinstance(value, (int, np.integer)):
        return (value, value)
    return tuple(value)


def pad_zeros(x, padding):
    """x: shape (n, c, h, w). Returns it with a border of zeros."""
    n, c, h, w = x.shape
    padded = np.zeros((n, c, h + 2 * padding[0], w + 2 * padding[1]), dtype=x.dtype)
    padded[:, :, padding[0]:padding[0] + h, padding[1]:padding[1] + w] = x
    return padded


def conv_2d(x, weight, bias, stride, padding, out):
    """x: (batch, channels_in, height, width); weight: (channels_out, channels_in, kernel, kernel)."""
    step = pair(stride)
    padded = pad_zeros(x, pair(padding))
    taps = tuple(weight.shape[2:])
    size = tuple(out.shape[axis + 2] for axis in range(2))
    out[:] = 0.0
    for o in range(weight.shape[0]):
        for i in range(weight.shape[1]):
            for ky in range(taps[0]):
                for kx in range(taps[1]):
                    rows = slice(ky, ky + size[0] * step[0], step[0])
                    columns = slice(kx, kx + size[1] * step[1], step[1])
                    out[:, o] += weight[o, i, ky, kx] * padded[:, i, rows, columns]
        out[:, o] += bias[o]
