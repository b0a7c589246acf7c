/* The simulator's module as a class: src/commands/web/platform.wasm.c has the functions. An engine has one simulation at a time. */
import { Wasi, type Files } from "./wasi";

export type Refusal = { file: string; line: number; column: number; text: string; hint: string };
export type Node = { name: string; tier: number };
export type Link = { name: string; src: number; dst: number; rate_gbps: number };
export type Description = {
    name: string; protocol: string; preset: string | null; topology: string; hosts: number; switches: number; warmup_ps: number;
    end_ps: number | null; packet_hops: number; need_bytes: number; warnings: string[]; variants: string[]; nodes: Node[]; links: Link[];
};
/* A frame: the network at an instant; src/commands/web/module.h */
export type Frame = {
    atPs: number; arrivedBytes: number; marks: number; drops: number; retransmissions: number; unfinishedBytes: number; torQueueBytes: number;
    portQueueBytes: number; queues: Float32Array; /* of each link, bytes */
};
export type Progress = { nowPs: number; endPs: number | null; hops: number; started: number; completed: number };
export type BySize = { lo_bytes: number; hi_bytes: number; count: number; p50: number; p99: number };
export type Slowdown = { distribution?: [number, number][]; by_size?: BySize[] };
export type Law = { name: string; hint: string; light: string; dark: string; dash: string };
export type Laws = { version: string; commit: string; laws: Law[] };
export type Result = { json: Record<string, any>; text: string; links: string; slowdown: Slowdown };

export const NO_MEMORY = "The memory of this page is not enough for this scenario: make it smaller, or run it with weir run.";

export class OutOfMemory extends Error {}

type Exports = {
    memory: WebAssembly.Memory; _initialize(): void; weir_take(size: number): number; weir_give(at: number): void; weir_text(): number;
    weir_text_length(): number; weir_open(text: number, length: number, law: number, set: number, setCount: number): number;
    weir_run(): number; weir_packets(untilPs: bigint, packet: number): number; weir_links(): void;
    weir_slowdown(): void; weir_laws(): void;
};
const FIRST_LINK = 9; /* WEIR_WEB_FIRST_LINK */

export class Engine {
    private constructor(private readonly module: Exports, private readonly on: { frame: (frame: Frame, everyPs: number) => void; progress: (p: Progress) => void }) {}

    /* Starts a module. files: what scenarios may name. print: gets lines of standard error */
    static async start(module: WebAssembly.Module, files: Files, print: (line: string) => void): Promise<Engine> {
        const wasi = new Wasi(files, print);
        const on = { frame: (_frame: Frame, _everyPs: number): void => {}, progress: (_p: Progress): void => {} };
        const instance = await WebAssembly.instantiate(module, {
            wasi_snapshot_preview1: wasi.imports(WebAssembly.Module.imports(module)),
            weir: {
                frame: (at: number, count: number) => {
                    const v = new Float64Array(wasi.memory.buffer, at, count);
                    on.frame({ atPs: v[0]!, arrivedBytes: v[2]!, marks: v[3]!, drops: v[4]!, retransmissions: v[5]!, unfinishedBytes: v[6]!,
                               torQueueBytes: v[7]!, portQueueBytes: v[8]!, queues: Float32Array.from(v.subarray(FIRST_LINK)) }, v[1]!);
                },
                progress: (nowPs: number, endPs: number, hops: number, started: number, completed: number) =>
                    on.progress({ nowPs, endPs: endPs < 0 ? null : endPs, hops, started, completed }),
                out_of_memory: () => {
                    throw new OutOfMemory(NO_MEMORY);
                },
            },
        });
        const exports = instance.exports as unknown as Exports;
        wasi.memory = exports.memory;
        exports._initialize();
        return new Engine(exports, on);
    }

    private text(): string {
        const at = this.module.weir_text();
        return new TextDecoder().decode(new Uint8Array(this.module.memory.buffer, at, this.module.weir_text_length()));
    }

    private give(text: string | Uint8Array): { at: number; length: number } {
        const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text, at = this.module.weir_take(bytes.length + 1);
        if (at === 0)
            throw new OutOfMemory(NO_MEMORY);
        new Uint8Array(this.module.memory.buffer, at, bytes.length).set(bytes);
        new Uint8Array(this.module.memory.buffer)[at + bytes.length] = 0;
        return { at, length: bytes.length };
    }

    /* Opens a scenario under a law, "" = as it is written. set: "key=value", as of `weir run --set`; with a law there are none */
    open(scenario: string | Uint8Array, law: string, set: string[] = []): { ok: Description } | { refused: Refusal } {
        const text = this.give(scenario), name = this.give(law), settings = this.give(set.map(one => one + "\0").join(""));
        const code = this.module.weir_open(text.at, text.length, name.at, settings.at, set.length);
        [text, name, settings].forEach(given => this.module.weir_give(given.at));
        const answer = JSON.parse(this.text());
        return code === 0 ? { ok: answer } : { refused: answer };
    }

    /* Runs what is open. frame: is called with each frame and the interval from then on */
    run(frame: (frame: Frame, everyPs: number) => void, progress: (p: Progress) => void): { ok: Result } | { refused: Refusal } {
        Object.assign(this.on, { frame, progress });
        if (this.module.weir_run() !== 0)
            return { refused: JSON.parse(this.text()) };
        const text = this.text();
        this.module.weir_links();
        const links = this.text();
        this.module.weir_slowdown();
        return { ok: { json: JSON.parse(text), text, links, slowdown: JSON.parse(this.text()) } };
    }

    /* Runs what is open until a time, and returns what `weir run --digest-until` prints. packet: "" = of the packets at that time */
    packets(untilPs: bigint, packet: string): { ok: string } | { refused: Refusal } {
        const id = this.give(packet), code = this.module.weir_packets(untilPs, id.at);
        this.module.weir_give(id.at);
        return code === 0 ? { ok: this.text() } : { refused: JSON.parse(this.text()) };
    }

    laws(): Laws {
        this.module.weir_laws();
        return JSON.parse(this.text());
    }

    memoryBytes(): number {
        return this.module.memory.buffer.byteLength;
    }
}
