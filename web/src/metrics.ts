/* Which numbers an interactive report offers, and which values a set of runs has. */
import type { Data, Metric, Spread, WeirSet } from "./data";
import { numberOf, type Unit } from "./units";

export const CLASSES = ["all", "A", "B", "C", "D"];
/* What one asks for first, in this order; the first that the runs have is shown at first. */
const MAIN = ["job_completion_us.mean", "slowdown.all.p99", "slowdown.all.p50", "completion_us.all.p99", "goodput_gbps", "tor_queue_bytes.p99", "port_queue_bytes.max",
              "drops", "losses", "marks", "retransmissions", "unfinished.messages"];

export type Choice = { value: string; title: string; main: boolean };

const grouped = /^(.+)\.all(\.|$)/;

/* Returns the name of a number for a class of messages: "slowdown.all.p99" of class B is "slowdown.B.p99". */
export function ofClass(name: string, group: string): string {
    return name.replace(grouped, `$1.${group}$2`);
}

export function hasClasses(name: string): boolean {
    return grouped.test(name);
}

const capital = (title: string): string => /^p\d/.test(title) ? title : title.charAt(0).toUpperCase() + title.slice(1);

/* Returns the title of a number; with its name where another number has the same one. */
export function titleOf(data: Data, metric: Metric): string {
    return capital(metric.title) + (data.metrics.some(m => m !== metric && m.title === metric.title) ? ` (${metric.name})` : "");
}

/* Returns what can be chosen: of numbers by class the one of all messages. */
export function choices(data: Data): Choice[] {
    const there = data.metrics.filter(m => !/\.[ABCD](\.|$)/.test(m.name));
    const main = MAIN.flatMap(name => there.filter(m => m.name === name));
    const rest = there.filter(m => !main.includes(m)).sort((a, b) => a.title.localeCompare(b.title));
    return [...main, ...rest].map(m => ({ value: m.name, title: titleOf(data, m), main: main.includes(m) }));
}

export function metricIndex(data: Data, name: string): number {
    return data.metrics.findIndex(m => m.name === name);
}

export function spreadOf(set: WeirSet, index: number): Spread {
    return index < 0 ? null : set.spread[index] ?? null;
}

/* Returns the values of the runs of a set, null where a run has none. */
export function valuesOf(data: Data, set: WeirSet, index: number): (number | null)[] {
    return data.runs.slice(set.first, set.first + set.count).map(r => index < 0 ? null : r.values[index] ?? null);
}

/* Returns what is to be said of the runs of a set: "in doubt", "in doubt in 1 of 3"; "" = nothing. */
export function noteOf(data: Data, set: WeirSet): string {
    const notes = data.runs.slice(set.first, set.first + set.count).flatMap(r => r.note === null ? [] : [r.note]);
    return notes.length === 0 ? "" : notes[0]! + (notes.length < set.count ? ` in ${notes.length} of ${set.count}` : "");
}

export type Scale = { unit: Unit; numbers: Map<string, number> | null }; /* null = the values are names */

const UNIT_OF: [RegExp, Unit][] = [[/%$/, "share"], [/[KMGT]?i?B$/, "bytes"], [/\d\s*(ps|ns|us|ms|s)$/, "ps"], [/[GMT]bps$/, "gbps"], [/\d$/, "ratio"]];

/* Returns how values of a setting stand on an axis: as numbers if all are in one unit, else by name. */
export function scaleOf(values: string[]): Scale {
    const units = new Set(values.map(v => UNIT_OF.find(([end]) => end.test(v))?.[1]));
    const numbers = new Map(values.map(v => [v, numberOf(v)]));
    const unit = [...units][0];
    return units.size === 1 && unit !== undefined && [...numbers.values()].every(Number.isFinite) ? { unit, numbers } : { unit: "count", numbers: null };
}
