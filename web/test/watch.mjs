/* Opens pages of `weir run --live` in Chromium. Usage: node watch.mjs CHROMIUM WEIR FOLDER [one]: screenshots go to FOLDER/shots. Exit status:
 * 0 all as it has to be, 1 not. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { holds, same, summary } from "./checks.mjs";
import { layoutFaults } from "./layout.mjs";
import { at, openLive, start, text, until, WAIT_MS } from "./live.mjs";
import { memoryIsBounded } from "./memory.mjs";
import { questionsOfLive } from "./questions.mjs";

const [program, weir, folder, only] = process.argv.slice(2); /* only: "one" = one page, in one size */
const shots = join(folder, "shots"), work = mkdtempSync(join(tmpdir(), "weir-watch-"));
mkdirSync(shots, { recursive: true });
const SCENARIO = `name: Two racks and a copy
topology: {kind: leaf-spine, hosts: 16, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us}
protocol: soze
traffic: [{kind: poisson, sizes: wkc, load: 60%}, {kind: incast, to: 3, fan_in: 7, size: 300 KB, period: 100 us}, {kind: jobs, file: jobs.yaml}]
run: {warmup: 50 us, measure: 550 us}
`;
const JOBS = "jobs: [{name: copy, flows: [{name: a, from: 0, to: 9, size: 4 MB}, {name: b, from: 1, to: 9, size: 2 MB, after: [a]}]}]\n";
writeFileSync(join(work, "net.yaml"), SCENARIO);
writeFileSync(join(work, "jobs.yaml"), JOBS);
const digest = (...more) => JSON.parse(execFileSync(weir, ["run", "net.yaml", "--json", ...more], { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })).digest;

const begin = (...more) => start(weir, work, "net.yaml", ...more);

/* The longest queue of a frame is the one that a cell shows with the strongest colour. */
async function mapIsTrue(page) {
    const found = await page.evaluate(() => {
        const cells = [...document.querySelectorAll(".map button")], heat = c => parseInt(c.style.getPropertyValue("--heat"), 10) || 0;
        return { most: document.getElementById("most").textContent, link: document.getElementById("most").dataset.link, strongest: Math.max(...cells.map(heat)), own: heat(cells.find(c => c.dataset.link === document.getElementById("most").dataset.link)), cells: cells.length };
    });
    same("a cell for each port", found.cells, 2 * (16 + 4));
    same("the port that is named has the strongest colour", found.own, found.strongest);
    holds("it is named with its queue", /^Most: .+ > .+, [\d.]+ [KM]?B\./.test(found.most), found.most);
}

/* Cuts a cable, mends it, weighs a message, scrubs, runs to the end; the timeline repeats it. */
async function drive(browser, options, name) {
    const run = await begin("--write-timeline", "done.txt"), context = await browser.newContext(options), page = await openLive(context, run.address);
    same("it waits", await page.getAttribute("body", "data-state"), "paused");
    same("at the beginning", await at(page), 0);
    await page.click("#step");
    await until(page, 1);
    same("a step", await at(page), 1500000);
    await page.selectOption("#speed", "15000000");
    await page.click("#play");
    await until(page, 150000000);
    await page.click("#play");
    await page.waitForSelector("body[data-state=paused]");
    await mapIsTrue(page);
    const other = await context.newPage();
    await other.goto(run.address);
    await other.waitForSelector("#said.bad");
    holds("a second tab", /another tab/.test(await other.textContent("#said")));
    await other.close();
    await page.selectOption("#part", "leaf 0 - spine 1");
    await page.click("#cut");
    await page.waitForSelector("#done li");
    holds("the cut is listed", /^[\d.]+ us cut leaf 0 - spine 1$/.test(await text(page, "done")), await text(page, "done"));
    await page.click("#messages li button");
    await page.waitForSelector("#law-of:not([hidden])");
    const host = await page.getAttribute("#messages li", "data-host"), own = await page.getAttribute("#messages li", "data-number");
    holds("the law of the message that was clicked", (await text(page, "law-said")).startsWith(`Message ${own} of host ${host} `));
    await page.selectOption("#weight", "4");
    await page.click("#weigh");
    await page.waitForSelector("#done li:nth-child(2)");
    await page.selectOption("#speed", "1500000");
    const before = await at(page);
    for (let i = 0; i < 4; i++) {
        await page.click("#step");
        await page.waitForFunction(ps => Number(document.body.dataset.at) > ps, await at(page), { timeout: WAIT_MS });
    }
    holds("cables are down", / 1 cable is down \(striped\)\./.test(await text(page, "most")), await text(page, "most"));
    same("cells are striped", await page.locator(".map button.down").count(), 2);
    await page.screenshot({ path: join(shots, `watch-cut-${name}.png`), fullPage: true });
    await page.click("#mend");
    await page.waitForSelector("#done li:nth-child(3)");
    await page.fill("#scrub", "3");
    await page.waitForFunction(ps => Number(document.body.dataset.at) < ps, before, { timeout: WAIT_MS });
    await page.click("#newest");
    const { faults } = await page.evaluate(layoutFaults);
    same(`layout, ${name}`, faults.join("; "), "");
    await page.selectOption("#pace", "0");
    await page.click("#play");
    await page.waitForSelector("body[data-ready=over]", { timeout: WAIT_MS });
    const shown = await text(page, "digest-value"), list = await page.$$eval("#done li", all => all.map(l => l.textContent));
    await page.screenshot({ path: join(shots, `watch-end-${name}.png`), fullPage: true });
    const { faults: later } = await page.evaluate(layoutFaults);
    same(`layout at the end, ${name}`, later.join("; "), "");
    const { status, json } = await run.end();
    same("status", status, 0);
    same("the digest on the screen", shown, json.digest);
    holds("messages on the screen", (await text(page, "counted")).startsWith(`${json.messages_completed} messages`), await text(page, "counted"));
    same("the timeline has what was done", readFileSync(join(work, "done.txt"), "utf8").trim().split("\n").sort().join(), list.sort().join());
    same("and repeats it", digest("--timeline", "done.txt"), json.digest);
    await page.waitForSelector("#said.bad"); /* weir is gone */
    await context.close();
}

/* Left alone, the run is that of weir run; also when its browser is closed while it goes on. */
async function leave(browser) {
    const run = await begin(), context = await browser.newContext(), page = await openLive(context, run.address);
    await page.reload();
    await page.waitForSelector("body[data-ready]", { timeout: WAIT_MS });
    await page.selectOption("#pace", "0");
    await page.click("#play");
    await page.waitForSelector("body[data-ready=over]", { timeout: WAIT_MS });
    same("the plain digest", await text(page, "digest-value"), digest());
    await context.close();
    same("status", (await run.end()).status, 0);
}

const first = await begin("--set", "run.measure=1 us");
if (first.address === null) {
    console.log("watch: this weir was built without libmicrohttpd: left out");
    process.exit(0);
}
await first.end();
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
try {
    await drive(browser, { viewport: { width: 1280, height: 900 }, colorScheme: "light" }, "1280-light");
    await questionsOfLive(browser, weir, work);
    if (only !== "one") {
        await drive(browser, { viewport: { width: 390, height: 900 }, colorScheme: "dark" }, "390-dark");
        await drive(browser, { viewport: { width: 390, height: 900 }, colorScheme: "light" }, "390-light");
        await drive(browser, { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }, "1280-dark");
        await leave(browser);
        await memoryIsBounded(program, weir, work);
    }
} finally {
    await browser.close();
    rmSync(work, { recursive: true });
}
process.exit(summary(shots));
