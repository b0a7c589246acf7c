/* Counts what holds and what does not. */
let checks = 0, failures = 0;

export function holds(what, condition, more = "") {
    checks++;
    if (!condition) {
        failures++;
        console.log(`not ok: ${what} ${more}`);
    }
}

export function same(what, found, wanted) {
    holds(what, found === wanted, `: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/* The number that a text shows, and half a unit of its last digit. */
function shown(text) {
    const units = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, ps: 1, ns: 1e3, "µs": 1e6, ms: 1e9, s: 1e12, "%": 0.01 };
    const [, digits, power, unit] = /^([\d.,]+)(e[-+]?\d+)?(?: (\S+))?$/.exec(text) ?? [, "NaN"], one = (units[unit] ?? 1) * Number(`1${power ?? ""}`);
    return [Number(digits.replaceAll(",", "")) * one, 0.5001 * one * 10 ** -(digits.split(".")[1]?.length ?? 0)];
}

/* Compares a number on the screen with the exact one, to the digits that are shown. */
export function shows(what, text, exact) {
    if (exact === null || exact === undefined)
        return same(what, text, "–");
    const [value, half] = shown(text);
    holds(what, Math.abs(value - exact) <= Math.max(half, 5.1e-4 * Math.abs(exact)), `: ${text}, not ${exact}`);
}

/* Opens a page that may ask no address and say nothing on the console, and waits until its script is done. */
export async function open(context, address) {
    const page = await context.newPage();
    page.on("console", message => holds("nothing on the console", message.type() !== "error", message.text()));
    page.on("pageerror", error => holds("no error in the page", false, String(error)));
    page.on("request", request => holds("no request leaves the page", /^(file|blob|data):/.test(request.url()), request.url()));
    await page.goto(address);
    await page.waitForSelector("body[data-ready=yes]");
    return page;
}

/* Prints the counts; returns the exit status. */
export function summary(shots) {
    console.log(`${checks} checks, ${failures} failures; screenshots in ${shots}`);
    return failures === 0 ? 0 : 1;
}
