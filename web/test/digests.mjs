/* Runs scenarios in the module, as the page's thread does, and compares their digests. Usage: node digests.mjs ENGINE.mjs WEIR.wasm DIGEST=FILE.yaml ..
 * Each line: the digest, the seconds of the run, the memory in bytes, and the file. Exit status: 0 all equal, 1 not. */
import { readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const [engineFile, moduleFile, ...tasks] = process.argv.slice(2);
const { Engine } = await import(engineFile);
const module = await WebAssembly.compile(readFileSync(moduleFile));
let wrong = 0;

for (const task of tasks) {
    const [wanted, file] = task.split("=");
    const folder = dirname(file), files = new Map(readdirSync(folder, { withFileTypes: true }).filter(f => f.isFile()).map(f => [f.name, readFileSync(join(folder, f.name))]));
    const engine = await Engine.start(module, files, line => console.error(`${basename(file)}: ${line}`));
    const opened = engine.open(readFileSync(file, "utf8"), "");
    let frames = 0, said = "refused: " + opened.refused?.text;
    if (opened.ok !== undefined) {
        const began = process.cpuUsage(), answer = engine.run(() => frames++, () => {});
        const used = process.cpuUsage(began);
        said = answer.ok !== undefined ? answer.ok.json.digest : "failed: " + answer.refused.text;
        console.log(`${said} ${((used.user + used.system) / 1e6).toFixed(3)} ${engine.memoryBytes()} ${opened.ok.need_bytes} ${basename(file)}`);
    } else {
        console.log(`${said} ${basename(file)}`);
    }
    if (said !== wanted && wanted !== "") {
        console.log(`${basename(file)}: in the module ${said}, digests.txt says ${wanted}`);
        wrong++;
    }
    if (opened.ok !== undefined && frames === 0) {
        console.log(`${basename(file)}: no frame came`);
        wrong++;
    }
}
console.log(`${tasks.length} scenarios, ${wrong} differences`);
process.exit(wrong === 0 && tasks.length > 0 ? 0 : 1);
