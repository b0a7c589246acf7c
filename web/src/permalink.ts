/* The scenario and the laws in the fragment of the address: nothing is sent to a server. */

export type Shared = { scenario: string; a: string; b: string; files: Record<string, string> };

const PREFIX = "#w1=";
const MOST_BYTES = 1 << 20; /* of what a fragment unpacks to */

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
    const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as TransformStream<Uint8Array, Uint8Array>).getReader();
    const parts: Uint8Array[] = [];
    let sum = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            break;
        sum += value.length;
        if (sum > MOST_BYTES)
            throw new Error("too long");
        parts.push(value);
    }
    return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

export async function fragmentOf(shared: Shared): Promise<string> {
    const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
    let text = "";
    bytes.forEach(byte => text += String.fromCharCode(byte));
    return PREFIX + btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

const isText = (value: unknown): value is string => typeof value === "string";

/* Returns what a fragment holds; null = there is no fragment; undefined = it is not one of this page. */
export async function sharedIn(fragment: string): Promise<Shared | null | undefined> {
    if (fragment === "" || fragment === "#")
        return null;
    if (!fragment.startsWith(PREFIX))
        return undefined;
    try {
        const text = atob(fragment.slice(PREFIX.length).replace(/-/g, "+").replace(/_/g, "/"));
        const bytes = Uint8Array.from(text, letter => letter.charCodeAt(0));
        const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw"))));
        const good = isText(value.scenario) && isText(value.a) && isText(value.b) && typeof value.files === "object" && value.files !== null &&
            Object.values(value.files).every(isText);
        return good ? { scenario: value.scenario, a: value.a, b: value.b, files: value.files } : undefined;
    } catch {
        return undefined;
    }
}
