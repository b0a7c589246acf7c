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
