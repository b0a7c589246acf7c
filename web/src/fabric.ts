/* The map of the network: a row for each tier, a box for each switch, a cell for each port that sends. Its colour is the queue. */
import type { Description, Frame } from "./engine";
import { bytes, element } from "./format";

const PORTS_MAX = 4096;

export class Fabric {
    readonly node = element("div", { class: "fabric" });
    private readonly cells: HTMLElement[] = [];
    private readonly said = element("p", { class: "said", "aria-live": "polite" });

    /* most: the queue that has the strongest colour, bytes */
    constructor(private readonly what: Description, private readonly most: number) {
        if (what.links.length > PORTS_MAX)
            this.node.append(element("p", {}, `The map is drawn of networks of up to ${PORTS_MAX} ports; this one has ${what.links.length}.`));
        else
            this.draw();
        this.node.append(this.said);
    }

    private draw(): void {
        const tiers = Math.max(...this.what.nodes.map(n => n.tier));
        for (let tier = tiers; tier >= 0; tier--) {
            const row = element("div", { class: "tier" });
            this.what.nodes.forEach((node, number) => {
                if (node.tier === tier)
                    row.append(this.box(node.name, number, tier));
            });
            this.node.append(row);
        }
    }

    private box(name: string, number: number, tier: number): HTMLElement {
        const cells = element("span", { class: "cells" });
        this.what.links.forEach((link, index) => {
            if (link.src !== number)
                return;
            const cell = element("i", { "data-link": String(index), title: link.name });
            this.cells[index] = cell;
            cells.append(cell);
        });
        return element("div", { class: tier === 0 ? "box host" : "box" }, element("span", { class: "name" }, tier === 0 ? String(number) : name), cells);
    }

    /* Shows a frame, and says which port has the longest queue. */
    show(frame: Frame): void {
        let longest = 0;
        frame.queues.forEach((queue, index) => {
            if (queue > frame.queues[longest]!)
                longest = index;
            const cell = this.cells[index];
            if (cell === undefined)
                return;
            const heat = queue === 0 || this.most === 0 ? 0 : Math.max(0.12, Math.sqrt(queue / this.most));
            cell.style.setProperty("--heat", `${Math.round(100 * heat)}%`);
            cell.title = `${this.what.links[index]!.name}: ${bytes(queue)}`;
        });
        const queue = frame.queues[longest] ?? 0;
        this.said.textContent = queue > 0 ? `The longest queue is at ${this.what.links[longest]!.name}: ${bytes(queue)}.` : "No port has a queue.";
        this.said.dataset["link"] = String(longest);
        this.said.dataset["bytes"] = String(queue);
    }
}
