"""A depthwise causal convolution with dilation, then x sigmoid(x): an output sees its own moment and earlier ones.

Source: A. van den Oord et al., arXiv 1609.03499, section 2.1; P. Ramachandran et al., arXiv 1710.05941.
"""
import numpy as np


def causal_conv(x, weight, bias, dilation, out, activate=True):
    """x, out: shape (batch, channels, length); weight: (channels, taps), the last tap is now; bias: (channels,)."""
    length = x.shape[2]
    taps = weight.shape[1]
    y = np.broadcast_to(bias[None, :, None], x.shape).copy()
    for k in range(taps):
        lag = (taps - 1 - k) * dilation
        if lag >= length:
            continue
        y[:, :, lag:] += weight[:, k, None] * x[:, :, :length - lag]
    if activate:
        y = y / (1 + np.exp(-y))
    out[:] = y
