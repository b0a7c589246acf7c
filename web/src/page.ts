/* The playground: an editor, two laws, a run in a thread of its own, and what came of it. */
import type { Description, Law, Laws, Refusal } from "./engine";
import { byId, element, number, time } from "./format";
import { fragmentOf, sharedIn, type Shared } from "./permalink";
import { Results, type Shown } from "./results";
import { Simulator, type Outcome } from "./runner";
import { bytesOf, example, examples, moduleBytes, workerSource, type Example } from "./inline";

const CHECK_AFTER_MS = 250;
const AS_WRITTEN = "", NONE = "-";
const PLAIN: Law = { name: "", hint: "", light: "#0072b2", dark: "#56b4e9", dash: "" };

let simulator: Simulator;
let laws: Laws;
let files: Record<string, string> = {};
let checkTimer: ReturnType<typeof setTimeout>;
let checked: Description | null = null;
let running = false;
let checks = 0; /* so far */

const editor = byId<HTMLTextAreaElement>("scenario"), pickA = byId<HTMLSelectElement>("law-a"), pickB = byId<HTMLSelectElement>("law-b");
const pickExample = byId<HTMLSelectElement>("example"), runButton = byId<HTMLButtonElement>("run"), cancelButton = byId<HTMLButtonElement>("cancel");
const said = byId("said"), bar = byId<HTMLProgressElement>("progress"), output = byId("output"), about = byId("about");

function say(text: string, bad = false): void {
    said.textContent = text;
    said.classList.toggle("bad", bad);
}

/* Moves the cursor to a line and column, both from 1. */
function point(line: number, column: number): void {
    const at = editor.value.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + Math.max(0, column - 1);
    editor.focus();
    editor.setSelectionRange(at, at);
}

function sayRefusal(r: Refusal): void {
    const where = r.line > 0 ? `${r.file}:${r.line}:${r.column}: ` : r.file !== "" ? `${r.file}: ` : "";
    said.replaceChildren();
    said.classList.add("bad");
    if (r.line > 0 && r.file === "scenario") {
        const jump = element("button", { type: "button", class: "where" }, `line ${r.line}, column ${r.column}`);
        jump.addEventListener("click", () => point(r.line, r.column));
        said.append(jump, " ");
    } else {
        said.append(where);
    }
    said.append(element("span", { id: "refusal" }, r.text), ...(r.hint !== "" ? [element("span", { id: "hint" }, ` (hint: ${r.hint})`)] : []));
}

function describe(d: Description): string {
    const length = d.end_ps === null ? "until the last message is delivered" : `for ${time(d.end_ps, d.end_ps)}`;
    return `${d.protocol} on ${d.topology}: ${d.hosts} hosts, ${d.switches} switches, ${length}; about ${number(d.packet_hops / 1e6)} million packet-hops.`;
}

/* Reads the scenario in the editor, and says what it is. An answer to an earlier call is not used. */
async function check(): Promise<void> {
    const number = ++checks, answer = await simulator.check(editor.value, AS_WRITTEN);
    if (number !== checks || running)
        return;
    checked = null;
    if (answer === null)
        return say("The simulator did not answer.", true);
    if ("hint" in answer)
        return sayRefusal(answer);
    checked = answer;
    fillLaws(answer);
    say(describe(answer));
}

function option(value: string, text: string): HTMLOptionElement {
    return element("option", { value }, text);
}

/* Lists the laws, and the variants of the scenario; keeps what is chosen. */
function fillLaws(d: Description | null): void {
    const names = [...(d?.variants ?? []), ...laws.laws.map(l => l.name)];
    for (const [pick, first] of [[pickA, option(AS_WRITTEN, d === null ? "as written" : `as written (${d.protocol})`)], [pickB, option(NONE, "nothing")]] as const) {
        const chosen = pick.value;
        pick.replaceChildren(first, ...names.map(n => option(n, n)));
        pick.value = [...pick.options].some(o => o.value === chosen) ? chosen : first.value;
    }
}

function shared(): Shared {
    return { scenario: editor.value, a: pickA.value, b: pickB.value, files };
}

/* Returns the most memory that a page may have here, in bytes: what 32 bits address, or half of the machine's. */
function memoryMost(): number {
    const machine = (navigator as Navigator & { deviceMemory?: number }).deviceMemory;
    return Math.min(4 * 2 ** 30, machine === undefined ? Infinity : machine * 2 ** 29);
}

function objection(d: Description): string | null {
    const most = memoryMost();
    return d.need_bytes <= most ? null
        : `This scenario needs about ${number(d.need_bytes / 2 ** 30)} GiB, and a page may have ${number(most / 2 ** 30)} GiB here: make it smaller, or run it with weir run.`;
}

function published(law: string): string | null {
    const e = example(pickExample.value);
    return e !== undefined && e.text === editor.value && law === AS_WRITTEN ? e.digest : null;
}

function styleOf(protocol: string): Law {
    return laws.laws.find(l => l.name === protocol) ?? PLAIN;
}

/* Runs the laws, one after the other. @return what is to be shown; null = it was said why not */
async function runAll(names: string[]): Promise<Shown[] | null> {
    const all: Shown[] = [];
    for (const [index, law] of names.entries()) {
        const label = law === AS_WRITTEN ? checked?.protocol ?? "as written" : law;
        const outcome: Outcome = await simulator.run(editor.value, law, {
            ready: objection,
            progress: p => {
                bar.value = p.endPs === null ? 0 : (index + Math.min(1, p.nowPs / p.endPs)) / names.length;
                say(`${label}: ${time(p.nowPs, p.endPs ?? p.nowPs)} simulated, ${number(p.completed)} of ${number(p.started)} messages delivered.`);
            },
        });
        if (outcome.kind === "cancelled") {
            say("Cancelled.");
            return null;
        }
        if (outcome.kind === "failed") {
            say(outcome.text, true);
            return null;
        }
        if (outcome.kind === "refused") {
            sayRefusal(outcome.refusal);
            return null;
        }
        const protocol = outcome.run.description.protocol;
        all.push({ label: law === AS_WRITTEN ? protocol : law, run: outcome.run, style: styleOf(protocol), published: published(law) });
    }
    if (all.length === 2 && all[0]!.label === all[1]!.label)
        all[0]!.label += " as written";
    if (all.length === 2 && all[0]!.style === all[1]!.style)
        all[1]!.style = { ...all[1]!.style, dash: "3,3" };
    return all;
}

async function run(): Promise<void> {
    const names = pickB.value === NONE ? [pickA.value] : [pickA.value, pickB.value];
    running = true;
    clearTimeout(checkTimer);
    runButton.disabled = true;
    cancelButton.hidden = bar.hidden = false;
    bar.value = 0;
    output.replaceChildren();
    say("Reading the scenario.");
    const began = performance.now(), shown = await runAll(names);
    running = false;
    runButton.disabled = false;
    cancelButton.hidden = bar.hidden = true;
    if (shown === null)
        return;
    const hops = shown.reduce((sum, s) => sum + Number(s.run.result.json["packet_hops"] ?? 0), 0);
    say(`Done in ${((performance.now() - began) / 1000).toFixed(1)} s: ${number(hops / 1e6)} million packet-hops, ${number(Math.max(...shown.map(s => s.run.memoryBytes)) / 1e6)} MB.`);
    const results = new Results(shown);
    output.replaceChildren(results.node);
    results.draw();
}

async function share(): Promise<void> {
    const fragment = await fragmentOf(shared());
    history.replaceState(null, "", fragment);
    try {
        await navigator.clipboard.writeText(location.href);
        say("The address of this page now holds the scenario, and is copied.");
    } catch {
        say("The address of this page now holds the scenario: copy it from above.");
    }
}

function load(text: string, its: Record<string, string>): void {
    editor.value = text;
    files = its;
    simulator.files = new Map(Object.entries(its).map(([name, content]) => [name, bytesOf(content)]));
    output.replaceChildren();
}

function loadExample(e: Example): void {
    about.textContent = e.about;
    pickA.value = AS_WRITTEN;
    pickB.value = NONE;
    load(e.text, e.files);
    history.replaceState(null, "", "#");
}

async function loadFragment(): Promise<boolean> {
    const found = await sharedIn(location.hash);
    if (found === undefined) {
        pickExample.value = examples()[0]!.name;
        loadExample(examples()[0]!);
        await check();
        say("This address holds no scenario: it was cut or changed on its way. The first example is shown instead.", true);
        return true;
    }
    if (found === null)
        return false;
    about.textContent = "";
    const same = examples().find(e => e.text === found.scenario);
    pickExample.value = same?.name ?? "";
    load(found.scenario, found.files);
    await check();
    pickA.value = found.a;
    pickB.value = found.b;
    return true;
}

async function begin(): Promise<void> {
    simulator = new Simulator(await WebAssembly.compile(await moduleBytes() as BufferSource), workerSource(), new Map());
    laws = await simulator.laws();
    byId("version").textContent = `Weir ${laws.version}, ${laws.commit}`;
    pickExample.replaceChildren(option("", "your own"), ...examples().map(e => option(e.name, e.title)));
    fillLaws(null);
    pickExample.addEventListener("change", () => {
        const e = example(pickExample.value);
        if (e === undefined)
            return;
        loadExample(e);
        void check();
    });
    editor.addEventListener("input", () => {
        const same = examples().find(e => e.text === editor.value);
        pickExample.value = same?.name ?? "";
        about.textContent = same?.about ?? "";
        clearTimeout(checkTimer);
        checkTimer = setTimeout(() => void check(), CHECK_AFTER_MS);
    });
    editor.addEventListener("keydown", event => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !running)
            void run();
    });
    runButton.addEventListener("click", () => void run());
    cancelButton.addEventListener("click", () => simulator.cancel());
    byId("share").addEventListener("click", () => void share());
    addEventListener("hashchange", () => void loadFragment());
    if (!await loadFragment()) {
        const first = examples()[0]!;
        pickExample.value = first.name;
        loadExample(first);
        await check();
    }
    document.body.dataset["ready"] = "yes";
}

begin().catch((error: unknown) => say(`This browser cannot run the simulator: ${String(error)}.`, true));
