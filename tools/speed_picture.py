"""What tools/pictures draws of bench/peers.csv: how many times more another simulator needs for the same traffic, as dots on a log axis."""
import csv
import html
import math

MEASURES = [("processor time", "cpu_ratio"), ("lines from beyond 1 MB", "lines_ratio"), ("instructions", "instructions_ratio")]
NAMES = {"htsim": "htsim, NDP", "htsim-tables": "htsim with tables, NDP", "uet-htsim": "uet-htsim, its defaults"}
COLOURS = {False: {"text": "#1c2024", "quiet": "#3c454d", "axis": "#8a949e", "grid": "#e7ebef", "dot": "#0072b2"},
           True: {"text": "#e4e8ec", "quiet": "#b9c3cc", "axis": "#77828c", "grid": "#262d34", "dot": "#56b4e9"}}
WIDTH, LEFT, RIGHT, TOP, ROW = 480, 206, 412, 52, 25  # the axis goes from LEFT to RIGHT; the numbers stand right of it


def rows_of(path):
    """The rows of bench/peers.csv, each a dictionary."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def decades(ratios):
    """The powers of ten that all ratios lie between, from 1 on unless one is below."""
    low = min(0, math.floor(math.log10(min(ratios))))
    return list(range(low, max(low + 1, math.ceil(math.log10(max(ratios)))) + 1))


def ratio_text(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def picture(rows, dark):
    """One SVG: of each measure and each row its ratio, with its number. A ratio that was not measured has no dot."""
    colour = COLOURS[dark]
    lines = []  # (text, weight, ratio or None)
    for title, column in MEASURES:
        measured = [(f"{row['law']} | {NAMES[row['peer']]}", float(row[column])) for row in rows if row[column]]
        if measured:
            lines += [(title, None)] + measured
    powers = decades([ratio for _, ratio in lines if ratio is not None])
    bottom = TOP + ROW * len(lines)

    def x(ratio):
        return LEFT + (math.log10(ratio) - powers[0]) / (powers[-1] - powers[0]) * (RIGHT - LEFT)

    def text(at, y, words, fill="quiet", anchor="start", weight="normal"):
        return (f'<text x="{at:.1f}" y="{y}" fill="{colour[fill]}" text-anchor="{anchor}" font-weight="{weight}">'
                f"{html.escape(words)}</text>")

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 46}" viewBox="0 0 {WIDTH} {bottom + 46}" '
           'font-family="sans-serif" font-size="13">']
    out.append(text(0, 18, "What another simulator needs, as a multiple of Weir", "text", weight="bold"))
    out.append(text(0, 37, f"fat tree of {int(rows[0]['k']) ** 3 // 4} hosts, a long flow from each; one core; {rows[0]['date']}"))
    for power in powers:
        at = x(10.0 ** power)
        out.append(f'<path d="M{at:.1f} {TOP}V{bottom}" stroke="{colour["grid"]}"/>')
        out.append(text(at, bottom + 18, f"{10.0 ** power:g}", anchor="middle"))
    out.append(f'<path d="M{LEFT} {bottom}H{RIGHT}" stroke="{colour["axis"]}"/>')
    for i, (words, ratio) in enumerate(lines):
        y = TOP + ROW * i + 17
        out.append(text(0 if ratio is None else 12, y, words, "text" if ratio is None else "quiet", weight="bold" if ratio is None else "normal"))
        if ratio is not None:
            out.append(f'<circle cx="{x(ratio):.1f}" cy="{y - 4.5}" r="4.5" fill="{colour["dot"]}"/>')
            out.append(text(WIDTH - 2, y, ratio_text(ratio), "text", "end"))
    out.append(text(0, bottom + 40, "left: Weir's law | the other's. 1 = as much as Weir"))
    return "\n".join(out) + "\n</svg>\n"
