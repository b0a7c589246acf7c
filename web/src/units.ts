/* Numbers with their units, as the static page writes them (src/results/report/number.c). */

export type Unit = "ratio" | "share" | "count" | "bytes" | "ps" | "s" | "us" | "gbps" | "gbytes_per_s" | "per_s" | "flag";

const DASH = "–";
const BYTES: [number, string][] = [[1, "B"], [1e3, "KB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]];
const TIMES: [number, string][] = [[1, "ps"], [1e3, "ns"], [1e6, "µs"], [1e9, "ms"], [1e12, "s"]];

/* Returns digits with commas between thousands, from five digits on. */
function grouped(plain: string): string {
    const [whole, part] = plain.split(".") as [string, string | undefined];
    const digits = whole.replace("-", "");
    const text = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, ",") : digits;
    return (whole.startsWith("-") ? "-" : "") + text + (part === undefined ? "" : `.${part}`);
}

/* Returns a number with `figures` significant digits, all digits before the point, and at most six decimals. */
export function plain(value: number, figures: number): string {
    if (value === 0)
        return "0";
    const exponent = Number(value.toExponential(figures - 1).split("e")[1]);
    if (exponent > 15 || exponent < -4)
        return value.toExponential(figures - 1);
    const decimals = Number.isInteger(value) ? 0 : Math.min(6, Math.max(0, figures - 1 - exponent));
    return grouped(value.toFixed(decimals));
}

function scaleOf(value: number, scales: [number, string][]): [number, string] {
    let at = 0;
    while (at + 1 < scales.length && Math.abs(value) >= scales[at + 1]![0] * 0.9995)
        at++;
    return scales[at]!;
}

/* Returns the divisor of a unit for values around one, and what stands behind the number. */
function scaled(value: number, unit: Unit): [number, string] {
    switch (unit) {
    case "bytes": return scaleOf(value, BYTES);
    case "ps": return scaleOf(value, TIMES);
    case "s": { const [one, name] = scaleOf(value * 1e12, TIMES); return [one / 1e12, name]; }
    case "us": { const [one, name] = scaleOf(value * 1e6, TIMES); return [one / 1e6, name]; }
    case "gbps": return [1, "Gbps"];
    case "gbytes_per_s": return [1, "GB/s"];
    case "per_s": return [1, "/s"];
    case "share": return [0.01, "%"];
    default: return [1, ""];
    }
}

const stripped = (text: string): string => text.includes(".") ? text.replace(/\.?0+$/, "") : text;

function count(value: number): string {
    if (value >= 1e9)
        return `${plain(value / 1e9, 4)} G`;
    if (value >= 1e7)
        return `${plain(value / 1e6, 4)} M`;
    return plain(value, Number.isInteger(value) ? 15 : 4);
}

/* Returns a number with its unit: "12.3 KB", "1.25 ms", "1,234"; a dash if there is none. */
export function text(value: number | null | undefined, unit: Unit): string {
    if (value === null || value === undefined || !Number.isFinite(value))
        return DASH;
    const [one, name] = scaled(value, unit);
    if (unit === "flag")
        return value !== 0 ? "yes" : "no";
    if (unit === "count")
        return count(value);
    if (value === 0 && (unit === "bytes" || unit === "ps" || unit === "s" || unit === "us"))
        return "0";
    if (unit === "ps" || unit === "s" || unit === "us")
        return `${stripped(plain(value / one, 4))} ${name}`;
    return `${plain(value / one, unit === "bytes" || unit === "per_s" ? 3 : 4)}${name === "" ? "" : ` ${name}`}`;
}

/* Returns a mean and the half-width of its interval: two digits of the half-width, and the mean ends there. */
export function spread(mean: number | null, half: number | undefined, unit: Unit): string {
    if (mean === null || half === undefined || !(half > 0) || unit === "flag")
        return text(mean, unit);
    const [one, name] = scaled(mean, unit);
    const last = Number((half / one).toExponential(1).split("e")[1]) - 1;
    if (last < -6)
        return text(mean, unit);
    const to = (v: number): string => grouped(last > 0 ? String(Math.round(v / 10 ** last) * 10 ** last) : v.toFixed(-last));
    return `${to(mean / one)} ± ${to(half / one)}${name === "" ? "" : ` ${name}`}`;
}

/* Returns the label of a tick: at most six digits. */
export function tick(value: number, unit: Unit): string {
    const [one, name] = scaled(value, unit);
    if (value === 0)
        return "0";
    const short = unit !== "bytes" && value / one >= 1e6 ? `${Number((value / one / 1e6).toPrecision(6))}M` : String(Number((value / one).toPrecision(6)));
    return name === "" || name === "Gbps" || name === "/s" || name === "GB/s" ? short : `${short} ${name}`;
}

const OF_TEXT: Record<string, number> = {
    ...Object.fromEntries(BYTES.map(([one, name]) => [name, one])), ...Object.fromEntries(TIMES.map(([one, name]) => [name, one])),
    us: 1e6, "%": 0.01, Gbps: 1, Mbps: 1e-3, Tbps: 1e3, M: 1e6, G: 1e9, "GB/s": 1, "/s": 1, BDP: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824,
};

/* Returns the number that a text begins with, in the first unit of its kind: "12.3 KB" is 12300; NaN = it is no number. */
export function numberOf(text: string): number {
    const found = /^(-?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?)(?:\s*±\s*\S+)?\s*(\S*)/.exec(text.trim());
    if (found === null)
        return NaN;
    const one = found[2] === "" ? 1 : OF_TEXT[found[2]!] ?? (found[2]!.startsWith("(") || found[2]!.startsWith(",") ? 1 : NaN);
    return Number(found[1]!.replaceAll(",", "")) * one;
}
