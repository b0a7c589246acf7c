/* Curves that one can zoom into, read off and hide: drawn by uPlot, in the colours that the laws have on all pages. */
import uPlot from "uplot";
import { isDark } from "./charts";
import { element } from "./format";
import { text, tick, type Unit } from "./units";

export type ZoomAxis = { title: string; unit: Unit; log: boolean; floor?: number }; /* floor: a logarithmic axis begins there or above */
export type ZoomCurve = {
    label: string; note?: string | null; light: string; dark: string; dash: string; x: number[]; y: number[];
    low?: number[]; high?: number[]; /* ends of a band, or of an upright line */
    values?: number[];               /* how many values a point was made from */
    doubt?: number[];                /* 1 = the mark of a point is hollow; without it all are, if there is a note */
};
export type ZoomChart = {
    title: string; x: ZoomAxis; y: ZoomAxis; curves: ZoomCurve[];
    marks?: boolean;       /* each point has a mark */
    bars?: boolean;        /* low and high are ends of upright lines, not of a band */
    bandOfX?: boolean;     /* they are values of x, as in a distribution */
    shadeTo?: number;
    places?: string[];     /* names of x = 0, 1, ..; then x is no number */
    ticks?: number[];      /* of x, where it has few values */
};

const HEIGHT = 300, NARROW = 420;

/* Labels of sets that the reader hid, in all figures of the page. */
const hidden = new Set<string>();
const all = new Set<Zoom>();

/* Hides exactly these sets in all figures. */
export function hideLabels(labels: Iterable<string>): void {
    hidden.clear();
    for (const label of labels)
        hidden.add(label);
    all.forEach(zoom => zoom.showHidden());
}

function toggle(label: string): void {
    if (!hidden.delete(label))
        hidden.add(label);
    all.forEach(zoom => zoom.showHidden());
}

const ink = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Returns the index of the point of a curve that is nearest to x. */
function nearest(curve: ZoomCurve, x: number, log: boolean): number {
    const far = (at: number): number => log ? Math.abs(Math.log(at / x)) : Math.abs(at - x);
    let best = 0;
    curve.x.forEach((at, i) => {
        if (far(at) < far(curve.x[best]!))
            best = i;
    });
    return best;
}

/* Returns ticks of a logarithmic axis: fewer for each decade, the more decades it has. */
function logTicks(low: number, high: number): number[] {
    const decades = Math.log10(high / low), steps = decades <= 0.5 ? [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9] : decades <= 1.3 ? [1, 1.5, 2, 3, 5, 7] : decades <= 3 ? [1, 2, 5] : [1];
    const ticks: number[] = [];
    if (!(low > 0))
        return ticks;
    for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); decade++)
        ticks.push(...steps.map(s => Number((s * 10 ** decade).toPrecision(3))).filter(t => t >= low && t <= high));
    return ticks;
}

/* Returns the key of a curve: a piece of its line. */
export function lineKey(c: { light: string; dark: string; dash: string }): HTMLElement {
    const key = element("i", { class: "line-key" }), lengths = c.dash === "" ? [1, 0] : c.dash.split(",").map(Number);
    key.style.setProperty("--light", c.light);
    key.style.setProperty("--dark", c.dark);
    key.style.setProperty("--on", `${lengths[0]}px`);
    key.style.setProperty("--all", `${lengths[0]! + lengths[1]!}px`);
    return key;
}

export class Zoom {
    readonly node: HTMLElement;
    private plot: uPlot | null = null;
    private readonly place = element("div", { class: "canvas", tabindex: "0", role: "img" });
    private readonly tip = element("div", { class: "tip", role: "status", hidden: "" });
    private readonly reset = element("button", { type: "button", class: "small", hidden: "" }, "Whole range");
    private readonly keys: HTMLButtonElement[] = [];
    private full: [number, number] = [0, 1];
    private observer: ResizeObserver;

    constructor(private readonly chart: ZoomChart) {
        const list = element("ul", { class: "line-keys" });
        chart.curves.forEach(c => {
            const key = element("button", { type: "button", "aria-pressed": "true", title: "shows or hides it in all figures" }, lineKey(c), c.label);
            if (c.note !== null && c.note !== undefined)
                key.append(element("em", {}, c.note));
            key.addEventListener("click", () => toggle(c.label));
            this.keys.push(key);
            list.append(element("li", {}, key));
        });
        this.place.setAttribute("aria-label", `${chart.title}. Arrow keys read it off, + and - zoom, Escape shows all of it.`);
        this.place.addEventListener("keydown", event => this.press(event));
        this.place.addEventListener("blur", () => { this.tip.hidden = true; });
        this.reset.addEventListener("click", () => this.zoom(...this.full));
        const hint = element("p", { class: "hint" }, "Drag to zoom, double-click for all of it. ", this.reset);
        this.node = element("div", { class: "zoom" }, element("div", { class: "stage" }, this.place, this.tip), list, hint);
        this.observer = new ResizeObserver(() => this.draw());
        this.observer.observe(this.place);
        all.add(this);
    }

    /* Ends a chart that is taken off the page. */
    end(): void {
        this.plot?.destroy();
        this.plot = null;
        this.observer.disconnect();
        all.delete(this);
    }

    private axis(axis: ZoomAxis, size: number, names?: string[], ticks?: number[]): uPlot.Axis {
        const quiet = ink("--quiet"), line = ink("--line"), font = "13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";
        const unit = { gbps: "Gbps", gbytes_per_s: "GB/s", per_s: "per second" }[axis.unit as string], inside = [unit, axis.log ? "log" : undefined].filter(t => t !== undefined).join(", ");
        return { label: inside === "" || axis.title.includes(`(${unit})`) ? axis.title : `${axis.title} (${inside})`, size, labelSize: 20, labelGap: 0, gap: 4, stroke: quiet, font, labelFont: font,
                 grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 5 }, space: names === undefined ? size > 50 ? 34 : 68 : 30,
                 ...(names !== undefined ? { splits: () => names.map((_, i) => i) } : ticks !== undefined ? { splits: () => ticks } : axis.log ? { splits: (_u, _i, low, high) => logTicks(low, high), filter: (_u, all) => all } : {}),
                 values: (_u, splits) => splits.map(v => v === null ? "" : names === undefined ? tick(v, axis.unit) : names[v] ?? "") };
    }

    private ranges(): { x: uPlot.Scale; y: uPlot.Scale } {
        const { x, y } = this.chart, xs = this.chart.curves.flatMap(c => c.x).filter(v => !x.log || v > 0), most = Math.max(...xs), floor = x.floor ?? 0, least = Math.max(Math.min(...xs), most > 10 * floor ? floor : 0);
        const pad = this.chart.marks === true ? (most > 0 ? most : 1) * 0.03 : 0; /* so that the last mark is whole */
        this.full = this.chart.places !== undefined ? [-0.5, this.chart.places.length - 0.5]
            : x.log ? [least / 1.03, most * 1.05] : [Math.min(0, least), most + pad];
        const share = y.unit === "share" && !y.log;
        return {
            x: { time: false, distr: x.log ? 3 : 1, range: (_u, low, high) => low === null ? this.full : [low, high] },
            y: { distr: y.log ? 3 : 1, range: (u, low, high) => share ? [0, 1] : this.rangeOfY(u, low, high) },
        };
    }

    /* Returns the range of y for what is between the ends of x: points, and ends of bands. low, high: of the points */
    private rangeOfY(u: uPlot, low: number | null, high: number | null): [number, number] {
        const min = u.scales["x"]!.min ?? -Infinity, max = u.scales["x"]!.max ?? Infinity, ends: number[] = [];
        if (this.chart.bandOfX !== true)
            this.chart.curves.filter(c => !hidden.has(c.label)).forEach(c => c.x.forEach((x, i) => {
                if (x >= min && x <= max)
                    ends.push(...[c.low?.[i], c.high?.[i]].filter((v): v is number => v !== undefined && (v > 0 || !this.chart.y.log)));
            }));
        const least = Math.min(low ?? Infinity, ...ends), most = Math.max(high ?? -Infinity, ...ends);
        if (!Number.isFinite(least) || !Number.isFinite(most))
            return this.chart.y.log ? [1, 10] : [0, 1];
        return this.chart.y.log ? [least / 1.15, most * 1.15] : [Math.min(0, least), most > 0 ? most * 1.06 : 1];
    }

    /* Draws anew, in the width that is there. */
    draw(): void {
        const { chart } = this, width = this.place.clientWidth;
        this.plot?.destroy();
        this.plot = null;
        if (width === 0)
            return;
        const scales = this.ranges(), joined = uPlot.join(chart.curves.map(c => [c.x, c.y] as uPlot.AlignedData));
        const colour = (c: ZoomCurve): string => isDark() ? c.dark : c.light;
        this.plot = new uPlot({
            width, height: width < NARROW ? 260 : HEIGHT, legend: { show: false }, scales, padding: [8, 24, 0, 0],
            cursor: { y: false, focus: { prox: 24 }, drag: { x: true, y: false, dist: 8 }, points: { show: false } }, focus: { alpha: chart.curves.length > 1 ? 0.35 : 1 },
            axes: [this.axis(chart.x, 28, chart.places, chart.ticks), this.axis(chart.y, 74)],
            series: [{}, ...chart.curves.map((c): uPlot.Series => ({
                label: c.label, stroke: colour(c), width: c.note !== null && c.note !== undefined ? 1 : 2, dash: c.dash === "" ? undefined : c.dash.split(",").map(Number),
                spanGaps: true, show: !hidden.has(c.label), points: { show: chart.marks === true || c.x.length === 1, size: 7, fill: c.note !== null && c.note !== undefined && c.doubt === undefined ? ink("--ground") : colour(c) },
            }))],
            hooks: { drawAxes: [u => this.underneath(u)], draw: [u => this.hollow(u)], setCursor: [u => this.read(u)],
                     setScale: [(u, key) => { if (key === "x") this.reset.hidden = Math.abs(u.scales["x"]!.min! - this.full[0]) < 1e-9 * Math.abs(this.full[1]) && Math.abs(u.scales["x"]!.max! / this.full[1] - 1) < 1e-9; }] },
        }, joined, this.place);
        this.zoom(...this.full);
    }

    private zoom(min: number, max: number): void {
        this.plot?.setScale("x", { min, max });
    }

    /* Draws what lies below the curves: the warm-up, bands, and upright lines. */
    private underneath(u: uPlot): void {
        const { ctx, bbox } = u, { chart } = this, x = (v: number): number => u.valToPos(v, "x", true), y = (v: number): number => u.valToPos(v, "y", true);
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        if ((chart.shadeTo ?? 0) > 0) {
            ctx.fillStyle = ink("--soft");
            ctx.fillRect(x(0), bbox.top, x(chart.shadeTo!) - x(0), bbox.height);
        }
        chart.curves.forEach(c => {
            if (c.low === undefined || c.high === undefined || hidden.has(c.label))
                return;
            ctx.strokeStyle = ctx.fillStyle = isDark() ? c.dark : c.light;
            ctx.globalAlpha = chart.bars === true ? 1 : 0.18;
            ctx.lineWidth = 1.5 * devicePixelRatio;
            ctx.beginPath();
            const end = (ends: number[], i: number): [number, number] => chart.bandOfX === true ? [x(ends[i]!), y(c.y[i]!)] : [x(c.x[i]!), y(ends[i]!)];
            if (chart.bars === true) {
                c.x.forEach((_, i) => { ctx.moveTo(...end(c.low!, i)); ctx.lineTo(...end(c.high!, i)); });
                ctx.stroke();
            } else {
                c.x.forEach((_, i) => ctx.lineTo(...end(c.low!, i)));
                [...c.x.keys()].reverse().forEach(i => ctx.lineTo(...end(c.high!, i)));
                ctx.fill();
            }
        });
        ctx.restore();
    }

    /* Draws the hollow marks of curves that have others, too. */
    private hollow(u: uPlot): void {
        const { ctx } = u, one = devicePixelRatio;
        ctx.save();
        ctx.fillStyle = ink("--ground");
        ctx.lineWidth = 1.5 * one;
        this.chart.curves.filter(c => c.doubt !== undefined && !hidden.has(c.label)).forEach(c => c.x.forEach((x, i) => {
            const left = u.valToPos(x, "x", true), top = u.valToPos(c.y[i]!, "y", true);
            if (c.doubt![i] !== 1 || left < u.bbox.left || left > u.bbox.left + u.bbox.width)
                return;
            ctx.strokeStyle = isDark() ? c.dark : c.light;
            ctx.beginPath();
            ctx.arc(left, top, 3.5 * one, 0, 2 * Math.PI);
            ctx.fill();
            ctx.stroke();
        }));
        ctx.restore();
    }

    /* Shows the values of all curves next to the cursor. */
    private read(u: uPlot): void {
        const { left, idx } = u.cursor, { chart } = this; /* the values stand below the drawing, over the names of the curves */
        if (left === undefined || left < 0 || idx === null || idx === undefined) {
            this.tip.hidden = true;
            return;
        }
        const x = u.data[0]![idx]!, shown = chart.curves.filter(c => !hidden.has(c.label) && c.x.length > 0);
        this.tip.replaceChildren(element("b", {}, chart.places === undefined ? `${chart.x.title} ${text(x, chart.x.unit)}` : chart.places[x] ?? ""), ...shown.map(c => {
            const i = nearest(c, x, chart.x.log), off = c.x[i] !== x && chart.places === undefined ? ` at ${text(c.x[i]!, chart.x.unit)}` : "";
            const line = element("span", { "data-label": c.label, "data-x": String(c.x[i]), "data-y": String(c.y[i]) }, lineKey(c), `${c.label}: ${text(c.y[i], chart.y.unit)}${off}`);
            if (c.low !== undefined && c.high !== undefined && chart.bandOfX !== true && c.high[i]! > c.low[i]!)
                line.append(` (${text(c.low[i], chart.y.unit)} to ${text(c.high[i], chart.y.unit)})`);
            if (c.values !== undefined && c.values[i]! > 0)
                line.append(`, of ${text(Math.round(c.values[i]!), "count")}`);
            return line;
        }));
        this.tip.hidden = false;
    }

    private press(event: KeyboardEvent): void {
        const u = this.plot;
        if (u === null)
            return;
        const { min, max } = u.scales["x"]! as { min: number; max: number }, at = u.cursor.idx ?? 0, log = this.chart.x.log;
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (step !== 0) {
            const next = Math.min(u.data[0]!.length - 1, Math.max(0, at + step));
            u.setCursor({ left: u.valToPos(u.data[0]![next]!, "x"), top: 10 });
        } else if (event.key === "Escape") {
            this.zoom(...this.full);
        } else if (event.key === "+" || event.key === "-") {
            const f = (v: number): number => log ? Math.log(v) : v, back = (v: number): number => log ? Math.exp(v) : v;
            const middle = f(u.data[0]![at] ?? min), size = (f(max) - f(min)) * (event.key === "+" ? 0.5 : 2);
            const low = Math.max(f(this.full[0]), middle - size / 2), high = Math.min(f(this.full[1]), low + size);
            this.zoom(back(low), back(high));
        } else {
            return;
        }
        event.preventDefault();
    }

    /* Shows and hides curves as the reader chose. */
    showHidden(): void {
        this.chart.curves.forEach((c, i) => {
            this.keys[i]!.setAttribute("aria-pressed", String(!hidden.has(c.label)));
            this.plot?.setSeries(i + 1, { show: !hidden.has(c.label) });
        });
    }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => all.forEach(zoom => zoom.draw()));
