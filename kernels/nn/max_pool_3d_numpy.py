"""Max pooling of volumes, written the way a port from a framework usually is: arguments may be one number or three,
windows are slice objects, one window at a time.

Source: the definition of torch.nn.MaxPool3d (dilation 1, floor mode); padding counts as minus infinity.
"""
import numpy as np


def triple(value):
    """One number for all three axes, or one each."""
    return (value, value, value) if isinstance(value, (int, np.integer)) else tuple(value)


def max_pool_3d(x, kernel_size, stride, padding, out):
    """x: shape (batch, channels, depth, height, width); out: the pooled volume."""
    kernel = triple(kernel_size)
    step = triple(stride if stride is not None else kernel_size)
    pad = triple(padding)
    padded_size = tuple(x.shape[axis + 2] + 2 * pad[axis] for axis in range(3))
    count = tuple((padded_size[axis] - kernel[axis]) // step[axis] + 1 for axis in range(3))
    padded = np.full((x.shape[0], x.shape[1]) + padded_size, -np.inf, dtype=x.dtype)
    inside = tuple(slice(pad[axis], pad[axis] + x.shape[axis + 2]) for axis in range(3))
    padded[(slice(None), slice(None)) + inside] = x
    for b in range(x.shape[0]):
        for c in range(x.shape[1]):
            for z in range(count[0]):
                for y in range(count[1]):
                    for w in range(count[2]):
                        start = (z * step[0], y * step[1], w * step[2])
                        window = padded[b, c, slice(start[0], start[0] + kernel[0]),
                                        slice(start[1], start[1] + kernel[1]), slice(start[2], start[2] + kernel[2])]
                        out[b, c, z, y, w] = np.max(window)
