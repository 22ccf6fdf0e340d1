"""Dithering to black and white: what rounding a pixel loses is spread over its neighbours that are still to come.

Source: R. W. Floyd, L. Steinberg, Proc. Society for Information Display 17 (2), 1976.
"""

SHARES = ((0, 1, 7 / 16), (1, -1, 3 / 16), (1, 0, 5 / 16), (1, 1, 1 / 16))


def error_diffusion(image, out, threshold=0.5):
    """image: shape (height, width), overwritten by what was compared with the threshold; out: the same, 0 and 1."""
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            old = image[y, x]
            new = 1.0 if old > threshold else 0.0
            out[y, x] = new
            for dy, dx, share in SHARES:
                yy, xx = y + dy, x + dx
                if yy < height and 0 <= xx < width:
                    image[yy, xx] += share * (old - new)
