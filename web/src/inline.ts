/* What stands in the page besides its code: the module, the thread's code, examples, and the scenarios that `weir playground` was given. */

export type Example = { name: string; title: string; about: string; text: string; files: Record<string, string>; digest: string | null };

function inline(id: string): string {
    return document.getElementById(id)?.textContent ?? "";
}

let all: Example[] | null = null;

/* Returns the scenarios of `weir playground`, and then the examples. */
export function examples(): Example[] {
    if (all === null) {
        const given = JSON.parse(inline("weir-data") || "null") as { scenarios?: { name: string; text: string; files: Record<string, string> }[] } | null;
        const own = (given?.scenarios ?? []).map((s): Example => ({ name: `given:${s.name}`, title: s.name, about: "", text: s.text, files: s.files, digest: null }));
        all = [...own, ...JSON.parse(inline("weir-examples")) as Example[]];
    }
    return all;
}


export function example(name: string): Example | undefined {
    return examples().find(e => e.name === name);
}

export function workerSource(): string {
    return inline("weir-worker");
}

export function bytesOf(text: string): Uint8Array {
    return new TextEncoder().encode(text);
}

/* Unpacks the module: gzip in base 64. */
export async function moduleBytes(): Promise<Uint8Array> {
    const packed = Uint8Array.from(atob(inline("weir-module").trim()), letter => letter.charCodeAt(0));
    return new Uint8Array(await new Response(new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
