/* The module as a program for node, of which `weir bisect --wasm` asks what it asks of another build of weir. Usage:
 *     node weir-node.mjs MODULE run FILE [--progress WHEN] [--seed N] [--set KEY=VALUE].. [--digest-until 'N ps' [--digest-packet ID]]
 * MODULE: weir.wasm, or a page of `weir playground`. Prints what `weir run` does with --digest-until, else the digest of the run.
 * Exit status: 0 done, 2 refused, 3 failed. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { gunzipSync } from "node:zlib";
import { Engine, OutOfMemory } from "./engine";

class Refused extends Error {}

/* The module in a page of `weir playground`; inline.ts reads it there. */
const IN_PAGE = /<script type="text\/plain" id="weir-module">([A-Za-z0-9+/=]*)<\/script>/;
const MAGIC = "\0asm";

function read(name) {
    try {
        return readFileSync(name);
    } catch (error) {
        throw new Refused(`${name}: cannot be read: ${error.message}`);
    }
}

function bytesOf(name) {
    const bytes = read(name);
    if (bytes.toString("latin1", 0, MAGIC.length) === MAGIC)
        return bytes;
    const packed = IN_PAGE.exec(bytes.toString("latin1"));
    if (packed === null)
        throw new Refused("it is neither a module of WebAssembly nor a page with one");
    return gunzipSync(Buffer.from(packed[1], "base64"));
}

async function compile(name) {
    const bytes = bytesOf(name);
    let module;
    setFlagsFromString("--wasm-tiering-budget=180000000"); /* a hundredfold: else optimising what runs for 0.1 s takes most of the time */
    try {
        module = await WebAssembly.compile(bytes);
    } catch (error) {
        throw new Refused(`the module is damaged, or node is too old for it: ${error.message}`);
    }
    const has = WebAssembly.Module.exports(module).map(e => e.name);
    if (!has.includes("weir_open"))
        throw new Refused("it is a module of another program");
    if (!has.includes("weir_packets"))
        throw new Refused("--digest-until: the module has no such call");
    return module;
}

/* { file, set, until: BigInt or null, packet } of the arguments behind MODULE */
function parse(args) {
    const asked = { file: args[1], set: [], until: null, packet: "" };
    if (args[0] !== "run" || args.length < 2 || args.length % 2 !== 0)
        throw new Refused("usage: node weir-node.mjs MODULE run FILE [--seed N] [--set KEY=VALUE].. [--digest-until 'N ps' [--digest-packet ID]]");
    for (let i = 2; i < args.length; i += 2) {
        const [option, value] = [args[i], args[i + 1]];
        if (option === "--set")
            asked.set.push(value);
        else if (option === "--seed")
            asked.set.push(`run.seed=${value}`);
        else if (option === "--digest-until" && /^[0-9]{1,19} ps$/.test(value))
            asked.until = BigInt(value.slice(0, -3));
        else if (option === "--digest-packet")
            asked.packet = value;
        else if (option !== "--progress")
            throw new Refused(`${option} ${value}: the module cannot do that`);
    }
    return asked;
}

/* The sentence as `weir run` prints it: with the place in the file, which the module knows as `scenario`. */
function sentence(refused, file) {
    const place = [refused.file === "scenario" ? file : refused.file || "weir", refused.line, refused.column];
    return `${place.filter(part => part).join(":")}: ${refused.text}`;
}

/* The answer of a call of the module. */
function result(answer, file) {
    if (answer.refused !== undefined)
        throw new Refused(sentence(answer.refused, file));
    return answer.ok;
}

/* Files of a scenario: names begin at its folder. */
const folder = file => ({
    get: name => {
        for (const at of [join(dirname(file), name), "/" + name]) /* the module's paths have no slash at their begin */
            try {
                return readFileSync(at);
            } catch { /* the next one; at the end the module says that there is no such file */ }
        return undefined;
    },
});

async function main(moduleFile, ...args) {
    const { file, set, until, packet } = parse(args);
    const scenario = read(file), engine = await Engine.start(await compile(moduleFile), folder(file), line => console.error(line));
    result(engine.open(scenario, "", set), file);
    if (until !== null)
        process.stdout.write(result(engine.packets(until, packet), file));
    else
        console.log(`digest         ${result(engine.run(() => {}, () => {}), file).json.digest}`);
}

try {
    await main(...process.argv.slice(2));
} catch (error) {
    console.error(error instanceof OutOfMemory ? "weir: the module may have 4 GiB of memory, and this scenario needs more"
                  : error instanceof Refused ? error.message : `weir: the module stopped: ${error}`);
    process.exitCode = error instanceof Refused ? 2 : 3;
}
