"""Straight lines by voting: a bright pixel votes, for each angle, for the distance of its line from the origin.

The distance is rounded to a half pixel, which float32 does otherwise than float64: double precision only.
Source: R. O. Duda, P. E. Hart, Commun. ACM 15 (1), 1972.
"""
import math


def hough_lines(image, votes, strongest, bright=0.8):
    """image: shape (height, width); votes: int64, (angles, 2 (height + width) + 1); strongest: int64, (3,): angle,
    distance, votes of the first of the best."""
    height, width = image.shape
    angles, distances = votes.shape
    votes[:] = 0
    for a in range(angles):
        theta = math.pi * a / angles
        c, s = math.cos(theta), math.sin(theta)
        for y in range(height):
            for x in range(width):
                if image[y, x] < bright:
                    continue
                rho = x * c + y * s
                votes[a, math.floor(rho + 0.5) + height + width] += 1

    strongest[:] = [-1, -1, 0]
    for a in range(angles):
        for d in range(distances):
            if votes[a, d] > strongest[2]:
                strongest[:] = [a, d, votes[a, d]]
