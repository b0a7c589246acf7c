/* Makes a static report interactive: curves, tables, and the part in which one chooses. */
import { pageData } from "./data";
import { Explorer } from "./explore";
import { animate } from "./static";

function begin(): void {
    const style = document.getElementById("weir-style") as HTMLTemplateElement, main = document.querySelector("main")!;
    document.head.append(style.content.cloneNode(true));
    const data = pageData(), verdicts = [...main.querySelectorAll("section > p.verdict, section > .verdict")];
    const explorer = new Explorer(data), sections = main.querySelectorAll("section[id^=g]"), last = verdicts.at(-1);
    if (sections.length === 1 && last !== undefined)
        last.after(explorer.node);
    else
        main.prepend(explorer.node);
    animate();
    document.body.dataset["ready"] = "yes";
}

begin();
