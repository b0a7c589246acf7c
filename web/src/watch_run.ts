/* What weir run --live says of a run, and its frames, of which a bounded number is kept. */

export type About = {
    name: string; protocol: string; version: string; hosts: number; warmup_ps: number; end_ps: number | null; step_ps: number; can_cut: boolean; can_weigh: boolean;
    jobs: { name: string; flows: number }[]; nodes: { name: string; tier: number }[]; links: { name: string; src: number; dst: number; rate_gbps: number }[];
};

/* As the server sends it: numbers of one kind follow each other. */
type Sent = {
    state: "paused" | "running" | "over"; frame: number; at_ps: number; since_ps: number; completed: number; ports: number[]; paused: number[]; down: number[];
    ended: number[]; left_out: number; open: number[]; slowdown: number[]; jobs: number[]; law?: number[];
};

export const QUEUE = 0, USED = 1, MARKS = 2, LOST = 3, PORT_NUMBERS = 4;

export type Message = { host: number; number: number; dst: number; bytes: number; startPs: number; endPs: number | null; slowdown: number | null };
export type Frame = { atPs: number; ports: Float32Array; paused: number[]; down: number[]; open: Message[]; completed: number; slowdown: number[]; jobs: number[] };
export type LawPoint = { atPs: number; cwnd: number; rate: number; sent: number; acked: number };

const FRAMES_MOST = 400, MESSAGES_MOST = 2000, POINTS_MOST = 2000;

/* Splits numbers into rows. */
function rows(numbers: number[], width: number): number[][] {
    const all: number[][] = [];
    for (let i = 0; i + width <= numbers.length; i += width)
        all.push(numbers.slice(i, i + width));
    return all;
}

export class Run {
    readonly frames: Frame[] = [];
    readonly ended: Message[] = [];
    readonly law: LawPoint[] = [];
    state: Sent["state"] = "paused";
    watched: { host: number; number: number } | null = null;
    leftOut = 0;
    private every = 1; /* of the frames that come, one is kept */
    private came = 0;

    constructor(readonly about: About) {}

    get newest(): Frame | undefined {
        return this.frames[this.frames.length - 1];
    }

    /* Adds a frame. The newest is always kept; of older ones every second goes once there are too many. */
    add(sent: Sent): void {
        const frame: Frame = {
            atPs: sent.at_ps, ports: Float32Array.from(sent.ports), paused: sent.paused, down: sent.down, completed: sent.completed, slowdown: sent.slowdown, jobs: sent.jobs,
            open: rows(sent.open, 5).map(([host, number, dst, bytes, startPs]) => ({ host: host!, number: number!, dst: dst!, bytes: bytes!, startPs: startPs!, endPs: null, slowdown: null })),
        };
        this.state = sent.state;
        if (this.came % this.every !== 0 || this.newest?.atPs === frame.atPs)
            this.frames.pop();
        this.came++;
        this.frames.push(frame);
        if (this.frames.length > FRAMES_MOST) {
            this.frames.splice(0, this.frames.length, ...this.frames.filter((_f, i) => i % 2 === 0));
            this.every *= 2;
        }
        this.leftOut += sent.left_out;
        for (const [host, number, dst, bytes, startPs, endPs, ppm] of rows(sent.ended, 7))
            this.ended.push({ host: host!, number: number!, dst: dst!, bytes: bytes!, startPs: startPs!, endPs: endPs!, slowdown: ppm! / 1e6 });
        this.ended.splice(0, Math.max(0, this.ended.length - MESSAGES_MOST));
        this.addLaw(sent);
    }

    private addLaw(sent: Sent): void {
        if (sent.law === undefined || this.watched === null || sent.law[0] !== this.watched.host || sent.law[1] !== this.watched.number)
            return;
        this.law.push({ atPs: sent.at_ps, cwnd: sent.law[2]!, rate: sent.law[3]!, sent: sent.law[4]!, acked: sent.law[5]! });
        if (this.law.length > POINTS_MOST)
            this.law.splice(0, this.law.length, ...this.law.filter((_p, i) => i % 2 === 0));
    }

    watch(host: number, number: number): void {
        this.watched = { host, number };
        this.law.length = 0;
    }
}
