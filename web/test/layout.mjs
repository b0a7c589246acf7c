/* What is measured of a page's text by its DOM: nothing cut, nothing over other text, contrast of 4.5 and more. Runs in the page. */
export function layoutFaults() {
    const faults = [], seen = el => { const r = el.getBoundingClientRect(); return r.width > 0 && r.height > 0 && el.checkVisibility({ visibilityProperty: true }); };
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth)
        faults.push(`the page is ${root.scrollWidth} px wide, the window ${innerWidth}`);
    const leaves = [...document.body.querySelectorAll("*")].filter(el => !["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "TEXTAREA", "CANVAS"].includes(el.tagName) && seen(el) &&
        [...el.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim() !== ""));
    const name = el => `${el.tagName.toLowerCase()} "${el.textContent.trim().slice(0, 40)}"`;
    const scrolls = el => { for (let at = el; at !== null && at !== document.body; at = at.parentElement) if (["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return at; return null; };
    const boxes = [];
    for (const el of leaves) {
        const style = getComputedStyle(el), own = scrolls(el);
        if (own === null && el.scrollWidth > el.clientWidth + 1 && style.display !== "inline" && style.overflowX !== "visible")
            faults.push(`cut: ${name(el)}`);
        for (const node of el.childNodes) {
            if (node.nodeType !== Node.TEXT_NODE || node.data.trim() === "")
                continue;
            const range = document.createRange();
            range.selectNodeContents(node);
            for (const r of range.getClientRects()) {
                if (r.width === 0)
                    continue;
                if (own === null && (r.left < -0.5 || r.right > innerWidth + 0.5))
                    faults.push(`outside of the window: ${name(el)}`);
                if (own === null)
                    boxes.push({ el, r });
            }
        }
        const ratio = contrast(el);
        if (ratio < 4.5)
            faults.push(`contrast ${ratio.toFixed(2)}: ${name(el)}`);
    }
    for (let i = 0; i < boxes.length; i++)
        for (let k = i + 1; k < boxes.length; k++) {
            const a = boxes[i], b = boxes[k];
            const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
            if (a.el !== b.el && w > 1 && h > Math.min(a.r.height, b.r.height) / 3)
                faults.push(`overlap: ${name(a.el)} and ${name(b.el)}`);
        }
    return { faults: [...new Set(faults)], leaves: leaves.length };

    function channels(text) {
        const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    }
    function background(el) {
        for (let at = el; at !== null; at = at.parentElement) {
            const c = channels(getComputedStyle(at).backgroundColor);
            if (c[3] === 255)
                return c;
        }
        return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 255] : [255, 255, 255, 255];
    }
    function luminance(c) {
        const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }
    function contrast(el) {
        if (el.disabled)
            return 21;
        const [a, b] = [luminance(channels(getComputedStyle(el)[el instanceof SVGElement ? "fill" : "color"])), luminance(background(el))].sort((p, q) => q - p);
        return (a + 0.05) / (b + 0.05);
    }
}
