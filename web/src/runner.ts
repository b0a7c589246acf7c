/* Jobs for the simulator's threads, and their answers. Cancel ends the thread, so that memory is free again. */
import type { Description, Laws, Progress, Refusal, Result } from "./engine";
import { Frames } from "./frames";
import type { Answer, Job } from "./worker";

export type Run = { description: Description; frames: Frames; result: Result; memoryBytes: number };
export type Outcome = { kind: "done"; run: Run } | { kind: "refused"; refusal: Refusal } | { kind: "failed"; text: string } | { kind: "cancelled" };
export type Watch = { ready?: (description: Description) => string | null; progress?: (p: Progress) => void };

export class Simulator {
    private number = 0;
    private readonly busy = new Set<() => void>();

    constructor(private readonly module: WebAssembly.Module, private readonly source: string, public files: Map<string, Uint8Array>) {}

    private worker(): Worker {
        const address = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
        const worker = new Worker(address);
        URL.revokeObjectURL(address);
        worker.postMessage({ module: this.module, files: [...this.files] });
        return worker;
    }

    /* Gives a job to a thread of its own. take: gets each answer; true = the job is over */
    private job(job: Omit<Job, "number">, take: (answer: Answer) => boolean, cancelled: () => void): void {
        const worker = this.worker();
        const end = (): void => {
            worker.terminate();
            this.busy.delete(cancel);
        };
        const cancel = (): void => {
            end();
            cancelled();
        };
        this.busy.add(cancel);
        worker.onmessage = (event: MessageEvent<Answer>) => {
            if (take(event.data))
                end();
        };
        worker.onerror = event => {
            take({ number: 0, kind: "failed", text: `The simulator stopped: ${event.message}.` });
            end();
        };
        worker.postMessage({ ...job, number: ++this.number });
    }

    laws(): Promise<Laws> {
        return new Promise((resolve, reject) => this.job({ kind: "laws", scenario: "", law: "" }, answer => {
            if (answer.kind === "laws")
                resolve(answer.laws);
            else
                reject(new Error("no laws"));
            return true;
        }, () => reject(new Error("cancelled"))));
    }

    /* Reads a scenario as `weir run` does before it runs. */
    check(scenario: string, law: string): Promise<Description | Refusal | null> {
        return new Promise(resolve => this.job({ kind: "check", scenario, law }, answer => {
            resolve(answer.kind === "ready" ? answer.description : answer.kind === "refused" ? answer.refusal : null);
            return true;
        }, () => resolve(null)));
    }

    /* Runs a scenario. watch.ready may return a sentence why it is not run after all. */
    run(scenario: string, law: string, watch: Watch): Promise<Outcome> {
        return new Promise(resolve => {
            const frames = new Frames();
            let description: Description;
            this.job({ kind: "run", scenario, law }, answer => {
                switch (answer.kind) {
                case "ready": {
                    description = answer.description;
                    const objection = watch.ready?.(description) ?? null;
                    if (objection !== null)
                        resolve({ kind: "failed", text: objection });
                    return objection !== null;
                }
                case "frames":
                    answer.frames.forEach(([frame, everyPs]) => frames.add(frame, everyPs));
                    if (answer.progress !== null)
                        watch.progress?.(answer.progress);
                    return false;
                case "done":
                    resolve({ kind: "done", run: { description, frames, result: answer.result, memoryBytes: answer.memoryBytes } });
                    return true;
                case "refused":
                    resolve({ kind: "refused", refusal: answer.refusal });
                    return true;
                case "failed":
                    resolve({ kind: "failed", text: answer.text });
                    return true;
                default:
                    return false;
                }
            }, () => resolve({ kind: "cancelled" }));
        });
    }

    cancel(): void {
        [...this.busy].forEach(cancel => cancel());
    }
}
