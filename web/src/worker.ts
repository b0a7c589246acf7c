/* The thread in which the simulator runs, so that the page stays live. A job ends with the answer, or by terminate(). */
import { Engine, OutOfMemory, type Description, type Frame, type Laws, type Progress, type Refusal, type Result } from "./engine";

export type Job = { number: number; kind: "check" | "run" | "laws"; scenario: string; law: string };
export type Begin = { module: WebAssembly.Module; files: [string, Uint8Array][] };
export type Answer = { number: number } & (
    | { kind: "laws"; laws: Laws } | { kind: "ready"; description: Description } | { kind: "refused"; refusal: Refusal }
    | { kind: "frames"; frames: [Frame, number][]; progress: Progress | null } | { kind: "done"; result: Result; memoryBytes: number }
    | { kind: "failed"; text: string });

const FRAMES_AT_ONCE = 20;
let begun: Promise<Engine>;
const post = (answer: Answer): void => (self as unknown as Worker).postMessage(answer);

function run(engine: Engine, number: number): void {
    let frames: [Frame, number][] = [], last: Progress | null = null;
    const send = (): void => {
        post({ number, kind: "frames", frames, progress: last });
        frames = [];
    };
    const answer = engine.run(
        (frame, everyPs) => {
            if (frames.push([frame, everyPs]) >= FRAMES_AT_ONCE)
                send();
        },
        progress => {
            last = progress;
            send();
        });
    send();
    if ("ok" in answer)
        post({ number, kind: "done", result: answer.ok, memoryBytes: engine.memoryBytes() });
    else
        post({ number, kind: "refused", refusal: answer.refused });
}

function work(engine: Engine, job: Job): void {
    const { number } = job;
    if (job.kind === "laws")
        return post({ number, kind: "laws", laws: engine.laws() });
    const opened = engine.open(job.scenario, job.law);
    if ("refused" in opened)
        return post({ number, kind: "refused", refusal: opened.refused });
    post({ number, kind: "ready", description: opened.ok });
    if (job.kind === "run")
        run(engine, number);
}

self.onmessage = (event: MessageEvent<Begin | Job>): void => {
    const message = event.data;
    if ("module" in message) {
        begun = Engine.start(message.module, new Map(message.files), line => console.warn(line));
        return;
    }
    begun.then(engine => work(engine, message)).catch((error: unknown) => {
        const text = error instanceof OutOfMemory ? error.message : `The simulator stopped: ${String(error)}. This is a bug in Weir.`;
        post({ number: message.number, kind: "failed", text });
    });
};
