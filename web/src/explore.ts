/* The part of an interactive report in which one chooses: a number, over what, which messages, which laws. */
import type { Data, Message, Metric, RunRow, WeirSet } from "./data";
import { element } from "./format";
import { CLASSES, choices, hasClasses, metricIndex, noteOf, ofClass, scaleOf, spreadOf, titleOf, valuesOf, type Scale } from "./metrics";
import { SortTable, type Column } from "./table";
import { numberOf, spread, text } from "./units";
import { hideLabels, lineKey, Zoom, type ZoomCurve } from "./zoom";

const MESSAGES_LEAST = 50; /* of a class, for a curve of single messages */
const SETS_MANY = 8, SERIES_FEW = 8, TICKS_MOST = 8;
const QUANTILES: [string, number][] = [["p50", 0.5], ["p95", 0.95], ["p99", 0.99], ["p999", 0.999]];

function select(id: string, label: string, options: HTMLElement[]): { box: HTMLElement; pick: HTMLSelectElement } {
    const pick = element("select", { id }, ...options);
    return { box: element("div", {}, element("label", { for: id }, label), pick), pick };
}

const option = (value: string, title: string): HTMLOptionElement => element("option", { value }, title);

/* Returns a key of a scenario as the title of an axis: "traffic[0].load" is "load of traffic[0]". */
function keyTitle(key: string): string {
    const dot = key.lastIndexOf(".");
    return dot < 0 ? key : `${key.slice(dot + 1)} of ${key.slice(0, dot)}`;
}

export class Explorer {
    readonly node = element("section", { id: "explore", class: "explore" });
    private readonly part; private readonly metric; private readonly over; private readonly at; private readonly group; private readonly shape;
    private readonly laws = element("fieldset", { class: "laws" }, element("legend", {}, "Laws"));
    private readonly chart = element("div", { class: "panel", id: "chosen" });
    private readonly distribution = element("div", { class: "panel", id: "distribution" });
    private readonly tables = element("div", { class: "tables" });
    private zooms: Zoom[] = [];
    private without = new Set<string>(); /* laws that the reader took out */

    constructor(private readonly data: Data) {
        const numbers = choices(data), options = (main: boolean): HTMLElement[] => numbers.filter(n => n.main === main).map(n => option(n.value, n.title));
        this.part = select("part", "Part", data.parts.map((title, i) => option(String(i), title)));
        this.metric = select("metric", "Number", [element("optgroup", { label: "Most asked for" }, ...options(true)), element("optgroup", { label: "All others" }, ...options(false))]);
        this.over = select("over", "Over", []);
        this.at = select("at", "Distribution and tables at", []);
        this.group = select("group", "Messages", CLASSES.map(g => option(g, g === "all" ? "of all sizes" : `of size group ${g}`)));
        this.shape = select("shape", "Distribution", [option("tail", "share above"), option("cdf", "share at or below")]);
        this.part.box.hidden = data.parts.length < 2;
        for (const { pick } of [this.metric, this.at, this.group, this.shape])
            pick.addEventListener("change", () => this.draw());
        this.over.pick.addEventListener("change", () => this.offer());
        this.part.pick.addEventListener("change", () => this.show());
        this.node.append(element("h3", {}, "Explore"),
            element("div", { class: "choose" }, this.part.box, this.metric.box, this.over.box, this.group.box, this.shape.box, this.at.box), this.laws,
            element("div", { class: "panels" }, this.chart, this.distribution), this.tables);
        if (data.left_out.length > 0)
            this.node.append(element("p", { class: "note", id: "left-out" }, `Not on this page: ${data.left_out.join("; ")}.`));
        this.show();
    }

    /* Returns the sets of the chosen part. */
    private sets(): WeirSet[] {
        return this.data.sets.filter(s => String(s.part) === this.part.pick.value);
    }

    private shown(): WeirSet[] {
        return this.sets().filter(s => !this.without.has(s.protocol));
    }

    private run(set: WeirSet): RunRow {
        return this.data.runs[set.first]!;
    }

    /* Shows a part: what can be chosen there, and then all of it. */
    private show(): void {
        const sets = this.sets(), laws = [...new Set(sets.map(s => s.protocol))];
        this.without.clear();
        hideLabels([]);
        const varied = this.data.keys.map((key, i) => [key, i] as const).filter(([, i]) => new Set(sets.map(s => this.run(s).keys[i])).size > 1);
        this.over.pick.replaceChildren(option("", "one by one"), ...varied.map(([key, i]) => option(String(i), keyTitle(key))));
        const fit = varied.find(([, i]) => this.places(sets, i).scale.numbers !== null && this.series(sets, i).size <= SERIES_FEW);
        this.over.pick.value = fit === undefined ? "" : String(fit[1]); /* only if that gives a figure of few curves */
        this.over.box.hidden = varied.length === 0;
        this.laws.hidden = laws.length < 2;
        this.laws.replaceChildren(this.laws.firstElementChild!, ...laws.map(law => {
            const box = element("input", { type: "checkbox", value: law, checked: "" });
            box.addEventListener("change", () => this.choose(law, box.checked));
            return element("label", {}, box, lineKey(sets.find(s => s.protocol === law)!.law), law);
        }));
        this.offer();
    }

    /* Offers the values of the setting that numbers are drawn over: the distribution is at one of them, if there are many sets. */
    private offer(): void {
        const key = Number(this.over.pick.value), sets = this.sets(), values = this.over.pick.value === "" ? [] : this.places(sets, key).places;
        this.at.box.hidden = values.length < 2;
        this.at.pick.replaceChildren(option("", "all"), ...values.map(v => option(v, `${keyTitle(this.data.keys[key]!)} ${v}`)));
        this.at.pick.value = sets.length > SETS_MANY ? values.at(-1) ?? "" : "";
        this.draw();
    }

    /* Returns the values of a setting, in order, and how they stand on an axis. */
    private places(sets: WeirSet[], key: number): { places: string[]; scale: Scale } {
        const names = [...new Set(sets.flatMap(s => this.run(s).keys[key] ?? []))], scale = scaleOf(names), of = scale.numbers;
        return { places: names.sort((a, b) => of !== null ? of.get(a)! - of.get(b)! : a.localeCompare(b, "en", { numeric: true })), scale };
    }

    private choose(law: string, on: boolean): void {
        if (on)
            this.without.delete(law);
        else
            this.without.add(law);
        hideLabels(this.data.sets.filter(s => this.without.has(s.protocol)).map(s => s.label));
        this.draw();
    }

    private setOf(run: number): WeirSet {
        return this.data.sets.find(s => run >= s.first && run < s.first + s.count)!;
    }

    private draw(): void {
        const sets = this.shown(), at = this.at.pick.value;
        const some = at === "" ? sets : sets.filter(s => this.run(s).keys[Number(this.over.pick.value)] === at);
        this.zooms.forEach(z => z.end());
        this.zooms = [];
        this.chart.replaceChildren();
        this.distribution.replaceChildren();
        this.group.pick.disabled = !this.data.metrics.some(m => /\.A(\.|$)/.test(m.name));
        if (sets.length === 0) {
            this.chart.append(element("p", { class: "note" }, "No law is chosen."));
        } else {
            this.drawChosen(sets);
            this.drawDistribution(some);
        }
        this.drawTables(some);
    }

    private add(panel: HTMLElement, title: string, node: HTMLElement, caption: string): void {
        panel.append(element("h4", {}, title), node, element("p", { class: "note" }, caption));
    }

    private drawChosen(sets: WeirSet[]): void {
        const wanted = ofClass(this.metric.pick.value, this.group.pick.value), there = metricIndex(this.data, wanted);
        const index = there >= 0 ? there : metricIndex(this.data, this.metric.pick.value), metric = this.data.metrics[index];
        if (metric === undefined || sets.every(s => spreadOf(s, index) === null)) {
            this.chart.append(element("p", { class: "note", id: "nothing" }, "There is nothing to draw: these runs have no numbers. The reasons are under What was run."));
            return;
        }
        const better = metric.better === null ? "" : ` ${metric.better === "least" ? "Less" : "More"} is better.`;
        const note = there < 0 && hasClasses(this.metric.pick.value) ? " The runs have it of all sizes only." : "";
        if (this.over.pick.value === "")
            this.add(this.chart, titleOf(this.data, metric), this.dots(sets, index),
                     `A bar is the mean over the seeds, its line the 95 % interval of three seeds or more, a small mark a seed. From 0 on.${better}${note}`);
        else
            this.overKey(sets, index, Number(this.over.pick.value), better + note);
    }

    /* Returns by what a mean is sorted, the best first; sets without one come last. */
    private rank(metric: Metric, mean: number | null): number {
        return mean === null ? Number.MAX_VALUE : metric.better === "greatest" ? -mean : mean;
    }

    /* Returns a row for each set, with a bar. Those whose means read like the best are best, too. */
    private dots(sets: WeirSet[], index: number): HTMLElement {
        const metric = this.data.metrics[index]!, mean = (s: WeirSet): number | null => spreadOf(s, index)?.[0] ?? null;
        const ends = sets.flatMap(s => [...valuesOf(this.data, s, index), (mean(s) ?? 0) + (spreadOf(s, index)?.[1] ?? 0)]).map(v => v ?? 0);
        const most = Math.max(...ends) || 1, percent = (v: number): string => `${Math.min(100, Math.max(0, 100 * v / most))}%`;
        const order = metric.better === null ? sets : [...sets].sort((a, b) => this.rank(metric, mean(a)) - this.rank(metric, mean(b)));
        const said = (s: WeirSet): string => spread(mean(s), spreadOf(s, index)?.[1], metric.unit), best = order[0] === undefined ? null : text(mean(order[0]), metric.unit);
        return element("div", { class: "dots" }, ...order.map(set => {
            const bar = element("span", { class: "bar" }), note = noteOf(this.data, set), value = spreadOf(set, index), half = value?.[1] ?? 0;
            bar.style.setProperty("--light", set.law.light);
            bar.style.setProperty("--dark", set.law.dark);
            if (value !== null) {
                const fill = element("i", { class: note === "" ? "fill" : "fill hollow" });
                fill.style.width = percent(value[0]);
                bar.append(fill);
                if (half > 0) {
                    const line = element("i", { class: "half" });
                    line.style.left = percent(value[0] - half);
                    line.style.width = `calc(${percent(value[0] + half)} - ${percent(value[0] - half)})`;
                    bar.append(line);
                }
                if (set.count > 1)
                    valuesOf(this.data, set, index).forEach((v, i) => {
                        if (v === null)
                            return;
                        const seed = element("i", { class: "seed", title: `seed ${this.data.runs[set.first + i]!.seed}: ${text(v, metric.unit)}` });
                        seed.style.left = percent(v);
                        bar.append(seed);
                    });
            }
            const row = element("div", { class: metric.better !== null && sets.length > 1 && mean(set) !== null && text(mean(set), metric.unit) === best ? "row best" : "row", "data-label": set.label, "data-value": String(value?.[0] ?? "") },
                element("span", { class: "name" }, set.label, ...note !== "" ? [element("em", {}, note)] : []), bar, element("span", { class: "number" }, said(set)));
            return row;
        }));
    }

    /* Draws a number over a setting: a curve for each law, and for each combination of the other settings. */
    private overKey(sets: WeirSet[], index: number, key: number, more: string): void {
        const metric = this.data.metrics[index]!, of = (s: WeirSet): string | null => this.run(s).keys[key] ?? null;
        const used = sets.filter(s => of(s) !== null && spreadOf(s, index) !== null);
        const { places, scale } = this.places(used, key);
        const x = (s: WeirSet): number => scale.numbers?.get(of(s)!) ?? places.indexOf(of(s)!);
        const series = this.series(used, key), one = series.size === new Set(used.map(s => s.protocol)).size;
        const curves = [...series].map(([label, list]): ZoomCurve => {
            const at = [...list].sort((a, b) => x(a) - x(b)), values = at.map(s => spreadOf(s, index)!), style = one ? at[0]!.law : at[0]!;
            const doubt = at.map(s => noteOf(this.data, s) === "" ? 0 : 1);
            return { label, ...doubt.includes(1) ? { doubt } : {}, note: !doubt.includes(1) ? null : doubt.includes(0) ? "some in doubt" : "in doubt", light: style.light, dark: style.dark, dash: style.dash, x: at.map(x), y: values.map(v => v[0]),
                     low: values.map(v => v[0] - (v[1] ?? 0)), high: values.map(v => v[0] + (v[1] ?? 0)) };
        });
        const zoom = new Zoom({ title: titleOf(this.data, metric), x: { title: keyTitle(this.data.keys[key]!), unit: scale.unit, log: false },
                                y: { title: metric.title, unit: metric.unit, log: false }, curves, marks: true, bars: true, ...(scale.numbers === null ? { places } : places.length <= TICKS_MOST ? { ticks: places.map(p => scale.numbers!.get(p)!) } : {}) });
        this.zooms.push(zoom);
        this.add(this.chart, `${titleOf(this.data, metric)} over ${keyTitle(this.data.keys[key]!)}`, zoom.node,
                 `A mark is the mean over the seeds, an upright line the 95 % interval of three seeds or more.${more}`);
    }

    /* Returns the sets of each curve over a setting: of one law, and equal in the other settings. */
    private series(sets: WeirSet[], key: number): Map<string, WeirSet[]> {
        const others = this.data.keys.map((_, i) => i).filter(i => i !== key && new Set(sets.map(s => this.run(s).keys[i])).size > 1 && !this.follows(sets, i, key));
        const series = new Map<string, WeirSet[]>();
        sets.forEach(s => {
            const name = [s.protocol, ...others.map(i => this.run(s).keys[i]).filter(v => v !== null)].join(", ");
            series.set(name, [...series.get(name) ?? [], s]);
        });
        return series;
    }

    /* Tests whether a setting is fixed by another one and the law, as a threshold by a load. */
    private follows(sets: WeirSet[], key: number, other: number): boolean {
        const seen = new Map<string, string | null>();
        return sets.every(s => {
            const at = `${s.protocol}\n${this.run(s).keys[other]}`, value = this.run(s).keys[key] ?? null, before = seen.get(at);
            seen.set(at, value);
            return before === undefined || before === value;
        });
    }

    /* Returns the messages of a set in a class; null = the page has none, or does not know the edges of the classes. */
    private messages(set: WeirSet, group: string): Message[] | null {
        const found: Message[] = [];
        for (const of of this.data.messages.filter(m => m.run >= set.first && m.run < set.first + set.count)) {
            const edges = this.data.runs[of.run]!.groups.map(g => g === null ? NaN : numberOf(g));
            if (group !== "all" && edges.some(e => !Number.isFinite(e)))
                return null;
            const low = [0, ...edges][CLASSES.indexOf(group) - 1] ?? 0, high = [...edges, Infinity][CLASSES.indexOf(group) - 1] ?? Infinity;
            found.push(...of.rows.filter(m => group === "all" || (m[0] >= low && m[0] < high)));
        }
        return found.length === 0 ? null : found;
    }

    /* Returns the distribution of slowdown of a set in a class: shares at or below x. */
    private slowdownOf(set: WeirSet, group: string, single: boolean): { x: number[]; y: number[]; low?: number[]; high?: number[] } | null {
        if (group === "all")
            return set.slowdown ?? null;
        if (!single) {
            const at = QUANTILES.map(([name, share]) => [spreadOf(set, metricIndex(this.data, `slowdown.${group}.${name}`))?.[0], share] as const).filter(([v]) => v !== undefined) as [number, number][];
            return at.length === 0 ? null : { x: at.map(a => a[0]), y: at.map(a => a[1]) };
        }
        const rows = this.messages(set, group)!.sort((a, b) => a[1] - b[1]), sum = rows.reduce((all, m) => all + m[2], 0), x: number[] = [], y: number[] = [];
        let below = 0;
        rows.forEach(m => {
            below += m[2];
            if (x.at(-1) === m[1]) {
                x.pop();
                y.pop();
            }
            x.push(m[1]);
            y.push(below / sum);
        });
        return { x, y };
    }

    private drawDistribution(sets: WeirSet[]): void {
        const group = this.group.pick.value, tail = this.shape.pick.value === "tail";
        const single = group !== "all" && sets.every(s => (this.messages(s, group)?.length ?? 0) >= MESSAGES_LEAST);
        const one = new Set(sets.map(s => s.protocol)).size === sets.length; /* set of each law: then it has the law's colour */
        const curves = sets.flatMap((s): ZoomCurve[] => {
            const found = this.slowdownOf(s, group, single), note = noteOf(this.data, s);
            if (found === null)
                return [];
            const keep = found.y.map((y, i) => !tail || y < 1 ? i : -1).filter(i => i >= 0), of = <T>(list: T[]): T[] => keep.map(i => list[i]!);
            return keep.length === 0 ? [] : [{ label: s.label, note: note === "" ? null : note, ...(one ? s.law : { light: s.light, dark: s.dark, dash: s.dash }), x: of(found.x), y: of(found.y).map(y => tail ? 1 - y : y),
                                               ...(found.low === undefined || found.high === undefined ? {} : { low: of(found.low), high: of(found.high) }) }];
        });
        if (curves.length === 0) {
            this.distribution.append(element("p", { class: "note" }, group === "all" ? "No message counts in slowdown." : "No message of this size counts in slowdown."));
            return;
        }
        const zoom = new Zoom({ title: "Distribution of slowdown", x: { title: "Slowdown", unit: "ratio", log: true },
                                y: { title: tail ? "Share of messages above" : "Share at or below", unit: "share", log: tail }, curves, bandOfX: true, marks: group !== "all" && !single });
        this.zooms.push(zoom);
        const source = group === "all" ? `Of all messages that count${sets.some(s => s.count > 1) ? "; bands reach from the least to the greatest seed" : ""}.`
            : single ? "Of the single messages on this page, of all seeds together."
            : "At the median, 95 %, 99 % and 99.9 %, the mean over the seeds: the page has too few single messages of this size.";
        this.add(this.distribution, `Distribution of slowdown${group === "all" ? "" : `, size group ${group}${this.edges(sets[0]!, group)}`}`, zoom.node, source);
    }

    private edges(set: WeirSet, group: string): string {
        const edges = this.run(set).groups.map(g => g === null ? NaN : numberOf(g)), at = CLASSES.indexOf(group) - 1;
        if (edges.some(e => !Number.isFinite(e)))
            return "";
        return at === 0 ? `: below ${text(edges[0], "bytes")}` : at === 3 ? `: from ${text(edges[2], "bytes")} on` : `: ${text(edges[at - 1], "bytes")} to ${text(edges[at], "bytes")}`;
    }

    private drawTables(sets: WeirSet[]): void {
        const open = new Set([...this.tables.querySelectorAll("details[open]")].map(d => d.id));
        const add = (id: string, title: string, make: () => HTMLElement): void => {
            const details = element("details", { id }, element("summary", {}, title)), fill = (): void => { if (details.open && details.childElementCount === 1) details.append(make()); };
            details.addEventListener("toggle", fill);
            this.tables.append(details);
            if (open.has(id))
                details.open = true;
        };
        this.tables.replaceChildren();
        add("table-runs", "Runs, with the chosen number", () => this.runTable(sets));
        if (this.data.messages.some(m => sets.includes(this.setOf(m.run))))
            add("table-messages", "Messages, the slowest first", () => this.messageTable(sets));
        if (this.data.ports.some(p => sets.includes(this.setOf(p.run))))
            add("table-ports", "Queues of ports", () => this.portTable(sets));
    }

    private runTable(sets: WeirSet[]): HTMLElement {
        type Row = { set: WeirSet; run: RunRow };
        const chosen = metricIndex(this.data, ofClass(this.metric.pick.value, this.group.pick.value));
        const names = ["slowdown.all.p50", "slowdown.all.p99", "goodput_gbps", "tor_queue_bytes.p99", "drops", "losses"].map(n => metricIndex(this.data, n));
        const numbers = [...new Set([chosen, ...names])].filter(i => i >= 0);
        const keys = this.data.keys.map((_, i) => i).filter(i => new Set(sets.map(s => this.run(s).keys[i])).size > 1);
        const columns: Column<Row>[] = [
            { title: "Set", text: r => r.set.label, left: true }, { title: "Seed", text: r => r.run.seed ?? "–", value: r => Number(r.run.seed ?? NaN) },
            { title: "Status", text: r => r.run.why === null ? r.run.note ?? r.run.status : `${r.run.note}: ${r.run.why}`, left: true },
            ...keys.map((i): Column<Row> => ({ title: keyTitle(this.data.keys[i]!), text: r => r.run.keys[i] ?? "–" })),
            ...numbers.map((i): Column<Row> => ({ title: titleOf(this.data, this.data.metrics[i]!), text: r => text(r.run.values[i], this.data.metrics[i]!.unit), value: r => r.run.values[i] ?? null })),
            { title: "Digest", text: r => r.run.digest ?? "–", left: true }];
        return new SortTable(sets.flatMap(set => this.data.runs.slice(set.first, set.first + set.count).map(run => ({ set, run }))), columns, "runs-table").node;
    }

    private messageTable(sets: WeirSet[]): HTMLElement {
        type Row = { set: WeirSet; run: RunRow; m: Message };
        const rows = this.data.messages.filter(m => sets.includes(this.setOf(m.run))).flatMap(of => of.rows.map((m): Row => ({ set: this.setOf(of.run), run: this.data.runs[of.run]!, m }))).sort((a, b) => b.m[1] - a.m[1]);
        const columns: Column<Row>[] = [
            { title: "Set", text: r => r.set.label, left: true }, { title: "Seed", text: r => r.run.seed ?? "–", value: r => Number(r.run.seed ?? NaN) },
            { title: "Slowdown", text: r => text(r.m[1], "ratio"), value: r => r.m[1] }, { title: "Size", text: r => text(r.m[0], "bytes"), value: r => r.m[0] },
            { title: "From host", text: r => String(r.m[3]), value: r => r.m[3] }, { title: "To host", text: r => String(r.m[4]), value: r => r.m[4] },
            { title: "Traffic item", text: r => String(r.m[5]), value: r => r.m[5] }, { title: "Start", text: r => text(r.m[6], "ps"), value: r => r.m[6] },
            { title: "Stands for", text: r => text(r.m[2], "count"), value: r => r.m[2] }];
        return new SortTable(rows, columns, "messages-table").node;
    }

    private portTable(sets: WeirSet[]): HTMLElement {
        type Row = { set: WeirSet; run: RunRow; port: [string, number, number, number] };
        const rows = this.data.ports.filter(p => sets.includes(this.setOf(p.run))).flatMap(of => of.rows.map((port): Row => ({ set: this.setOf(of.run), run: this.data.runs[of.run]!, port }))).sort((a, b) => b.port[2] - a.port[2]);
        const columns: Column<Row>[] = [
            { title: "Port", text: r => r.port[0], left: true }, { title: "Set", text: r => r.set.label, left: true }, { title: "Seed", text: r => r.run.seed ?? "–", value: r => Number(r.run.seed ?? NaN) },
            { title: "Longest queue", text: r => text(r.port[2], "bytes"), value: r => r.port[2] }, { title: "at", text: r => text(r.port[3], "ps"), value: r => r.port[3] },
            { title: "Mean queue", text: r => text(r.port[1], "bytes"), value: r => r.port[1] }];
        return new SortTable(rows, columns, "ports-table").node;
    }
}
