/* The page of weir run --live: shows frames as they come, and sends commands. */
import { Drawn, type Chart, type Curve } from "./charts";
import { byId, bytes, element, number, time } from "./format";
import { MEASURES, PortMap, valueOf, type Measure } from "./watch_map";
import { Run, type About, type Frame, type Message } from "./watch_run";

const MESSAGES_SHOWN = 24, CURVES_MS = 400, PS_PER_US = 1e6;
const LIGHT = ["#0072b2", "#d55e00"], DARK = ["#56b4e9", "#ff9a4d"];

let run: Run | null = null;
let map: PortMap;
let held: number | null = null; /* number of the frame that the slider shows; null = the newest */
let selected: number | null = null; /* link */
let drawnAt = 0, queued = false, isLost = false;
let figures: Drawn[] = []; /* as they are drawn now */
const said = byId("said"), scrub = byId<HTMLInputElement>("scrub"), part = byId<HTMLSelectElement>("part"), measurePick = byId<HTMLSelectElement>("measure");
const playButton = byId<HTMLButtonElement>("play"), stepButton = byId<HTMLButtonElement>("step"), newest = byId<HTMLButtonElement>("newest");

function say(text: string, bad = false): void {
    said.textContent = text;
    said.classList.toggle("bad", bad);
}

/* Sends a command. @return the answer; null = it was refused, and that was said */
async function send(command: string): Promise<string | null> {
    try {
        const answer = await fetch("do", { method: "POST", body: command }), text = await answer.text();
        if (answer.ok)
            return text;
        say(text, true);
    } catch {
        lose();
    }
    return null;
}

function lose(): void {
    isLost = true;
    say("The run has ended, or its connection is lost: weir run does not answer any more.", true);
    document.querySelectorAll<HTMLButtonElement>("main .controls button").forEach(b => { b.disabled = true; });
}

const measure = (): Measure => MEASURES[Number(measurePick.value)]!;
const clock = (ps: number): string => time(ps, run?.about.end_ps ?? ps);
const cableOf = (link: number): string => run!.about.links[link]!.name.replace(" > ", " - ");

const count = (n: number, of: string): string => n === 1 ? `1 ${of} is` : `${n} ${of}s are`;

/* ---- what is shown ---- */

function shownFrame(): Frame | undefined {
    return held === null ? run!.newest : run!.frames[held];
}

function showPorts(frame: Frame): void {
    const fullest = map.show(frame, measure()), paused = frame.paused.length, down = frame.down.length / 2;
    byId("most").textContent = (fullest === null ? `No port has anything: ${measure().name} is 0 everywhere.`
        : `Most: ${run!.about.links[fullest]!.name}, ${measure().text(valueOf(frame, fullest, measure()))}.`) +
        (paused > 0 ? ` ${count(paused, "port")} paused (framed).` : "") + (down > 0 ? ` ${count(down, "cable")} down (striped).` : "");
    byId("most").dataset["link"] = String(fullest ?? "");
    if (selected !== null)
        byId("port").textContent = `${run!.about.links[selected]!.name}, ${number(run!.about.links[selected]!.rate_gbps)} Gb/s: ` + MEASURES.map(m => `${m.name} ${m.text(valueOf(frame, selected!, m))}`).join("; ") + ".";
}

function messageRow(m: Message, from: number, to: number): HTMLElement {
    const end = m.endPs ?? to, left = 100 * (m.startPs - from) / Math.max(1, to - from), width = 100 * (end - m.startPs) / Math.max(1, to - from);
    const bar = element("i", { class: m.endPs === null ? "open" : "" }), name = `host ${m.host} to host ${m.dst}, ${bytes(m.bytes)}` + (m.slowdown === null ? ", open" : `, slowdown ${number(m.slowdown)}`);
    bar.style.left = `${Math.max(0, left)}%`;
    bar.style.width = `${Math.min(100, width)}%`;
    const pick = element("button", { type: "button", title: `message ${m.number} of host ${m.host}: show its law` }, name);
    pick.addEventListener("click", () => void watch(m));
    return element("li", { "data-host": String(m.host), "data-number": String(m.number) }, pick, element("span", { class: "track" }, bar));
}

/* Shows the messages that were open last, by their start; of more, the largest ones. */
function showMessages(frame: Frame): void {
    const before = run!.ended.filter(m => m.startPs <= frame.atPs && m.endPs! <= frame.atPs), open = [...frame.open].sort((a, b) => b.bytes - a.bytes).slice(0, MESSAGES_SHOWN * 2 / 3);
    const all = [...open, ...before.slice(open.length - MESSAGES_SHOWN)].sort((a, b) => a.startPs - b.startPs);
    const from = Math.min(frame.atPs, ...all.map(m => m.startPs));
    byId("counted").textContent = `${number(frame.completed)} messages have ended by ${clock(frame.atPs)}. Below: the largest that are open, and the last ones, from ${clock(from)} on.` +
        (run!.leftOut > 0 ? ` ${number(run!.leftOut)} ended between frames and are in the curves alone.` : "");
    byId("messages").replaceChildren(...all.map(m => messageRow(m, from, frame.atPs)));
}

function slowdownCurves(frame: Frame): Curve[] {
    const at = (column: number): number[] => frame.slowdown.filter((_v, i) => i % 4 === column);
    return [["median", 2], ["99th percentile", 3]].map(([label, column], i): Curve =>
        ({ label: label as string, light: LIGHT[i]!, dark: DARK[i]!, dash: i === 0 ? "" : "6,3", x: at(0).map(v => v / 1000), y: at(column as number).map(v => v / 1e6) }));
}

/* Puts figures into their place, with the points that there are now. */
function put(id: string, charts: Chart[]): void {
    const drawn = charts.filter(c => c.curves.some(curve => curve.y.some(v => v !== null))).map(c => new Drawn(c));
    byId(id).replaceChildren(...drawn.map(d => d.node));
    drawn.forEach(d => d.draw());
    figures.push(...drawn);
}

function lawCharts(): Chart[] {
    const x = run!.law.map(p => p.atPs / PS_PER_US), one = (title: string, unit: string, caption: string, y: (number | null)[]): Chart =>
        ({ title, caption, xLabel: "time, us", yLabel: unit, curves: [{ label: `message ${run!.watched!.number} of host ${run!.watched!.host}`, light: LIGHT[0]!, dark: DARK[0]!, dash: "", x, y }] });
    return [one("Window", "KB", "As its law has set it, at each frame.", run!.law.map(p => p.cwnd / 1000)),
            one("Rate", "Gb/s", "As its law has set it; empty where the window alone limits.", run!.law.map(p => p.rate === 0 ? null : p.rate / 1e9)),
            one("Acknowledged", "KB", "Payload that has arrived, as the sender knows.", run!.law.map(p => p.acked / 1000))];
}

function drawFigures(frame: Frame): void {
    drawnAt = performance.now();
    figures = [];
    put("figures", [{ title: "By message size", caption: "Of all messages that have ended: their time over the least possible time. Both axes are logarithmic.", xLabel: "message size, KB", yLabel: "slowdown",
                      logX: true, logY: true, curves: slowdownCurves(frame) }]);
    if (run!.watched !== null)
        put("law-figures", lawCharts());
}

function showJobs(frame: Frame): void {
    byId("jobs").replaceChildren(...run!.about.jobs.map((job, i) => {
        const ended = frame.jobs[2 * i + 1] ?? 0, open = (frame.jobs[2 * i] ?? 0) - ended, bar = element("progress", { max: String(job.flows), value: String(ended), "aria-label": `${job.name}: flows that have ended` });
        return element("li", {}, `${job.name}: ${ended} of ${job.flows} flows ${ended === 1 ? "has" : "have"} ended, ${open} ${open === 1 ? "is" : "are"} open`, bar);
    }));
}

function showState(frame: Frame): void {
    const end = run!.about.end_ps;
    scrub.max = String(run!.frames.length - 1);
    scrub.value = String(held ?? run!.frames.length - 1);
    scrub.setAttribute("aria-valuetext", clock(frame.atPs));
    byId("at").textContent = clock(frame.atPs);
    newest.disabled = held === null;
    playButton.textContent = run!.state === "running" ? "Pause" : "Play";
    playButton.disabled = stepButton.disabled = run!.state === "over" || isLost;
    document.body.dataset["state"] = run!.state;
    document.body.dataset["at"] = String(frame.atPs);
    if (!said.classList.contains("bad"))
        say(run!.state === "over" ? `The run is over, at ${clock(run!.newest!.atPs)}.` : `${run!.state === "running" ? "Running" : "Paused"} at ${clock(run!.newest!.atPs)}${end === null ? "" : ` of ${clock(end)}`}.`);
}

/* Draws what has changed, once for all frames that have come since. */
function draw(): void {
    queued = false;
    const frame = shownFrame();
    if (frame === undefined)
        return;
    showState(frame);
    showPorts(frame);
    showMessages(frame);
    if (run!.about.jobs.length > 0)
        showJobs(frame);
    if (performance.now() - drawnAt >= CURVES_MS || run!.state !== "running")
        drawFigures(frame);
}

function later(): void {
    if (!queued)
        requestAnimationFrame(draw);
    queued = true;
}

/* ---- what is done ---- */

async function watch(m: Message): Promise<void> {
    if (await send(`watch ${m.host} ${m.number}`) === null)
        return;
    run!.watch(m.host, m.number);
    byId("law-of").hidden = false;
    byId("weighing").hidden = !run!.about.can_weigh;
    byId("law-said").textContent = `Message ${m.number} of host ${m.host} to host ${m.dst}, ${bytes(m.bytes)}: from now on, while it is open.`;
    later();
}

async function change(command: string): Promise<void> {
    const answer = await send(command);
    if (answer === null)
        return;
    said.classList.remove("bad");
    byId("done").append(element("li", {}, element("code", {}, answer)));
    byId("repeat").textContent = "weir run --timeline repeats the run with these lines, with the same digest.";
    later();
}

function select(link: number): void {
    selected = link;
    part.value = cableOf(link);
    if (part.value === "")
        part.value = `${run!.about.nodes[run!.about.links[link]!.dst]!.name} - ${run!.about.nodes[run!.about.links[link]!.src]!.name}`;
    map.press(link);
    later();
}

function fillParts(about: About): void {
    const cables = about.links.filter(l => l.src < l.dst).map(l => l.name.replace(" > ", " - ")), nodes = about.nodes.map(n => n.name);
    for (const [label, names] of [["cables", cables], ["switches and hosts", nodes]] as const)
        part.append(element("optgroup", { label }, ...names.map(n => element("option", { value: n }, n))));
    for (const id of ["cut", "hold", "mend"] as const) {
        const button = byId<HTMLButtonElement>(id);
        button.disabled = !about.can_cut;
        button.addEventListener("click", () => void change(`${id} ${part.value}`));
    }
    part.disabled = !about.can_cut;
    part.addEventListener("change", () => {
        const link = about.links.findIndex(l => l.name.replace(" > ", " - ") === part.value);
        if (link >= 0)
            select(link);
    });
}

function fillSpeeds(about: About): void {
    const speed = byId<HTMLSelectElement>("speed"), steps = [0.1, 0.25, 1, 4, 10].map(f => Math.max(1, Math.round(f * about.step_ps)));
    speed.replaceChildren(...steps.map(ps => element("option", { value: String(ps) }, ps >= 1e9 ? `${number(ps / 1e9)} ms` : `${number(ps / 1e6)} us`)));
    speed.value = String(about.step_ps);
    speed.addEventListener("change", () => void send(`speed ${speed.value}`));
    byId<HTMLSelectElement>("pace").addEventListener("change", event => void send(`pace ${(event.target as HTMLSelectElement).value}`));
}

function begin(about: About): void {
    run = new Run(about);
    document.title = `Weir: ${about.name}`;
    byId("name").textContent = about.name;
    byId("about").textContent = `${about.protocol}, ${about.hosts} hosts${about.end_ps === null ? ", until all messages have ended" : `, ${time(about.end_ps, about.end_ps)}`}. Weir ${about.version}.` +
        (about.can_cut ? "" : " The scenario takes cables down itself, so none is cut here.");
    measurePick.replaceChildren(...MEASURES.map((m, i) => element("option", { value: String(i) }, m.name)));
    map = new PortMap(about, select);
    byId("map").replaceChildren(map.node);
    byId("jobs-of").hidden = about.jobs.length === 0;
    fillParts(about);
    fillSpeeds(about);
    byId("weight").replaceChildren(...[1, 2, 4, 8, 16].map(w => element("option", { value: String(w) }, String(w))));
    byId("weigh").addEventListener("click", () => void change(`weight ${byId<HTMLSelectElement>("weight").value} host ${run!.watched!.host} message ${run!.watched!.number}`));
    playButton.addEventListener("click", () => void send(run!.state === "running" ? "pause" : "play").then(() => said.classList.remove("bad")));
    stepButton.addEventListener("click", () => void send("step"));
    measurePick.addEventListener("change", later);
    scrub.addEventListener("input", () => {
        held = Number(scrub.value) >= run!.frames.length - 1 ? null : Number(scrub.value);
        later();
    });
    newest.addEventListener("click", () => {
        held = null;
        later();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => figures.forEach(d => d.draw()));
    addEventListener("resize", () => figures.forEach(d => d.draw()));
}

function finish(end: { digest: string; timeline: string }): void {
    const save = element("a", { download: "timeline.txt", href: `data:text/plain,${encodeURIComponent(end.timeline)}` }, "Download the timeline");
    byId("digest").replaceChildren("Digest ", element("code", { id: "digest-value" }, end.digest), ...(end.timeline === "" ? [": that of weir run."] : [". ", save]));
    document.body.dataset["ready"] = "over";
}

function listen(): void {
    const events = new EventSource("events"), data = (event: Event): unknown => JSON.parse((event as MessageEvent<string>).data);
    events.addEventListener("about", event => begin(data(event) as About));
    events.addEventListener("frame", event => {
        const frame = data(event) as Parameters<Run["add"]>[0] & { frame: number };
        run!.add(frame);
        if (held !== null)
            held = Math.min(held, run!.frames.length - 1);
        later();
        requestAnimationFrame(() => void send(`confirmed ${frame.frame}`)); /* once it can be seen: a page in the background takes no frames */
        document.body.dataset["ready"] ??= "yes";
    });
    events.addEventListener("end", event => finish(data(event) as { digest: string; timeline: string }));
    events.addEventListener("refused", event => {
        events.close();
        say((event as MessageEvent<string>).data, true);
    });
    events.addEventListener("error", () => {
        if (run === null && events.readyState === EventSource.CONNECTING)
            return; /* it asks again: this page was loaded anew, and weir has not noticed yet that the old one is gone */
        events.close();
        lose();
    });
}

say("Waiting for the run.");
listen();
