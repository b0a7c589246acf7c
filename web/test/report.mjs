/* Tests of pages of `weir report --interactive`: what they show is what the result file has. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { holds, open, same, shows } from "./checks.mjs";

const NET = `name: storage
topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 400 Gbps, host_delay: 1.25 us, core_delay: 0.5 us}
protocol: {name: dctcp}
fabric:   {buffer: 200 KB}
traffic:
  - {kind: poisson, sizes: alistorage, load: 50%}
  - {kind: incast, fan_in: 6, size: 64 KB, share: 10%}
run: {warmup: 0.1 ms, measure: 0.4 ms, seed: 1}
`;
const quiet = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 };

/* The result file of two laws at two loads, and its page. gnuplot: whether it may draw */
function make(weir, work, name, gnuplot) {
    const scenario = join(work, "net.yaml"), db = join(work, `${name}.db`), html = join(work, `${name}.html`);
    writeFileSync(scenario, NET);
    for (const [law, load] of [["dctcp", "30%"], ["sird", "30%"], ["dctcp", "60%"], ["sird", "60%"]])
        execFileSync(weir, ["run", scenario, "--set", `protocol.name=${law}`, "--set", `traffic[0].load=${load}`, "-o", db], quiet);
    execFileSync(weir, ["report", db, "--interactive", "-o", html], { ...quiet, env: gnuplot ? process.env : { PATH: "/nowhere" } });
    const table = of => JSON.parse(execFileSync(weir, ["export", db, "--table", of, "--format", "json"], quiet)).rows;
    return { address: pathToFileURL(html).href, table, runs: table("run") };
}

/* The number of a run in the file, by its label on the page: "dctcp, 30%". */
function number(made, metrics, label, name) {
    const [law, load] = label.split(", ");
    const run = made.runs.find(r => r.protocol === law && r.settings.includes(`load=${load}`));
    return metrics.find(m => m.run === run.id && m.name === name).value;
}

async function barsAreTheNumbersOfTheFile(page, made) {
    const metrics = made.table("metric");
    await page.selectOption("#over", "");
    for (const [metric, group] of [["slowdown.all.p99", "all"], ["slowdown.all.p99", "B"], ["goodput_gbps", "all"], ["port_queue_bytes.max", "all"], ["completion_us.all.p99", "all"]]) {
        await page.selectOption("#metric", metric);
        await page.selectOption("#group", group);
        const bars = await page.$$eval("#chosen .row", all => all.map(r => [r.dataset.label, Number(r.dataset.value), r.querySelector(".number").textContent, r.classList.contains("best")]));
        same(`${metric}: a bar for each set`, bars.length, 4);
        for (const [label, value, text] of bars) {
            const exact = Number(number(made, metrics, label, metric.replace(".all.", `.${group}.`)));
            same(`${metric} of ${label}, size group ${group}`, value, exact);
            shows(`${metric} of ${label} as text`, text, metric.includes("_us") ? exact * 1e6 : exact);
        }
        const values = bars.map(b => b[1]);
        same(`${metric}: the best is first`, bars[0][3] && values[0], metric === "goodput_gbps" ? Math.max(...values) : Math.min(...values));
    }
    await page.selectOption("#metric", "slowdown.all.p99");
    await page.selectOption("#group", "all");
}

/* Reads the curve of a set off, by keyboard: its points are the buckets of the histogram in the file. */
async function aCurveIsTheHistogram(page, made) {
    const buckets = made.table("histogram").filter(h => h.name === "slowdown");
    await page.selectOption("#over", { index: 1 });
    await page.selectOption("#at", "60%");
    await page.focus("#distribution .canvas");
    for (let i = 0; i < 40; i++)
        await page.keyboard.press("ArrowRight");
    const read = await page.$$eval("#distribution .tip span", all => all.map(s => [s.dataset.label, Number(s.dataset.x), Number(s.dataset.y)]));
    same("the tip names both laws", read.map(r => r[0]).join("; "), "dctcp, 60%; sird, 60%");
    for (const [label, x, y] of read) {
        const run = made.runs.find(r => r.protocol === label.split(",")[0] && r.settings.includes("load=60%"));
        const own = buckets.filter(b => b.run === run.id), sum = own.reduce((all, b) => all + b.count, 0);
        const above = own.filter(b => b.lo >= x * (1 - 1e-5)).reduce((all, b) => all + b.count, 0) / sum;
        holds(`share above ${x} of ${label}`, sum > 100 && Math.abs(above - y) <= 1e-5 + 1e-5 * y, `: ${y}, not ${above}`);
    }
    await page.keyboard.press("+");
    holds("after zooming there is a way back", await page.isVisible("#distribution .hint button"));
    await page.keyboard.press("Escape");
    holds("and Escape is it, too", await page.isHidden("#distribution .hint button"));
    await page.selectOption("#over", "");
}

async function lawsAreLeftOut(page) {
    await page.uncheck("#explore .laws input[value=sird]");
    same("bars without a law", (await page.$$eval("#chosen .row", all => all.map(r => r.dataset.label))).join("; "), "dctcp, 30%; dctcp, 60%");
    await page.check("#explore .laws input[value=sird]");
    await page.selectOption("#over", { index: 1 });
    same("a curve for each law over a setting", (await page.$$eval("#chosen .line-keys button", all => all.map(b => b.firstElementChild.nextSibling.textContent))).join("; "), "dctcp; sird");
    await page.selectOption("#over", "");
}

async function tablesAreSortedAndFiltered(page, made) {
    await page.click("#table-messages summary");
    const cells = () => page.$$eval(".messages-table tbody tr", all => all.map(r => [...r.cells].map(c => c.dataset.value ?? c.textContent)));
    const slowest = made.table("message").filter(m => m.item === 0 && m.end_ps >= 1e8).sort((a, b) => (b.end_ps - b.start_ps) / b.ideal_ps - (a.end_ps - a.start_ps) / a.ideal_ps)[0];
    const first = (await cells())[0];
    holds("the slowest message is first", Math.abs(Number(first[2]) - (slowest.end_ps - slowest.start_ps) / slowest.ideal_ps) < 1e-9 && Number(first[3]) === slowest.bytes, JSON.stringify([first, slowest]));
    await page.click(".messages-table th:nth-child(4) button");
    const sizes = (await cells()).map(r => Number(r[3]));
    holds("sorted by size, the greatest first", sizes.length > 10 && sizes.every((v, i) => i === 0 || v <= sizes[i - 1]));
    await page.click(".messages-table th:nth-child(4) button");
    same("and the least first", Number((await cells())[0][3]), Math.min(...(await cells()).map(r => Number(r[3]))));
    await page.fill("#table-messages input", "sird 60%");
    holds("filtered", (await cells()).length > 0 && (await cells()).every(r => r[0] === "sird, 60%"));
    await page.click("#table-ports summary");
    const ports = await page.$$eval(".ports-table tbody tr", all => all.map(r => [r.cells[0].textContent, Number(r.cells[3].dataset.value), Number(r.cells[4].dataset.value)]));
    const most = made.table("series").filter(p => p.name === "port_queue").sort((a, b) => b.value - a.value || a.t_ps - b.t_ps)[0];
    same("the longest queue of a port", ports[0].join(), [most.place, most.value, most.t_ps].join());
}

/* What one asks first stands in sentences above what can be chosen, and only there. */
async function answersStandOnce(page, made) {
    const metrics = made.table("metric"), facts = await page.$$eval("p.facts", all => all.map(p => p.textContent)), most = Math.max(...metrics.filter(m => m.name === "port_queue_bytes.max").map(m => m.value));
    same("sentences of facts", facts.length, 2);
    const drops = metrics.filter(m => /^(drops|losses)_by_cause\./.test(m.name)).reduce((all, m) => all + m.value, 0);
    holds("what was dropped", drops === 0 ? facts[0] === "Nothing was dropped or lost." : /^(Dropped|Lost|Dropped or lost): most with /.test(facts[0]), facts[0]);
    shows("the longest queue", /^Fullest port: .+, where up to ([\d.]+ \S+) queued/.exec(facts[1])?.[1] ?? "", most);
    const order = await page.$$eval("p.verdict, p.facts, #explore, #explore ~ .grid", all => all.map(e => e.className || e.id));
    same("the verdict, facts, what can be chosen, figures", order.slice(0, 5).join(), "verdict,facts,facts,explore,grid");
    for (const once of ["Fullest port:", "Fullest link:", facts[0]])
        holds(`said once: ${once}`, (await page.evaluate(() => document.querySelector("main").innerText)).split(once).length <= 2);
}

/* Two sets with one number are both best, whichever is first; the ports of two equal queues both come first. */
export async function reportOfTies(context, weir, work) {
    const made = make(weir, work, "ties", false), runs = made.runs.map(r => r.id), db = join(work, "ties.db"), html = join(work, "ties.html");
    const set = (name, values) => runs.map((run, i) => `UPDATE metric SET value = ${values[i]} WHERE run = ${run} AND name = '${name}';`).join("");
    const port = (run, place) => `UPDATE point SET value = 9e6 WHERE series = (SELECT id FROM series WHERE name = 'port_queue' AND run = ${run} AND place = '${place}') AND t_ps = 1.5e8;`;
    const places = [...new Set(made.table("series").filter(p => p.name === "port_queue" && p.run === runs[0]).map(p => p.place))];
    execFileSync("python3", ["-c", "import sqlite3, sys\nsqlite3.connect(sys.argv[1]).executescript(sys.argv[2])", db,
                             set("slowdown.all.p99", [4, 3.5, 3.5, 9]) + set("goodput_gbps", [30, 50, 20, 50]) + port(runs[1], places[1]) + port(runs[2], places[0])]);
    execFileSync(weir, ["report", db, "--interactive", "-o", html], { ...quiet, env: { PATH: "/nowhere" } });
    const page = await open(context, pathToFileURL(html).href);
    await page.selectOption("#over", "");
    for (const [metric, best, last] of [["slowdown.all.p99", "dctcp, 60%; sird, 30%", "sird, 60%"], ["goodput_gbps", "sird, 30%; sird, 60%", "dctcp, 60%"]]) {
        await page.selectOption("#metric", metric);
        const rows = await page.$$eval("#chosen .row", all => all.map(r => [r.dataset.label, r.classList.contains("best"), getComputedStyle(r.querySelector(".number")).fontWeight >= 600]));
        same(`${metric}: both are best`, rows.filter(r => r[1]).map(r => r[0]).sort().join("; "), best);
        same(`${metric}: in bold, and no other`, rows.filter(r => r[2]).map(r => r[0]).sort().join("; "), best);
        same(`${metric}: they come first`, rows.slice(0, 2).map(r => r[0]).sort().join("; "), best);
        same(`${metric}: and the worst last`, rows.at(-1)[0], last);
    }
    await page.click("#table-ports summary");
    const ports = await page.$$eval(".ports-table tbody tr", all => all.map(r => [r.cells[0].textContent, r.cells[1].textContent, Number(r.cells[3].dataset.value)]));
    same("two fullest ports", ports.filter(p => p[2] === 9e6).length, 2);
    same("come first, in the order of their sets", ports.slice(0, 2).map(p => p.slice(0, 2).join(" of ")).join("; "), `${places[0]} of dctcp, 60%; ${places[1]} of sird, 30%`);
    await page.close();
}

export async function reportValues(context, weir, work) {
    const made = make(weir, work, "values", false), page = await open(context, made.address);
    await barsAreTheNumbersOfTheFile(page, made);
    await aCurveIsTheHistogram(page, made);
    await lawsAreLeftOut(page);
    await tablesAreSortedAndFiltered(page, made);
    await answersStandOnce(page, made);
    await page.close();
}

/* On paper and without JavaScript there are the drawings of the static page; what a script adds is not there. */
export async function reportWithoutScript(browser, weir, work) {
    const made = make(weir, work, "paper", true), address = made.address;
    for (const javaScriptEnabled of [true, false]) {
        const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1280, height: 900 } }), page = await context.newPage();
        await page.goto(address);
        await page.emulateMedia({ media: javaScriptEnabled ? "print" : "screen" });
        holds("there are drawings", await page.locator("figure svg.plot").first().isVisible());
        same("and no choices", await page.locator("#explore").filter({ visible: true }).count(), 0);
        same("and no charts", await page.locator(".zoom").filter({ visible: true }).count(), 0);
        await context.close();
    }
}

/* A run that failed has no numbers: the page says so. */
export async function reportOfNothing(context, weir, work) {
    const scenario = join(work, "net.yaml"), db = join(work, "none.db"), html = join(work, "none.html");
    writeFileSync(scenario, NET);
    execFileSync(weir, ["run", scenario, "-o", db], quiet);
    execFileSync("python3", ["-c", "import sqlite3, sys\nd = sqlite3.connect(sys.argv[1])\nd.executescript(\"UPDATE run SET status = 'failed'; \" + ''.join(f'DELETE FROM {t};' for t in "
        + "('metric', 'histogram', 'by_size', 'message', 'point', 'series')))", db]);
    execFileSync(weir, ["report", db, "--interactive", "-o", html], quiet);
    const page = await open(context, pathToFileURL(html).href);
    holds("nothing to draw is said", (await page.textContent("#nothing")).startsWith("There is nothing to draw"));
    await page.close();
}

/* What has to be done before all of a page can be looked at. */
export async function wholeReport(page) {
    for (const part of await page.$$("#explore details summary"))
        await part.click();
    await page.evaluate(async () => {
        for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
            scrollTo(0, y);
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        }
        scrollTo(0, 0);
    });
}

export const reportPage = (weir, work) => make(weir, work, "layout", true).address;
