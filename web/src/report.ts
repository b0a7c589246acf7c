/* Makes a static report interactive: curves, tables, and the part in which one chooses. */
import { pageData } from "./data";
import { Explorer } from "./explore";
import { animate } from "./static";

/* Returns what the part in which one chooses is to follow: the verdict, or what was published next to it. */
function behindPublished(verdict: Element): Element {
    const reasons = verdict.nextElementSibling, last = reasons?.matches("ul.reasons") === true ? reasons : verdict;
    const heading = last.nextElementSibling, grid = heading?.nextElementSibling, others = grid?.nextElementSibling;
    if (heading?.tagName !== "H3" || !heading.textContent!.startsWith("Published") || grid?.classList.contains("grid") !== true)
        return last;
    return others?.matches("details.readings") === true ? others : grid;
}

function begin(): void {
    const style = document.getElementById("weir-style") as HTMLTemplateElement, main = document.querySelector("main")!;
    document.head.append(style.content.cloneNode(true));
    const data = pageData(), verdicts = [...main.querySelectorAll("section > p.verdict, section > .verdict")];
    const explorer = new Explorer(data), sections = main.querySelectorAll("section[id^=g]"), last = verdicts.at(-1);
    if (sections.length === 1 && last !== undefined)
        behindPublished(last).after(explorer.node);
    else
        main.prepend(explorer.node);
    animate();
    document.body.dataset["ready"] = "yes";
}

begin();
