"""The diagram of claimed against found, for fit.py."""

import math

PANEL, MARGIN, GAP = 190, 46, 34  # of the diagram, in pixels


def draw(path, panels, reliability):
    """Draws claimed against found, a row of panels for each statement: (title, p, y, weights) by row and column. The area of a dot is
    that of its positions; a bar is two standard deviations of what true claims would give. reliability is that of fit.py."""
    out = []
    for row, line in enumerate(panels):
        for column, (title, p, y, w) in enumerate(line):
            left, top = MARGIN + column * (PANEL + GAP), 24 + row * (PANEL + GAP + 14)

            def at(claimed, found):
                return left + PANEL * claimed, top + PANEL * (1 - found)
            out.append(f'<rect x="{left}" y="{top}" width="{PANEL}" height="{PANEL}" fill="none" stroke="#99a"/>')
            out.append(f'<path d="M{left} {top + PANEL}l{PANEL} {-PANEL}" stroke="#aab" stroke-dasharray="4 3"/>')
            out.append(f'<text x="{left + PANEL / 2}" y="{top - 7}" text-anchor="middle" font-weight="bold">{title}</text>')
            for tick in (0, 0.5, 1):
                x, bottom = at(tick, 0)
                out.append(f'<text x="{x}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>')
                if column == 0:
                    out.append(f'<text x="{left - 6}" y="{at(0, tick)[1] + 4}" text-anchor="end">{tick:g}</text>')
            for _, n, claimed, found in reliability(p, y, w)[0]:
                if n < 1:
                    continue
                x, mid = at(claimed, found)
                spread = PANEL * 2 * math.sqrt(claimed * (1 - claimed) / n)
                low, high = min(top + PANEL, mid + spread), max(top, mid - spread)
                out.append(f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="#69c"/>')
                out.append(f'<circle cx="{x:.1f}" cy="{mid:.1f}" r="{1.5 + math.sqrt(n / 2):.1f}" fill="#2266aa" fill-opacity="0.75"/>')
    width, height = MARGIN + len(panels[0]) * (PANEL + GAP), 24 + len(panels) * (PANEL + GAP + 14)
    out.append(f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">claimed (across) and found (up)</text>')
    with open(path, "w", encoding="utf-8") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 8}" '
                f'font-family="Helvetica, sans-serif" font-size="11" fill="#334">\n<rect width="100%" height="100%" fill="white"/>\n')
        f.write("\n".join(out) + "\n</svg>\n")
