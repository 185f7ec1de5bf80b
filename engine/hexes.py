"""Axial coordinates of hexagons.

A hexagon is a pair ``(q, r)``: q grows to the right, r to the lower right, so that the six
neighbours of a hexagon are numbered clockwise as seen on the screen (docs/rules.md R1.2).
"""

Hex = tuple[int, int]

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def add(a: Hex, b: Hex) -> Hex:
    """Return the hexagon that lies from ``a`` as ``b`` lies from the origin."""
    return a[0] + b[0], a[1] + b[1]


def neighbours(hexagon: Hex) -> tuple[Hex, ...]:
    """Return the six hexagons next to this one, clockwise."""
    return tuple(add(hexagon, direction) for direction in DIRECTIONS)


def adjacent(a: Hex, b: Hex) -> bool:
    """Tell whether two hexagons share a border."""
    return (b[0] - a[0], b[1] - a[1]) in DIRECTIONS


def distance(a: Hex, b: Hex) -> int:
    """Return how many steps from neighbour to neighbour it is from one hexagon to another."""
    q, r = b[0] - a[0], b[1] - a[1]
    return max(abs(q), abs(r), abs(q + r))


def rotate(hexagon: Hex, times: int) -> Hex:
    """Turn a hexagon about the origin by ``times`` sixths: k times (q, r) -> (-r, q + r)."""
    q, r = hexagon
    for _ in range(times):
        q, r = -r, q + r
    return q, r
