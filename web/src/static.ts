/* Makes the figures and tables of the static page interactive. On paper the static ones remain. */
import type { Figure } from "./data";
import { element } from "./format";
import { makeSortable } from "./table";
import { Zoom } from "./zoom";

function draw(script: HTMLScriptElement): void {
    const figure = script.previousElementSibling, of = JSON.parse(script.textContent ?? "") as Figure;
    if (figure === null || figure.tagName !== "FIGURE")
        return;
    let x: number[] = []; /* a curve without is over that of the one before */
    const curves = of.curves.map(c => ({ ...c, x: x = c.x ?? x })).filter(c => c.y.length > 0);
    if (curves.length === 0)
        return;
    const zoom = new Zoom({ title: of.title, x: of.x, y: of.y, curves, marks: of.kind === "marks", bandOfX: of.kind === "cdf" || of.kind === "tail", shadeTo: of.shade });
    figure.classList.add("has-zoom");
    figure.querySelector("h4")?.after(zoom.node);
    const left = [of.thinned ? "Drawn with fewer points than there are." : "", of.left_out > 0 ? `Another ${of.left_out} are not drawn.` : ""].join(" ").trim();
    if (left !== "")
        zoom.node.append(element("p", { class: "hint" }, left));
}

/* Draws figures as they come into view: a page may have a hundred. */
export function animate(): void {
    const scripts = new Map([...document.querySelectorAll<HTMLScriptElement>("script.figure-data")].map(s => [s.previousElementSibling!, s]));
    const watch = new IntersectionObserver(entries => entries.forEach(entry => {
        const script = scripts.get(entry.target);
        if (!entry.isIntersecting || script === undefined)
            return;
        watch.unobserve(entry.target);
        draw(script);
    }), { rootMargin: "400px" });
    scripts.forEach((_, figure) => watch.observe(figure));
    document.querySelectorAll<HTMLTableElement>("main section > .scroll > table, main details > .scroll > table").forEach(makeSortable);
}
