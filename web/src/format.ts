/* Numbers and times as text. */

/* Returns a number with three significant digits, and whole numbers below 10,000 as they are. */
export function number(value: number | null | undefined): string {
    if (value === null || value === undefined || Number.isNaN(value))
        return "–";
    if (Number.isInteger(value) && Math.abs(value) < 10000)
        return String(value);
    const magnitude = Math.abs(value);
    if (magnitude >= 1e15 || (magnitude < 1e-3 && magnitude > 0))
        return value.toExponential(2);
    if (magnitude >= 1000)
        return Math.round(value).toLocaleString("en-US");
    return value.toPrecision(3);
}

const BYTES: [number, string][] = [[1e9, "GB"], [1e6, "MB"], [1e3, "KB"]];

/* Returns bytes with three significant digits and a unit of thousands. */
export function bytes(value: number | null | undefined): string {
    if (value === null || value === undefined)
        return "–";
    for (const [one, unit] of BYTES)
        if (value >= one)
            return `${(value / one).toPrecision(3)} ${unit}`;
    return `${Math.round(value)} B`;
}

/* Returns a time of the simulation in the unit in which `all`, the whole run, is from 1 to 1000. */
export function time(ps: number, all: number): string {
    if (all >= 1e12)
        return `${(ps / 1e12).toFixed(4)} s`;
    return all >= 1e9 ? `${(ps / 1e9).toFixed(3)} ms` : `${(ps / 1e6).toFixed(2)} us`;
}

/* Returns an element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    made.append(...children);
    return made;
}

/* Returns the element with an id, which the page has. */
export function byId<T extends HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (found === null)
        throw new Error(`the page has no #${id}`);
    return found as T;
}
