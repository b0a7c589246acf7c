/* Opens pages of `weir playground` and `weir report --interactive` in Chromium. Usage: node browser.mjs CHROMIUM WEIR FOLDER [one]: WEIR finds the page by itself; screenshots
 * go to FOLDER/shots. Exit status: 0 all as it has to be, 1 not. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { holds, open, same, shows, summary } from "./checks.mjs";
import { layoutFaults } from "./layout.mjs";
import { questionsOfPlayground, questionsOfReport } from "./questions.mjs";
import { reportOfNothing, reportOfTies, reportPage, reportValues, reportWithoutScript, wholeReport } from "./report.mjs";

const [program, weir, folder, only] = process.argv.slice(2); /* only: "one" = one test of each sort of page */
const examples = join(dirname(fileURLToPath(import.meta.url)), "..", "examples"), shots = join(folder, "shots"), work = mkdtempSync(join(tmpdir(), "weir-web-"));
mkdirSync(shots, { recursive: true });
const WAIT_MS = 120000; /* for a run: only what hangs is ended */
const native = (file, ...more) => JSON.parse(execFileSync(weir, ["run", file, "--json", ...more], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));

async function run(page) {
    await page.click("#run");
    await page.waitForSelector("#verdict", { timeout: WAIT_MS });
}

/* The JSON of each run, as a user downloads it. */
async function downloads(page) {
    const all = [];
    for (const link of await page.$$(".downloads a[download$='.json']")) {
        const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
        all.push(JSON.parse(readFileSync(await download.path(), "utf8")));
    }
    return all;
}

async function numbersAreThoseOfTheJson(page) {
    const json = await downloads(page);
    const rows = await page.$$eval("table.numbers tbody tr", all => all.map(r => [r.dataset.path, ...[...r.querySelectorAll("td")].map(c => c.textContent)]));
    holds("the table has numbers", rows.length > 8 && json.length > 0);
    for (const [path, ...cells] of rows)
        cells.forEach((text, i) => shows(`${path} of run ${i}`, text, path.split(".").reduce((at, key) => at?.[key], json[i])));
    return json;
}

async function layouts(browser, address, name, prepare, opened = open) {
    for (const colorScheme of ["light", "dark"])
        for (const width of [1280, 390]) {
            const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } }), page = await opened(context, address);
            await prepare(page);
            const { faults, leaves } = await page.evaluate(layoutFaults);
            holds(`${name}, ${width} px, ${colorScheme}: text`, faults.length === 0 && leaves > 8, `of ${leaves}\n  ${faults.slice(0, 12).join("\n  ")}`);
            await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
            await context.close();
        }
}

async function aRun(context, address) {
    const page = await open(context, address);
    await run(page);
    const [json] = await numbersAreThoseOfTheJson(page);
    same("the digest on the screen", await page.textContent(".digest"), json.digest);
    same("the digest of weir run", json.digest, native(join(examples, "sird-incast.yaml")).digest);
    holds("it is the published one", (await page.textContent(".digests")).includes("equal to the published one"));
    await page.selectOption("#law-b", "dctcp");
    await run(page);
    const both = await numbersAreThoseOfTheJson(page);
    same("two laws", both.map(j => j.protocol).join(), "sird,dctcp");
    const [a, b] = both.map(j => j.slowdown.all.p99);
    holds("the sentence names the better law", (await page.textContent("#verdict")).startsWith(`${a < b ? "sird" : "dctcp"} has the lower`));
    await page.close();
}

/* The queue of each port is that of `weir run`: of 12 hosts a result file has them all. */
async function theMap(context, address) {
    const page = await open(context, address), db = join(work, "fncc.db"), file = join(examples, "fncc-join.yaml");
    await page.selectOption("#example", "fncc-join");
    await run(page);
    native(file, "--series", "1.25us", "-o", db);
    const exported = JSON.parse(execFileSync(weir, ["export", db, "--table", "series", "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28 })).rows;
    for (const number of [80, 100, 200, 399]) {
        const atPs = await page.evaluate(n => {
            const slider = document.querySelector("#instant");
            slider.value = String(n);
            slider.dispatchEvent(new Event("input"));
            return Number(document.querySelector("#clock").dataset.ps);
        }, number);
        const queues = exported.filter(r => r.name === "port_queue" && Number(r.t_ps) === atPs).map(r => [r.place, Number(r.value)]);
        const most = Math.max(0, ...queues.map(q => q[1]));
        holds(`the series has port queues at ${atPs} ps`, queues.length === 28, String(queues.length));
        const said = await page.$eval(".said[data-bytes]", el => [Number(el.dataset.bytes), el.textContent]);
        same(`the longest queue at ${atPs} ps`, said[0], Math.fround(most));
        if (most > 0)
            holds("the port that has it", queues.some(([place, queue]) => queue === most && said[1].includes(place)), said[1]);
    }
    await page.close();
}

async function aLink(context, address) {
    const page = await open(context, address);
    const text = `${await page.inputValue("#scenario")}# mine\n`.replace("seed: 1", "seed: 7");
    await page.fill("#scenario", text);
    await page.selectOption("#law-b", "dctcp");
    await run(page);
    const digests = await page.$$eval(".digest", all => all.map(d => d.textContent));
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#w1="));
    const other = await open(context, page.url());
    same("the scenario of a link", await other.inputValue("#scenario"), text);
    await run(other);
    writeFileSync(join(work, "mine.yaml"), text);
    same("the digest of weir run", digests[0], native(join(work, "mine.yaml")).digest);
    same("the digests of a link", (await other.$$eval(".digest", all => all.map(d => d.textContent))).join(), digests.join());
    for (const bad of ["#w1=AAAA", "#w2=x", page.url().slice(page.url().indexOf("#"), -9)]) {
        const third = await open(context, address + bad);
        holds(`a bad link ${bad.slice(0, 8)}`, (await third.textContent("#said")).startsWith("This address holds no scenario"));
        await third.close();
    }
    await other.close();
    await page.close();
}

/* Sentences are those of the command. */
async function refusals(context, address) {
    const page = await open(context, address), text = await page.inputValue("#scenario");
    for (const [from, to] of [["sird", "sirt"], ["32", "x"], ["seed: 1", "sed: 1"], ["load: 40%", "load: 4 %%"]]) {
        const bad = text.replace(from, to), file = join(work, "scenario");
        writeFileSync(file, bad);
        const said = spawnSync(weir, ["run", file], { encoding: "utf8" }).stderr.trim().split("\n");
        await page.fill("#scenario", bad);
        await page.waitForSelector("#refusal");
        const [, line, column, sentence] = /scenario:(\d+):(\d+): (.*)$/.exec(said[0]);
        same("the refusal", await page.textContent("#refusal"), sentence);
        same("its place", await page.textContent(".where"), `line ${line}, column ${column}`);
        if (said.length > 1)
            same("its hint", await page.textContent("#hint"), ` (${said[1].trim()})`);
        await page.fill("#scenario", text);
        await page.waitForSelector("#refusal", { state: "detached" });
    }
    await page.fill("#scenario", text.replace("measure: 2 ms", "measure: 2 s"));
    await page.click("#run");
    await page.waitForFunction(() => Number(document.querySelector("#progress").value) > 0, null, { timeout: WAIT_MS });
    await page.click("#cancel");
    same("cancel", await page.textContent("#said"), "Cancelled.");
    await page.fill("#scenario", "topology: {kind: fat-tree, k: 96}\nprotocol: dctcp\ntraffic: [{kind: poisson, sizes: 20 KB, load: 50%}]\nrun: {warmup: 0 us, measure: 1 ms}\n");
    await page.click("#run");
    await page.waitForFunction(() => /needs about/.test(document.querySelector("#said").textContent), null, { timeout: WAIT_MS });
    await page.close();
}

/* Figures of more laws than one drawing has use all of the page: three drawings stand next to each other. */
async function manyLaws() {
    const db = join(work, "many.db"), html = join(work, "many.html"), laws = ["dctcp", "hpcc", "fncc", "swift", "timely", "rocc", "cubic", "newreno", "sird"];
    writeFileSync(join(work, "many.yaml"), "name: many\ntopology: {kind: star, hosts: 8, host_link: 100 Gbps, host_delay: 1 us}\nprotocol: dctcp\n" +
        "traffic: [{kind: poisson, sizes: 20 KB, load: 40%}]\nrun: {warmup: 20 us, measure: 100 us}\n");
    execFileSync(weir, ["compare", join(work, "many.yaml"), "--protocols", laws.join(), "--seeds", "1", "-o", db, "--report", html], { stdio: "ignore" });
    await layouts(browser, pathToFileURL(html).href, "many-laws", async page => {
        const parts = await page.$$eval("figure.wide", all => all.map(f => [...f.querySelectorAll("svg.plot")].map(s => Math.round(s.getBoundingClientRect().top))));
        const wide = page.viewportSize().width === 1280, rows = parts.map(tops => new Set(tops).size), drawings = parts.map(tops => tops.length);
        holds("there are figures of three drawings", drawings.length > 2 && Math.max(...drawings) === 3, drawings.join());
        same("rows of drawings", rows.join(), drawings.map(n => wide ? 1 : n).join());
    }, async (context, file) => {
        const page = await context.newPage(); /* without a script */
        await page.goto(file);
        return page;
    });
}

async function withoutJavaScript(browser, address) {
    const context = await browser.newContext({ javaScriptEnabled: false }), page = await context.newPage();
    await page.goto(address);
    holds("without JavaScript there is a sentence", await page.getByText("This page needs JavaScript").isVisible());
    await context.close();
}

const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--allow-file-access-from-files"] });
try {
    const html = join(work, "playground.html"), address = pathToFileURL(html).href;
    execFileSync(weir, ["playground", "-o", html], { stdio: "ignore" });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    for (const test of only === "one" ? [aRun] : [aRun, theMap, aLink, refusals])
        await test(context, address);
    await reportValues(context, weir, work);
    if (only !== "one") {
        await questionsOfPlayground(context, weir, work, address);
        await questionsOfReport(context, weir, work);
        await reportWithoutScript(browser, weir, work);
        await reportOfNothing(context, weir, work);
        await reportOfTies(context, weir, work);
        await everyLayout(address);
        await manyLaws();
        await layouts(browser, reportPage(weir, work), "report", wholeReport);
    }
} finally {
    await browser.close();
    rmSync(work, { recursive: true, force: true });
}

async function everyLayout(address) {
    await withoutJavaScript(browser, address);
    await layouts(browser, address, "start", async () => {});
    await layouts(browser, address, "two-laws", async page => {
        await page.selectOption("#law-b", "dctcp");
        await run(page);
        for (const part of await page.$$("details summary"))
            await part.click();
    });
    await layouts(browser, address, "refused", async page => {
        await page.fill("#scenario", "protocol: dctpc\n");
        await page.waitForSelector("#refusal");
    });
}

process.exit(summary(shots));
