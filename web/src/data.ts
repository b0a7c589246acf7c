/* The data of an interactive report: src/results/report/page_data.h and figure_data.h make it. */
import type { Unit } from "./units";

export type Style = { light: string; dark: string; dash: string };
export type Metric = { name: string; title: string; unit: Unit; better: "least" | "greatest" | null; needs_stable: boolean };
export type Spread = [number, number?] | null; /* mean, and half of the width of its 95 % interval */
export type WeirSet = Style & { part: number; first: number; count: number; label: string; protocol: string; law: Style; spread: Spread[]; slowdown?: { x: number[]; y: number[]; low?: number[]; high?: number[] } };
export type RunRow = { seed: string | null; status: string; verdict: string | null; note: string | null; why: string | null; digest: string | null; file: string; id: number; keys: (string | null)[]; groups: (string | null)[]; values: (number | null)[] };
/* bytes, slowdown, for how many messages it stands, source, destination, item of traffic, start in ps */
export type Message = [number, number, number, number, number, number, number];
export type Port = [string, number, number, number]; /* name, mean and longest queue, when it was the longest */
export type Data = {
    parts: string[]; metrics: Metric[]; sets: WeirSet[]; runs: RunRow[]; messages: { run: number; messages: number; rows: Message[] }[];
    ports: { run: number; rows: Port[] }[]; keys: string[]; left_out: string[];
};
export type Axis = { title: string; unit: Unit; log: boolean; floor: number };
export type Figure = { title: string; kind: "lines" | "marks" | "cdf" | "tail"; x: Axis; y: Axis; shade: number; thinned: boolean; left_out: number;
                       curves: (Style & { label: string; note: string | null; x?: number[]; y: number[]; low?: number[]; high?: number[]; values?: number[]; doubt?: number[] })[] };

const UNITS: Record<string, Unit> = { Gbps: "gbps", "GB/s": "gbytes_per_s", "/s": "per_s" };

/* Returns the data of the page. */
export function pageData(): Data {
    const data = JSON.parse(document.getElementById("weir-data")?.textContent ?? "null") as Data;
    data.metrics.forEach(m => { m.unit = UNITS[m.unit] ?? m.unit; });
    return data;
}
