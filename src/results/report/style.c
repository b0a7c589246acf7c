/* src/results/report/style.c - see style.h. CSS variables: a1 axis, a2 grid, a3 text of figures, a4 shade, a5 what
 * failed; c1 .. c8 the hues of line_style.h, c1a .. c8e their shades. Dashes and marks distinguish curves without
 * colour. */
#include "report/style.h"
#include "report/line_style.h"
#include <stddef.h>
#include <string.h>

#define LIGHT                                                                                                          \
    "--ground:#fff;--text:#1c2024;--quiet:#5b6670;--line:#d9dee3;--soft:#f5f7f9;--link:#0b5cad;--bad:#a8320a;--"       \
    "badsoft:#fdeee7;"                                                                                                 \
    "--a1:#8a949e;--a2:#e7ebef;--a3:#3c454d;--a4:#f0f2f5;--a5:#a8320a;"
#define DARK                                                                                                           \
    "--ground:#14181c;--text:#e4e8ec;--quiet:#9aa6b1;--line:#333b43;--soft:#1c2228;--link:#7fb8f0;--bad:#ff9a70;--"    \
    "badsoft:#3a2118;"                                                                                                 \
    "--a1:#77828c;--a2:#262d34;--a3:#b9c3cc;--a4:#1f262d;--a5:#ff9a70;"

/* CSS rules that both `sheet` and `drawing` have. */
#define DRAWN                                                                                                          \
    ".g{stroke:var(--a2)}", ".tm{text-anchor:middle}", ".te{text-anchor:end}", ".b{fill-opacity:.16}",                 \
        ".bl{fill-opacity:.09}", ".full{fill:currentColor;stroke:none}",                                               \
        ".ho{fill:var(--ground);stroke:currentColor;stroke-width:2}",                                                  \
        ".hol{fill:var(--ground);stroke:currentColor;stroke-width:.5;stroke-dasharray:none}",                          \
        ".pb{fill:var(--a2);stroke:none}", ".pm{stroke:var(--text);stroke-width:2}"

static const char *const sheet[] = {
    "*{box-sizing:border-box}",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
    "body{margin:0 auto;max-width:76rem;padding:2rem 1.5rem 4rem;background:var(--ground);color:var(--text)}",
    "body{font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif}",
    "h1,h2,h3,h4{line-height:1.25;font-weight:600;text-wrap:balance;break-after:avoid;overflow-wrap:anywhere}",
    "h1{font-size:1.9rem;margin:0 0 .4rem;letter-spacing:-.01em}",
    "h2{font-size:1.4rem;margin:3rem 0 1rem;padding-top:1rem;border-top:1px solid var(--line)}",
    "h3{font-size:1.1rem;margin:2.2rem 0 .8rem}",
    "h4{font-size:.98rem;margin:0 0 .6rem}",
    "p{margin:.6rem 0;max-width:46rem}",
    ".verdict{font-size:1.15rem;max-width:58rem}",
    ".facts{max-width:58rem}",
    ".reasons{margin:.4rem 0;padding-left:1.3rem;max-width:58rem}",
    ".reasons+p{margin-top:0}",
    "p.wide{max-width:46rem;margin:0 0 -1.2rem}",
    ".lead,.note,figcaption,footer{color:var(--quiet)}",
    ".note,figcaption,footer,summary{font-size:.875rem;line-height:1.5}",
    ".warn{border-left:3px solid var(--bad);background:var(--badsoft);padding:.6rem .9rem;max-width:none}",
    "a{color:var(--link)}",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.2rem;margin:.6rem 0 1.2rem;font-size:.875rem}",
    "dt{color:var(--quiet)}",
    "dd{margin:0;overflow-wrap:anywhere}",
    "nav ul{margin:.6rem 0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}",
    (".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,27rem),1fr));gap:2.4rem "
     "2.5rem;align-items:start}"),
    ".wide{grid-column:1/-1}",
    ".parts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1rem 2rem}",
    "figure{margin:0;min-width:0;break-inside:avoid}",
    ("svg.plot{display:block;width:100%;height:auto;fill:none;stroke:currentColor;stroke-linejoin:round;color:var(--a1)"
     "}"),
    ("svg.plot text{fill:var(--a3);stroke:none;font-size:15px;font-family:system-ui,-apple-system,'Segoe "
     "UI',Roboto,'Noto Sans','Liberation Sans',sans-serif}"),
    DRAWN,
    "svg.plot text.q{fill:var(--quiet)}",
    "svg.plot text.bst{font-weight:600;fill:var(--text)}",
    "svg.plot text.bad{fill:var(--bad)}",
    "svg.defs{position:absolute;width:0;height:0}",
    "svg.key{width:40px;height:12px;vertical-align:-1px;fill:none;margin-right:.2rem}",
    (".legend{list-style:none;margin:.5rem 0 .4rem;padding:0;display:flex;flex-wrap:wrap;gap:.1rem "
     "1.1rem;font-size:.875rem}"),
    ".legend li{overflow-wrap:anywhere}",
    ".legend em{font-style:normal;color:var(--bad);margin-left:.4rem}",
    "figcaption{max-width:40rem}",
    "details{margin:.5rem 0}",
    "summary{cursor:pointer;color:var(--link);padding:.15rem 0}",
    "details.more>summary{font-size:1rem;margin-bottom:.6rem}",
    (".scroll{overflow:auto;max-height:34rem;width:fit-content;max-width:100%;border:1px solid "
     "var(--line);border-radius:4px}"),
    "figure .scroll{max-height:22rem}",
    ".tall{max-height:none}",
    /* a shadow at the side to which a table goes on */
    (".scroll{background:linear-gradient(90deg,var(--ground) 40%,transparent) local,linear-gradient(270deg,"
     "var(--ground) 40%,transparent) 100% 0 local,linear-gradient(90deg,var(--a1),transparent),linear-gradient(270deg,"
     "var(--a1),transparent) 100% 0;background-repeat:no-repeat;background-size:3rem 100%,3rem 100%,.7rem 100%,.7rem "
     "100%;background-color:var(--ground)}"),
    ("table{border-collapse:separate;border-spacing:0;font-size:.875rem;line-height:1.4;font-variant-numeric:tabular-"
     "nums;width:100%}"),
    ("th,td{padding:.35rem .7rem;text-align:right;vertical-align:top;white-space:nowrap;border-bottom:1px solid "
     "var(--line)}"),
    "tbody tr:last-child>*{border-bottom:0}",
    "th{font-weight:500}",
    ("thead "
     "th{position:sticky;top:0;background:var(--soft);z-index:1;vertical-align:bottom;white-space:normal;min-width:"
     "5rem}"),
    "thead tr+tr th{position:static}",
    ("tbody th,thead th:first-child{text-align:left;position:sticky;left:0;background:var(--ground);min-width:8.5rem;"
     "max-width:16rem;white-space:normal;overflow-wrap:break-word}"),
    "thead th:first-child{background:var(--soft);z-index:2}",
    "thead tr+tr th:first-child{text-align:right;position:static;min-width:0}",

    /* many columns: as close as they can be */
    ".summary{font-size:.78rem}",
    ".summary th,.summary td{padding:.35rem .34rem}",
    ".summary thead th{min-width:0}",
    ".summary tbody th{min-width:4rem}",
    ".summary td{white-space:normal}",
    ".summary .badge{white-space:normal;max-width:6rem}",
    "figure tbody th{white-space:nowrap;min-width:0}",
    ".runs td,.runs thead th{text-align:left}",
    ".runs .words{white-space:normal;min-width:15rem;max-width:26rem}",
    ".causes .words,.causes .code,.causes thead th:nth-child(-n+4){text-align:left}",
    ".code,pre{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'Liberation Mono',monospace;font-size:.8125rem}",
    "pre{overflow:auto;background:var(--soft);padding:.8rem 1rem;border-radius:4px;line-height:1.45;max-height:34rem}",
    "#text pre{max-height:56rem}", /* so that the end of a comparison of five laws is visible without scrolling */
    ".badge{display:inline-block;white-space:nowrap;padding:0 .5rem;border-radius:3px;background:var(--soft)}",
    ".bad{color:var(--bad)}",
    ".badge.bad{background:var(--badsoft)}",
    "footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--line)}",
    "@media (max-width:40rem){",
    "body{padding:1.2rem .9rem 3rem}",
    "h1{font-size:1.5rem}",
    "th,td{padding:.3rem .5rem}",
    "tbody th,thead th:first-child{min-width:5rem;max-width:8.5rem}",
    ".runs .words{min-width:9rem}",
    "svg.plot text{font-size:16.5px}",
    "}",
    "@media print{",
    ":root{color-scheme:light}",
    "html{font-size:11px}",
    "body{max-width:none;padding:0;font-size:11px}",
    "a{color:inherit;text-decoration:none}",
    "nav,details:not([open]){display:none}",
    "h2{margin-top:1.6rem}",
    ".grid{grid-template-columns:1fr 1fr;gap:1.4rem 1.6rem}",
    ".scroll,figure .scroll,pre{overflow:visible;max-height:none}",
    "pre{white-space:pre-wrap}",
    "th,td{padding:.15rem .3rem;white-space:normal}",
    "td.code{overflow-wrap:anywhere}",
    "thead th,tbody th{position:static}",
    "thead th,thead th:first-child,.runs .words{min-width:0}",
    "tbody th{min-width:11em}",
    ".badge{white-space:normal}",
    "table,.code{font-size:8.5px}",
    "tr{break-inside:avoid}",
    "svg.plot text{font-size:15px}",
    "}",
};

/* SVG definitions of the marks of curves, in the current colour. Each is about one unit around its centre, and is then
 * scaled. Mark m<n> is gnuplot's point type n + 1; h<n> is the same, hollow. */
static const struct {
    int number;
    const char *transform, *shape;
} marks[] = {
    { 3, "rotate(45) scale(3.4)", "path d=\"M-.45-1.5h.9v1.05h1.05v.9H.45V1.5h-.9V.45H-1.5v-.9h1.05z\"" },
    { 4, "scale(3.4)", "rect x=\"-.95\" y=\"-.95\" width=\"1.9\" height=\"1.9\"" },
    { 5, "scale(3.4)", "path d=\"M-.45-1.5h.9v1.05h1.05v.9H.45V1.5h-.9V.45H-1.5v-.9h1.05z\"" },
    { 6, "scale(3.4)", "circle r=\"1.05\"" },
    { 8, "scale(3.4)", "path d=\"M0-1.4L1.3.85H-1.3z\"" },
    { 10, "scale(3.4)", "path d=\"M0 1.4L1.3-.85H-1.3z\"" },
    { 12, "scale(3.4)", "path d=\"M0-1.4L1.4 0 0 1.4-1.4 0z\"" },
    { 14, "scale(3.4)", "path d=\"M0-1.3L1.24-.4.76 1.05H-.76L-1.24-.4z\"" },
};
static const char end_mark[] = /* where a run ended that is not done */
    "<path id=\"m1\" transform=\"rotate(45) scale(3.4)\" stroke=\"none\" fill=\"currentColor\" "
    "d=\"M-.25-1.9h.5v1.65H1.9v.5H.25V1.9h-.5V.25H-1.9v-.5h1.65z\"/>";

/* CSS rules for a drawing in its own file. */
static const char *const drawing[] = {
    "svg.plot{fill:none;stroke:currentColor;stroke-linejoin:round;color:var(--a1)}",
    "svg.plot text{fill:var(--a3);stroke:none}",
    "svg.plot text.bad{fill:var(--bad)}",
    "svg.plot text.bst{font-weight:bold;fill:var(--text)}",
    DRAWN,
    ".key{fill:none}",
};

/* Writes the value of a CSS variable; nothing if there is no such variable. name: up to ')' */
static void put_plain_value(FILE *out, const char *name, size_t length, bool dark)
{
    static const char light_values[] = LIGHT, dark_values[] = DARK;
    unsigned hue = name[0] == 'c' && length >= 2 ? (unsigned)(name[1] - '0') : 0;
    unsigned shade = length == 3 ? (unsigned)(name[2] - 'a') + 1 : 0;
    char text[24];
    const char *value;
    if (hue >= 1 && hue <= WEIR_STYLE_KINDS && length <= 3 && shade <= WEIR_STYLE_SHADES) {
        (void)fputs(weir_line_style_colour(hue, shade, dark), out);
        return;
    }
    (void)snprintf(text, sizeof(text), "--%.*s:", (int)length, name);
    value = strstr(dark ? dark_values : light_values, text);
    if (value != NULL)
        (void)fprintf(out, "%.*s", (int)strcspn(value + length + 3, ";"), value + length + 3);
}

void weir_style_plain(FILE *out, const char *text, bool dark)
{
    while (*text != '\0') {
        size_t length = strncmp(text, "var(--", 6) == 0 ? strcspn(text + 6, ")") : 0;
        if (length == 0 || length > 16) {
            (void)fputc(*text++, out);
            continue;
        }
        put_plain_value(out, text + 6, length, dark);
        text += 6 + length + (text[6 + length] == ')');
    }
}

void weir_style_drawing(FILE *out, const char *font)
{
    (void)fprintf(out, "text{fill:var(--text);font-size:15px;font-family:%s%s%ssans-serif}\n", font != NULL ? "'" : "",
                  font != NULL ? font : "", font != NULL ? "'," : "");
    for (size_t i = 0; i < sizeof(drawing) / sizeof(drawing[0]); i++)
        (void)fprintf(out, "%s\n", drawing[i]);
}

/* Writes the variables of all colours of the palette. */
static void put_palette(FILE *out, bool dark)
{
    for (unsigned hue = 1; hue <= WEIR_STYLE_KINDS; hue++) {
        for (unsigned shade = 0; shade <= WEIR_STYLE_SHADES; shade++) {
            char name[8];
            weir_line_style_name(name, hue, shade);
            (void)fprintf(out, "--%s:%s;", name, weir_line_style_colour(hue, shade, dark));
        }
    }
}

void weir_style_sheet(FILE *out)
{
    (void)fputs(":root{color-scheme:light dark;" LIGHT, out);
    put_palette(out, false);
    (void)fputs("}\n@media screen and (prefers-color-scheme:dark){:root{" DARK, out);
    put_palette(out, true);
    (void)fputs("}}\n", out);
    for (size_t i = 0; i < sizeof(sheet) / sizeof(sheet[0]); i++)
        (void)fprintf(out, "%s\n", sheet[i]);
}

void weir_style_marks(FILE *out)
{
    (void)fputs("<svg class=\"defs\" aria-hidden=\"true\"><defs>\n", out);
    (void)fprintf(out, "%s\n", end_mark);
    for (size_t i = 0; i < 2 * sizeof(marks) / sizeof(marks[0]); i++) {
        bool hollow = i % 2 == 1;
        (void)fprintf(out, "<g id=\"%c%d\" class=\"%s\" transform=\"%s\"><%s/></g>\n", hollow ? 'h' : 'm',
                      marks[i / 2].number, hollow ? "hol" : "full", marks[i / 2].transform, marks[i / 2].shape);
    }
    (void)fputs("</defs></svg>\n", out);
}
