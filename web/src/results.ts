/* What came of one run, or of two side by side: a sentence, the numbers, the map over time, curves, links. */
import type { BySize, Law, Result } from "./engine";
import { type Curve, Drawn } from "./charts";
import { Fabric } from "./fabric";
import { bytes, element, number, time } from "./format";
import type { Run } from "./runner";

export type Shown = { label: string; run: Run; style: Law; published: string | null };

/* Numbers of the table: name in `weir run --json`, what is shown, its unit, and whether less is better; null = neither is */
const NUMBERS: [string, string, "ratio" | "bytes" | "gbps" | "count", boolean | null][] = [
    ["slowdown.all.p50", "Slowdown, median", "ratio", true],
    ["slowdown.all.p99", "Slowdown, 99th percentile", "ratio", true],
    ["goodput_gbps", "Goodput per host, Gb/s", "gbps", false],
    ["tor_queue_bytes.p99", "Queue of a first-hop switch, 99th percentile", "bytes", true],
    ["tor_queue_bytes.max", "Queue of a first-hop switch, longest", "bytes", true],
    ["messages_completed", "Messages that ended", "count", null],
    ["unfinished.messages", "Messages that had not ended", "count", null],
    ["drops", "Packets dropped", "count", true],
    ["losses", "Packets lost on the wire", "count", true],
    ["retransmissions", "Packets sent again", "count", true],
    ["marks", "Packets marked", "count", null],
];

/* Returns a number of the JSON by its path, "slowdown.all.p99"; null = it does not apply. */
export function value(json: Record<string, any>, path: string): number | null {
    const found = path.split(".").reduce<any>((at, key) => at === null || at === undefined ? null : at[key], json);
    return typeof found === "number" ? found : null;
}

function verdict(shown: Shown[]): string {
    const [a, b] = shown as [Shown, Shown | undefined];
    const p99 = (s: Shown): number | null => value(s.run.result.json, "slowdown.all.p99");
    const doubtful = shown.filter(s => !["stable", "so_far"].includes(s.run.result.json["verdict"])).map(s => s.label);
    const doubt = doubtful.length > 0 ? ` In doubt: ${doubtful.join(" and ")} (${a.run.result.json["verdict"]}).` : "";
    const first = p99(a), second = b === undefined ? null : p99(b);
    if (first === null && second === null)
        return "No message counts in slowdown: none ended in the measured part." + doubt;
    if (b === undefined || first === null || second === null)
        return `99 % of messages took at most ${number(first ?? second)} times the least possible time under ${first === null ? b!.label : a.label}.${doubt}`;
    const [low, high] = first <= second ? [a, b] : [b, a], same = number(first) === number(second);
    return same ? `At the 99th percentile both have a slowdown of ${number(first)}.${doubt}`
        : `${low.label} has the lower slowdown at the 99th percentile: ${number(Math.min(first, second))} instead of ${number(Math.max(first, second))} of ${high.label}. ` +
          `This is one seed; weir compare says what differs over several.${doubt}`;
}

function shownNumber(kind: string, v: number | null): string {
    return kind === "bytes" ? bytes(v) : number(v);
}

function table(shown: Shown[]): HTMLElement {
    const head = element("tr", {}, element("th", { scope: "col" }, ""), ...shown.map(s => element("th", { scope: "col" }, s.label)));
    const rows = NUMBERS.map(([path, label, kind, less]) => {
        const values = shown.map(s => value(s.run.result.json, path));
        const texts = values.map(v => shownNumber(kind, v));
        const best = less === null || values.length < 2 || values.includes(null) || texts[0] === texts[1] ? null
            : less ? Math.min(...values as number[]) : Math.max(...values as number[]);
        return element("tr", { "data-path": path }, element("th", { scope: "row" }, label),
                       ...values.map((v, i) => element("td", v !== null && v === best ? { class: "best" } : {}, texts[i]!)));
    });
    return element("div", { class: "scroll" }, element("table", { class: "numbers" }, element("thead", {}, head), element("tbody", {}, ...rows)));
}

function digest(s: Shown): HTMLElement {
    const own = String(s.run.result.json["digest"]);
    const text = s.published === null ? "" : s.published === own ? " – equal to the published one" : ` – NOT the published one, ${s.published}`;
    return element("li", { class: s.published !== null && s.published !== own ? "bad" : "" },
                   `${s.label}: digest `, element("code", { class: "digest" }, own), text);
}

function curve(s: Shown, x: number[], y: (number | null)[]): Curve {
    return { label: s.label, light: s.style.light, dark: s.style.dark, dash: s.style.dash, x, y };
}

function findings(result: Result): string[] {
    return (result.json["findings"] as { text: string }[] | null ?? []).map(f => f.text);
}

/* Returns the lines of a CSV text as objects. */
export function rows(csv: string): Record<string, string>[] {
    const cells = (line: string): string[] => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(m => m[1]?.replaceAll('""', '"') ?? m[2] ?? "");
    const [head, ...lines] = csv.trim().split("\n").map(cells);
    return lines.map(line => Object.fromEntries(head!.map((name, i) => [name, line[i] ?? ""])));
}

const CABLES_SHOWN = 8;

function links(s: Shown): HTMLElement {
    const all = rows(s.run.result.links).sort((p, q) => Number(q["share"]) - Number(p["share"])).slice(0, CABLES_SHOWN);
    const cell = (text: string): HTMLElement => element("td", {}, text);
    return element("div", { class: "scroll" }, element("table", { class: "links" }, element("caption", {}, `Fullest links, ${s.label}`),
        element("thead", {}, element("tr", {}, ...["Link", "Share of its rate", "Mean queue", "Marks", "Drops and losses"].map(t => element("th", { scope: "col" }, t)))),
        element("tbody", {}, ...all.map(r => element("tr", {}, element("th", { scope: "row" }, `${r["from"]} > ${r["to"]}`), cell(`${(100 * Number(r["share"])).toFixed(1)} %`),
            cell(r["mean_queue_bytes"] === "" ? "–" : bytes(Number(r["mean_queue_bytes"]))), cell(number(Number(r["marks"]))), cell(number(Number(r["drops"]) + Number(r["losses"]))))))));
}

function sizes(shown: Shown[]): HTMLElement {
    const edges = new Map<number, (BySize | undefined)[]>();
    shown.forEach((s, i) => (s.run.result.slowdown.by_size ?? []).forEach(bin => {
        const row = edges.get(bin.lo_bytes) ?? new Array<BySize | undefined>(shown.length).fill(undefined);
        row[i] = bin;
        edges.set(bin.lo_bytes, row);
    }));
    const body = [...edges].sort((p, q) => p[0] - q[0]).map(([low, bins]) => element("tr", { "data-low": String(low) },
        element("th", { scope: "row" }, `${bytes(low)} to ${bytes(bins.find(b => b !== undefined)!.hi_bytes)}`),
        ...bins.flatMap(b => [b?.count, b?.p50, b?.p99].map(v => element("td", {}, number(v))))));
    const heads = shown.flatMap(s => ["messages", "median", "99 %"].map(t => element("th", { scope: "col" }, `${s.label}: ${t}`)));
    return element("details", {}, element("summary", {}, "Slowdown by message size"), element("div", { class: "scroll" },
        element("table", { class: "sizes" }, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Size"), ...heads)), element("tbody", {}, ...body))));
}

function warnings(shown: Shown[]): Node[] {
    const texts = shown.flatMap(s => [...s.run.description.warnings, ...findings(s.run.result)].map(t => shown.length > 1 ? `${s.label}: ${t}` : t));
    const unique = [...new Set(texts)];
    return unique.length === 0 ? [] : [element("details", { class: "notes" }, element("summary", {}, `What these numbers lack (${unique.length})`),
                                               element("ul", {}, ...unique.map(t => element("li", {}, `${t}.`.replace(/\.\.$/, ".")))))];
}

export class Results {
    readonly node = element("div", { class: "results" });
    private readonly charts: Drawn[] = [];
    private readonly maps: { map: Fabric; shown: Shown }[] = [];
    private readonly slider = element("input", { type: "range", min: "0", value: "0", step: "1", id: "instant", "aria-label": "Instant of the map" });
    private readonly clock = element("output", { for: "instant", id: "clock" });
    private readonly endPs: number;
    private readonly instants: number[];
    private timer: ReturnType<typeof setInterval> | undefined;

    constructor(private readonly shown: Shown[]) {
        const longest = shown.reduce((p, q) => q.run.frames.list.length > p.run.frames.list.length ? q : p);
        this.instants = longest.run.frames.list.map(f => f.atPs);
        this.endPs = Math.max(...shown.map(s => s.run.frames.list.at(-1)?.atPs ?? 0));
        this.node.append(element("p", { class: "verdict", id: "verdict" }, verdict(shown)), table(shown),
                         element("ul", { class: "digests" }, ...shown.map(digest)), ...warnings(shown));
        this.drawMaps();
        this.drawCharts();
        this.node.append(sizes(shown), element("details", {}, element("summary", {}, "Links"), ...shown.map(links)), this.downloads());
        new ResizeObserver(() => this.draw()).observe(this.node);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    private drawMaps(): void {
        const most = Math.max(...this.shown.flatMap(s => s.run.frames.list.map(f => f.portQueueBytes)));
        const play = element("button", { type: "button", id: "play" }, "Play");
        const sides = element("div", { class: "sides" });
        this.slider.max = String(Math.max(0, this.instants.length - 1));
        this.slider.addEventListener("input", () => this.show());
        play.addEventListener("click", () => this.play(play));
        this.shown.forEach(s => {
            const map = new Fabric(s.run.description, most);
            this.maps.push({ map, shown: s });
            sides.append(element("section", { class: "side", "data-law": s.label }, element("h3", {}, s.label), map.node));
        });
        this.node.append(element("h2", {}, "Queues over time"), element("div", { class: "scrub" }, play, this.slider, this.clock), sides,
                         element("p", { class: "scale" }, "Empty ", element("i", { class: "ramp" }), ` ${bytes(most)} at one port`));
        const busiest = this.shown[0]!.run.frames.list.reduce((best, f, i, list) => f.portQueueBytes > list[best]!.portQueueBytes ? i : best, 0);
        this.slider.value = String(Math.min(busiest, this.instants.length - 1));
        this.show();
    }

    private show(): void {
        const at = this.instants[Number(this.slider.value)] ?? 0;
        this.clock.textContent = time(at, this.endPs);
        this.clock.dataset["ps"] = String(at);
        this.maps.forEach(({ map, shown }) => {
            const frame = shown.run.frames.at(at);
            if (frame !== undefined)
                map.show(frame);
        });
        this.charts.forEach(c => c.redraw());
    }

    private play(button: HTMLButtonElement): void {
        const stop = (): void => {
            clearInterval(this.timer);
            this.timer = undefined;
            button.textContent = "Play";
        };
        if (this.timer !== undefined)
            return stop();
        if (Number(this.slider.value) >= this.instants.length - 1)
            this.slider.value = "0";
        button.textContent = "Pause";
        this.timer = setInterval(() => {
            this.slider.value = String(Number(this.slider.value) + 1);
            this.show();
            if (!this.node.isConnected || Number(this.slider.value) >= this.instants.length - 1)
                stop();
        }, 50);
    }

    private drawCharts(): void {
        const ms = (ps: number): number => ps / 1e9, at = (): number => ms(Number(this.clock.dataset["ps"] ?? 0));
        const grid = element("div", { class: "grid" });
        const add = (chart: Drawn): void => {
            this.charts.push(chart);
            grid.append(chart.node);
        };
        const overTime = (y: (frames: Run["frames"]["list"], hosts: number) => (number | null)[]): Curve[] =>
            this.shown.map(s => curve(s, s.run.frames.list.map(f => ms(f.atPs)), y(s.run.frames.list, s.run.description.hosts)));
        add(new Drawn({ title: "Longest queue of a port", caption: "Over all ports, at the instants of the map.", xLabel: "Time, ms", yLabel: "KB", at,
                        curves: overTime(list => list.map(f => f.portQueueBytes / 1000)) }));
        add(new Drawn({ title: "Goodput", caption: "New payload that arrived, per host, since the instant before.", xLabel: "Time, ms", yLabel: "Gb/s", at,
                        curves: overTime((list, hosts) => list.map((f, i) => i === 0 ? null : (f.arrivedBytes - list[i - 1]!.arrivedBytes) * 8000 / (f.atPs - list[i - 1]!.atPs) / hosts)) }));
        const tail = this.shown.filter(s => (s.run.result.slowdown.distribution ?? []).length > 0);
        if (tail.length > 0)
            add(new Drawn({ title: "Distribution of slowdown", caption: "Share of the messages with at least this slowdown. Both axes are logarithmic.", xLabel: "Slowdown", yLabel: "Share", logX: true, logY: true,
                            curves: tail.map(s => {
                                const points = new Map(s.run.result.slowdown.distribution!.filter(([, share]) => share < 1).map(([x, share]) => [x, 1 - share]));
                                return curve(s, [...points.keys()], [...points.values()]);
                            }) }));
        this.node.append(element("h2", {}, "Curves"), grid);
    }

    private downloads(): HTMLElement {
        const list = element("p", { class: "downloads" }, "Download ");
        const link = (name: string, text: string, type: string): HTMLElement =>
            element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name }, name);
        this.shown.forEach((s, i) => {
            const stem = s.label.replace(/[^a-z0-9]+/gi, "-");
            list.append(i > 0 ? ", " : "", link(`${stem}.json`, s.run.result.text, "application/json"), ", ", link(`${stem}-links.csv`, s.run.result.links, "text/csv"));
        });
        list.append(".");
        return list;
    }

    draw(): void {
        this.charts.forEach(c => c.draw());
    }
}
