/* The map of a network that is watched: a row for each tier, a box for each node, a cell for each port. Its colour is what was chosen. */
import { bytes, element, number } from "./format";
import { LOST, MARKS, PORT_NUMBERS, QUEUE, USED, type About, type Frame } from "./watch_run";

const CELLS_MOST = 6000;

export type Measure = { name: string; of: number; text: (value: number) => string };
export const MEASURES: Measure[] = [
    { name: "queue", of: QUEUE, text: bytes },
    { name: "share of its rate", of: USED, text: v => `${(v / 10).toFixed(1)} %` },
    { name: "packets marked since the frame before", of: MARKS, text: number },
    { name: "packets lost since the frame before", of: LOST, text: number },
];

/* Returns a number of a port in a frame. */
export const valueOf = (frame: Frame, link: number, measure: Measure): number => frame.ports[PORT_NUMBERS * link + measure.of] ?? 0;

export class PortMap {
    readonly node = element("div", { class: "map" });
    private readonly cells: HTMLButtonElement[] = [];
    private most = 0; /* seen so far, of the measure that is shown */
    private shown: Measure | null = null;

    constructor(private readonly about: About, private readonly choose: (link: number) => void) {
        if (about.links.length > CELLS_MOST) {
            this.node.append(element("p", {}, `The map is drawn of networks of up to ${CELLS_MOST} ports; this one has ${about.links.length}. The fullest port is named below.`));
            return;
        }
        const out: number[][] = about.nodes.map(() => []);
        about.links.forEach((link, index) => out[link.src]!.push(index));
        for (let tier = Math.max(...about.nodes.map(n => n.tier)); tier >= 0; tier--) {
            const row = element("div", { class: "tier" });
            about.nodes.forEach((node, index) => {
                if (node.tier === tier)
                    row.append(this.box(node.name, tier, out[index]!));
            });
            this.node.append(row);
        }
    }

    private box(name: string, tier: number, links: number[]): HTMLElement {
        const cells = element("span", { class: "cells" });
        for (const link of links) {
            const cell = element("button", { type: "button", "data-link": String(link), "aria-pressed": "false", tabindex: "-1", "aria-label": this.about.links[link]!.name });
            cell.addEventListener("click", () => this.choose(link));
            this.cells[link] = cell;
            cells.append(cell);
        }
        return element("div", { class: tier === 0 ? "box host" : "box" }, element("span", { class: "name" }, tier === 0 ? name.replace(/^host /, "") : name), cells);
    }

    /* Shows a frame. Returns the port with the most; null = all have nothing. */
    show(frame: Frame, measure: Measure): number | null {
        let fullest = 0;
        if (measure !== this.shown)
            this.most = 0;
        this.shown = measure;
        for (let i = 0; i < this.about.links.length; i++)
            if (valueOf(frame, i, measure) > valueOf(frame, fullest, measure))
                fullest = i;
        this.most = measure.of === USED ? 1000 : Math.max(this.most, valueOf(frame, fullest, measure));
        this.cells.forEach((cell, link) => {
            const value = valueOf(frame, link, measure), heat = value === 0 || this.most === 0 ? 0 : Math.max(0.12, Math.sqrt(value / this.most));
            cell.style.setProperty("--heat", `${Math.round(100 * heat)}%`);
            cell.title = `${this.about.links[link]!.name}: ${measure.text(value)}`;
            cell.className = "";
        });
        frame.paused.forEach(link => this.cells[link]?.classList.add("paused"));
        frame.down.forEach(link => this.cells[link]?.classList.add("down"));
        return valueOf(frame, fullest, measure) > 0 ? fullest : null;
    }

    press(link: number): void {
        this.cells.forEach((cell, index) => cell.setAttribute("aria-pressed", String(index === link)));
    }
}
