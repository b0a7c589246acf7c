/* Questions that a reader asks of a page, answered by a script that sees what the reader sees, and by the command for the same scenario. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { holds, open, same, shows } from "./checks.mjs";
import { at, openLive, start, step, text, WAIT_MS } from "./live.mjs";

const NET = `name: Where packets go
topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 1 us}
protocol: soze
traffic: [{kind: poisson, sizes: 100 KB, load: 40%}, {kind: poisson, sizes: 10 KB, load: 4%}, {kind: incast, to: 3, fan_in: 6, size: 40 KB, period: 300 us}]
run: {warmup: 0 us, measure: 12 ms}
`;
const MS = 1e9, CABLE = "leaf 0 - spine 1", THERE = ["leaf 0 > spine 1", "spine 1 > leaf 0"], INSTEAD = ["leaf 0 > spine 0", "spine 0 > leaf 0"];
const quiet = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 };

/* What weir has of the scenario, in a folder. */
class Native {
    constructor(weir, work) {
        Object.assign(this, { weir, work, file: join(work, "questions.yaml"), count: 0 });
        writeFileSync(this.file, NET);
    }

    json(...more) {
        return JSON.parse(execFileSync(this.weir, ["run", this.file, "--json", ...more], { ...quiet, cwd: this.work }));
    }

    /* Adds a run to a result file; returns one of its tables. */
    table(of, name, ...more) {
        const db = join(this.work, name);
        execFileSync(this.weir, ["run", this.file, "-o", db, ...more], { ...quiet, cwd: this.work });
        return JSON.parse(execFileSync(this.weir, ["export", db, "--table", of, "--format", "json"], quiet)).rows;
    }

    /* Messages of 100 KB under a law: their count and 99th percentile. */
    of100KB(law, name) {
        return this.table("by_size", name, "--set", `protocol=${law}`).findLast(r => r.denominator === "ideal" && r.lo_bytes === 100000);
    }

    /* The bytes that have left each port by an instant: what --links says it was given, without what waits there. name -> [bytes, rate] */
    left(atPs, ...more) {
        const links = join(this.work, "links.csv"), end = ["--set", `run.measure=${atPs} ps`, "--series", `${atPs} ps`];
        const queues = this.table("series", `left-${this.count++}.db`, ...end, "--links", links, ...more).filter(r => r.name === "port_queue" && r.t_ps === atPs);
        const rows = readFileSync(links, "utf8").trim().split("\n").slice(1).map(line => line.replaceAll('"', "").split(","));
        return new Map(rows.map(([, from, to, rate, bytes], i) => {
            same("a queue of each port", queues[i].place, `${from} > ${to}`);
            return [queues[i].place, [bytes - queues[i].value, Number(rate)]];
        }));
    }

    /* The share of its rate that each port sent between two instants, in thousandths. */
    shares(fromPs, toPs, ...more) {
        const before = this.left(fromPs, ...more), after = this.left(toPs, ...more);
        return new Map([...after].map(([name, [bytes, rate]]) => [name, Math.floor((bytes - before.get(name)[0]) * 8e15 / (rate * (toPs - fromPs)))]));
    }

    /* The port with the longest queue at an instant, and its queue. */
    longestQueue(atPs) {
        const rows = this.table("series", "queues.db", "--series", `${atPs} ps`).filter(r => r.name === "port_queue" && r.t_ps === atPs);
        return rows.reduce((most, r) => r.value > most.value ? r : most);
    }
}

/* ---- a run that goes on ---- */

async function mostLoaded(page, native) {
    const said = async () => /^Most: (.+), (.+)\.$/.exec(await text(page, "most")).slice(1), queue = native.longestQueue(3 * MS);
    await page.selectOption("#measure", { label: "queue" });
    await page.waitForFunction(() => /B\.$/.test(document.getElementById("most").textContent));
    const [place, bytes] = await said();
    same("the port with the longest queue at 3 ms", place, queue.place);
    shows("its queue", bytes, queue.value);
    await page.selectOption("#measure", { label: "share of its rate" });
    await page.waitForFunction(() => /%\.$/.test(document.getElementById("most").textContent));
    const shares = native.shares(2.7 * MS, 3 * MS), most = Math.max(...shares.values()), [port, share] = await said();
    same("the share of the port that is used most before 3 ms", share, `${(most / 10).toFixed(1)} %`);
    same("which port that is", shares.get(port), most);
}

/* The share of each port as the page shows it, in thousandths: a click on its cell says it. */
async function sharesShown(page, names) {
    const shown = new Map();
    for (const name of names) {
        await page.click(`.map button[aria-label="${name}"]`);
        await page.waitForFunction(name => document.getElementById("port").textContent.startsWith(`${name}, `), name);
        shown.set(name, Math.round(10 * Number(/share of its rate ([\d.]+) %/.exec(await text(page, "port"))[1])));
    }
    return shown;
}

async function rerouted(page, native) {
    const ports = [...THERE, ...INSTEAD], before = await sharesShown(page, ports);
    holds("all four ports are used before the cut", [...before.values()].every(share => share > 0), JSON.stringify([...before]));
    await page.selectOption("#part", CABLE);
    await page.click("#cut");
    await page.waitForSelector("#done li");
    writeFileSync(join(native.work, "cut.txt"), `${await text(page, "done")}\n`);
    await page.selectOption("#speed", String(0.03 * MS)); /* one that ends behind the cut */
    await step(page);
    await page.selectOption("#speed", String(0.3 * MS));
    await step(page);
    same("the instant that is shown", await at(page), 3.33 * MS);
    const shown = await sharesShown(page, ports), wanted = native.shares(3.03 * MS, 3.33 * MS, "--timeline", "cut.txt"), straight = native.shares(3.03 * MS, 3.33 * MS);
    for (const name of ports)
        same(`share of ${name} after the cut`, shown.get(name), wanted.get(name));
    for (const name of THERE)
        holds(`nothing leaves by ${name}, which would have carried some`, shown.get(name) === 0 && straight.get(name) > 0, `${straight.get(name)}`);
    for (const name of INSTEAD)
        holds(`${name} carries it instead`, shown.get(name) > straight.get(name), `${shown.get(name)}, without the cut ${straight.get(name)}`);
}

/* Which port has most at 3 ms? What happens when a cable is cut then? */
export async function questionsOfLive(browser, weir, work) {
    const native = new Native(weir, work), run = await start(weir, work, native.file, "--write-timeline", "asked.txt");
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } }), page = await openLive(context, run.address);
    await page.selectOption("#speed", String(0.3 * MS));
    for (let i = 0; i < 10; i++)
        await step(page);
    same("ten steps", await at(page), 3 * MS);
    await mostLoaded(page, native);
    await rerouted(page, native);
    await page.selectOption("#pace", "0");
    await page.click("#play");
    await page.waitForSelector("body[data-ready=over]", { timeout: WAIT_MS });
    same("the timeline gives the digest that is shown", native.json("--timeline", "cut.txt").digest, await text(page, "digest-value"));
    same("status", (await run.end()).status, 0);
    await context.close();
}

/* ---- the playground ---- */

/* Which 99th percentile have messages of 100 KB under two laws? Which port has the longest queue at 3 ms? */
export async function questionsOfPlayground(context, weir, work, address) {
    const native = new Native(weir, work), page = await open(context, address), laws = ["soze", "dctcp"];
    await page.fill("#scenario", NET);
    await page.waitForFunction(() => document.querySelector("#law-a option").textContent === "as written (soze)");
    await page.selectOption("#law-b", "dctcp");
    await page.click("#run");
    await page.waitForSelector("#verdict", { timeout: WAIT_MS });
    await page.click("text=Slowdown by message size");
    const cells = await page.$$eval(".sizes tr[data-low='100000'] td", all => all.map(c => c.textContent));
    for (const [i, law] of laws.entries()) {
        const bin = native.of100KB(law, `${law}.db`);
        shows(`messages of 100 KB under ${law}`, cells[3 * i], bin.count);
        shows(`their 99th percentile under ${law}`, cells[3 * i + 2], bin.p99);
    }
    await page.$eval("#instant", (slider, ps) => {
        for (let i = 0; i <= Number(slider.max) && Number(document.querySelector("#clock").dataset.ps) !== ps; i++) {
            slider.value = String(i);
            slider.dispatchEvent(new Event("input"));
        }
    }, 3 * MS);
    same("the slider has 3 ms", Number(await page.getAttribute("#clock", "data-ps")), 3 * MS);
    const queue = native.longestQueue(3 * MS), said = /longest queue is at (.+): (.+)\.$/.exec(await page.textContent(".side[data-law=soze] .said"));
    same("the port with the longest queue at 3 ms", said[1], queue.place);
    shows("its queue", said[2], queue.value);
    await page.close();
}

/* ---- an interactive report ---- */

/* Reads the 99th percentile of messages of 100 KB off a figure, by keyboard. */
export async function questionsOfReport(context, weir, work) {
    const native = new Native(weir, work), html = join(work, "asked.html"), wanted = new Map(["dctcp", "soze"].map(law => [law, native.of100KB(law, "asked.db")]));
    execFileSync(weir, ["report", join(work, "asked.db"), "--interactive", "-o", html], { ...quiet, env: { PATH: "/nowhere" } }); /* without gnuplot */
    const page = await open(context, pathToFileURL(html).href), figure = page.locator("figure", { hasText: "Slowdown by message size, 99th percentile" });
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".canvas").focus();
    for (let i = 0; i < 40 && !/1\d\d KB/.test((await figure.locator(".tip b").allTextContents()).join()); i++)
        await page.keyboard.press("ArrowRight");
    const read = await figure.locator(".tip span").evaluateAll(all => all.map(s => [s.dataset.label, Number(s.dataset.x), s.textContent]));
    same("both laws are read off", read.map(r => r[0]).join(), [...wanted.keys()].join());
    read.forEach(([law, x, said]) => {
        const [, number, count] = /: ([\d.]+), of ([\d,]+)$/.exec(said) ?? [];
        holds("messages of 100 KB", x >= 100000 && x < 178000, x);
        shows(`their 99th percentile under ${law}`, number, wanted.get(law).p99);
        shows(`how many there are under ${law}`, count, wanted.get(law).count);
    });
    await page.close();
}
