/* Makes a static report interactive: curves, tables, and the part in which one chooses. */
import { pageData } from "./data";
import { Explorer } from "./explore";
import { animate } from "./static";

/* Returns what the part in which one chooses is to follow: what stands below the verdict in sentences, or what was published. */
function behindAnswers(verdict: Element): Element {
    let last = verdict;
    while (last.nextElementSibling?.matches("ul.reasons, p.facts") === true)
        last = last.nextElementSibling;
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
        behindAnswers(last).after(explorer.node);
    else
        main.prepend(explorer.node);
    animate();
    document.body.dataset["ready"] = "yes";
}

begin();
