/* Curves, drawn by uPlot, in the colours that the laws have on all pages. */
import uPlot from "uplot";
import { element } from "./format";

export type Curve = { label: string; light: string; dark: string; dash: string; x: number[]; y: (number | null)[] };
export type Chart = { title: string; caption: string; xLabel: string; yLabel: string; logX?: boolean; logY?: boolean; steps?: boolean; curves: Curve[]; at?: () => number | null };

export const isDark = (): boolean => matchMedia("(prefers-color-scheme: dark)").matches;

const inkOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Joins curves of different x for uPlot. */
function joined(curves: Curve[]): uPlot.AlignedData {
    return uPlot.join(curves.map(c => [c.x, c.y] as uPlot.AlignedData));
}

function axis(label: string, size: number): uPlot.Axis {
    const ink = inkOf("--ink-quiet"), line = inkOf("--line");
    return { label, size, labelSize: 18, stroke: ink, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", grid: { stroke: line, width: 1 },
             ticks: { stroke: line, width: 1 }, values: (_u, splits) => splits.map(v => v === null ? "" : String(Number(v.toPrecision(6)))) };
}

export class Drawn {
    readonly node: HTMLElement;
    private plot: uPlot | null = null;
    private readonly place = element("div", { class: "plot" });

    constructor(private readonly chart: Chart) {
        const keys = element("ul", { class: "keys" });
        chart.curves.forEach(c => {
            const key = element("i", { class: "key" });
            key.style.setProperty("--light", c.light);
            key.style.setProperty("--dark", c.dark);
            const [on, off] = c.dash === "" ? [1, 0] : c.dash.split(",").map(Number) as [number, number];
            key.style.setProperty("--on", `${on}px`);
            key.style.setProperty("--all", `${on + off}px`);
            keys.append(element("li", {}, key, c.label));
        });
        this.node = element("figure", {}, element("h3", {}, chart.title), keys, this.place, element("figcaption", {}, chart.caption));
    }

    /* Draws anew, in the width that is there; called once the figure is in the page. */
    draw(): void {
        const chart = this.chart, width = this.place.clientWidth;
        this.plot?.destroy();
        this.place.replaceChildren();
        if (width === 0)
            return;
        this.plot = new uPlot({
            width, height: 230, legend: { show: false }, cursor: { y: false },
            scales: { x: { time: false, distr: chart.logX === true ? 3 : 1 }, y: { distr: chart.logY === true ? 3 : 1, range: chart.logY === true ? undefined : (_u, _low, high) => [0, high > 0 ? high * 1.05 : 1] } },
            axes: [axis(chart.xLabel, 34), axis(chart.yLabel, 58)],
            series: [{}, ...chart.curves.map((c): uPlot.Series => ({
                label: c.label, stroke: isDark() ? c.dark : c.light, width: 2, dash: c.dash === "" ? undefined : c.dash.split(",").map(Number), spanGaps: true,
                points: { show: false },
            }))],
            hooks: { draw: [u => this.mark(u)] },
        }, joined(chart.curves), this.place);
    }

    /* Draws the instant of the slider. */
    private mark(u: uPlot): void {
        const at = this.chart.at?.() ?? null;
        if (at === null)
            return;
        const x = u.valToPos(at, "x", true);
        u.ctx.save();
        u.ctx.strokeStyle = inkOf("--ink-quiet");
        u.ctx.lineWidth = devicePixelRatio;
        u.ctx.beginPath();
        u.ctx.moveTo(x, u.bbox.top);
        u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
        u.ctx.stroke();
        u.ctx.restore();
    }

    redraw(): void {
        this.plot?.redraw(false, false);
    }
}
