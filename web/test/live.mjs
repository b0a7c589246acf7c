/* Runs of `weir run --live`, and their pages in Chromium. */
import { spawn } from "node:child_process";
import { holds } from "./checks.mjs";

export const WAIT_MS = 60000; /* only what hangs is ended */

const started = []; /* a run that waits for a page would outlive a test that failed */
process.on("exit", () => started.forEach(child => child.kill("SIGKILL")));

/* Starts a run; gives its address. A build without libmicrohttpd has none. */
export async function start(weir, work, file, ...more) {
    const child = spawn(weir, ["run", file, "--live", "--json", ...more], { cwd: work, stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    const address = await new Promise((resolve, reject) => {
        let said = "";
        child.on("exit", () => /without libmicrohttpd/.test(said) ? resolve(null) : reject(new Error(said)));
        child.stderr.on("data", text => { said += text; const found = /http:\S+(?=;)/.exec(said); if (found) resolve(found[0]); });
    });
    let out = "";
    child.stdout.on("data", text => { out += text; });
    const end = () => new Promise(resolve => { child.on("close", status => resolve({ status, json: JSON.parse(out) })); child.kill("SIGINT"); });
    return { address, end, pid: child.pid };
}

export async function openLive(context, address) {
    const page = await context.newPage();
    page.on("console", message => holds("nothing on the console", message.type() !== "error" || /400/.test(message.text()), message.text()));
    page.on("pageerror", error => holds("no error in the page", false, String(error)));
    page.on("request", request => holds("requests go to weir alone", request.url().startsWith(address) || request.url().startsWith("data:"), request.url()));
    await page.goto(address);
    await page.waitForSelector("body[data-ready]", { timeout: WAIT_MS });
    return page;
}

export const at = page => page.evaluate(() => Number(document.body.dataset.at));
export const until = (page, ps) => page.waitForFunction(ps => Number(document.body.dataset.at) >= ps, ps, { timeout: WAIT_MS });
export const text = (page, id) => page.textContent(`#${id}`);

/* Simulates one step of so many picoseconds; returns when the page shows its frame. */
export async function step(page, ps) {
    const before = await at(page);
    if (ps !== undefined)
        await page.evaluate(ps => fetch("do", { method: "POST", body: `speed ${ps}` }), ps);
    await page.click("#step");
    await page.waitForFunction(ps => Number(document.body.dataset.at) > ps, before, { timeout: WAIT_MS });
}
