/* The memory of `weir run --live` while its browser is stopped. */
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { holds, same } from "./checks.mjs";
import { openLive, start, until } from "./live.mjs";

const MORE_MOST_KB = 512; /* of a run that is four times as long */
const peak = pid => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);

/* Returns the peak of a run of so many microseconds, KB, whose browser takes some frames and is then stopped. */
async function stopped(program, weir, work, us) {
    const run = await start(weir, work, "net.yaml", "--set", `run.measure=${us} us`);
    const server = await chromium.launchServer({ executablePath: program, args: ["--no-sandbox"] }), pid = server.process().pid; /* all its processes are a group */
    try {
        const browser = await chromium.connect(server.wsEndpoint()), page = await openLive(await browser.newContext(), run.address);
        await page.selectOption("#pace", "0");
        await page.click("#play");
        await until(page, 100000000);
        process.kill(-pid, "SIGSTOP");
        const ask = async () => (await fetch(`${run.address}do`, { method: "POST", body: "cut nothing" })).text();
        let answer = await ask();
        while (answer !== "The run is over.") /* each answer takes weir between two steps */
            answer = await ask();
        const found = peak(run.pid), { status } = await run.end();
        same("status of a run whose browser was stopped", status, 0);
        return found;
    } finally {
        process.kill(-pid, "SIGCONT");
        await server.kill();
    }
}

export async function memoryIsBounded(program, weir, work) {
    const short = await stopped(program, weir, work, 20000), long = await stopped(program, weir, work, 80000);
    console.log(`memory of weir run --live with a stopped browser: ${short} KB in 20 ms, ${long} KB in 80 ms`);
    holds("four times the run takes no more memory", long <= short + MORE_MOST_KB, `${short} KB, ${long} KB`);
}
