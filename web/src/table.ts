/* Tables that one can sort and filter. */
import { element } from "./format";
import { numberOf } from "./units";

export type Column<T> = { title: string; text: (row: T) => string; value?: (row: T) => number | null; left?: boolean };

const ROWS_SHOWN = 50;
const arrows: Record<string, string> = { ascending: " ▲", descending: " ▼", none: "" };

function compare(a: number | string | null, b: number | string | null): number {
    if (typeof a === "number" && typeof b === "number")
        return a - b;
    return typeof a === "string" && typeof b === "string" ? a.localeCompare(b, "en", { numeric: true }) : 0;
}

/* Sorts by keys; what has none comes last in both directions. */
export function sorted<T>(rows: T[], key: (row: T) => number | string | null, down: boolean): T[] {
    const there = rows.filter(r => key(r) !== null), none = rows.filter(r => key(r) === null);
    return [...there.sort((a, b) => (down ? -1 : 1) * compare(key(a), key(b))), ...none];
}

function csvCell(text: string): string {
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/* Makes the heading of a column a button that sorts by it. */
function sortButton(cell: HTMLElement, title: string, sort: (down: boolean) => void): void {
    const button = element("button", { type: "button", class: "sort" }, title), arrow = element("span", { "aria-hidden": "true" });
    button.append(arrow);
    cell.replaceChildren(button);
    cell.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
        const down = cell.getAttribute("aria-sort") === "ascending" || (cell.getAttribute("aria-sort") === "none" && cell.dataset["first"] === "down");
        cell.parentElement!.querySelectorAll<HTMLElement>("[aria-sort]").forEach(other => {
            other.setAttribute("aria-sort", "none");
            other.querySelector("button.sort span")!.textContent = "";
        });
        cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        arrow.textContent = arrows[cell.getAttribute("aria-sort")!]!;
        sort(down);
    });
}

export class SortTable<T> {
    readonly node: HTMLElement;
    private readonly body = element("tbody");
    private readonly filter = element("input", { type: "search", "aria-label": "Only rows with", placeholder: "only rows with ..", spellcheck: "false" });
    private readonly said = element("span", { class: "rows-said", role: "status" });
    private readonly more = element("button", { type: "button", class: "small", hidden: "" });
    private shown = ROWS_SHOWN;

    constructor(private rows: T[], private readonly columns: Column<T>[], name: string) {
        const head = element("tr"), csv = element("button", { type: "button", class: "small" }, "CSV");
        columns.forEach(column => {
            const cell = element("th", column.left === true ? { scope: "col", class: "left" } : { scope: "col" });
            if (column.value !== undefined)
                cell.dataset["first"] = "down"; /* of numbers one looks for the greatest */
            sortButton(cell, column.title, down => this.sort(column, down));
            head.append(cell);
        });
        this.filter.addEventListener("input", () => { this.shown = ROWS_SHOWN; this.fill(); });
        this.more.addEventListener("click", () => { this.shown = Infinity; this.fill(); });
        csv.addEventListener("click", () => this.save(`${name}.csv`));
        this.node = element("div", { class: "sortable" }, element("div", { class: "bar" }, this.filter, this.said, csv),
            element("div", { class: "scroll" }, element("table", { class: name }, element("thead", {}, head), this.body)), this.more);
        this.fill();
    }

    private matching(): T[] {
        const wanted = this.filter.value.toLowerCase().split(/\s+/).filter(w => w !== "");
        return this.rows.filter(row => {
            const line = this.columns.map(c => c.text(row)).join(" ").toLowerCase();
            return wanted.every(w => line.includes(w));
        });
    }

    private sort(column: Column<T>, down: boolean): void {
        this.rows = sorted(this.rows, row => column.value !== undefined ? column.value(row) : column.text(row), down);
        this.fill();
    }

    private fill(): void {
        const rows = this.matching();
        this.body.replaceChildren(...rows.slice(0, this.shown).map(row => element("tr", {}, ...this.columns.map((column, i) => {
            const cell = element(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : column.left === true ? { class: "left" } : {}, column.text(row));
            const value = column.value?.(row);
            if (value !== undefined && value !== null)
                cell.dataset["value"] = String(value);
            return cell;
        }))));
        this.said.textContent = rows.length === this.rows.length ? `${rows.length} rows` : `${rows.length} of ${this.rows.length} rows`;
        this.more.hidden = rows.length <= this.shown;
        this.more.textContent = `Show all ${rows.length}`;
    }

    private save(name: string): void {
        const lines = [this.columns.map(c => c.title), ...this.matching().map(row => this.columns.map(c => {
            const value = c.value?.(row);
            return value === undefined ? c.text(row) : value === null ? "" : String(value);
        }))];
        const url = URL.createObjectURL(new Blob([lines.map(l => l.map(csvCell).join(",")).join("\n") + "\n"], { type: "text/csv" }));
        element("a", { href: url, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(url), 10000);
    }
}

/* Makes a table of the static page sortable, if its rows are of one kind. */
export function makeSortable(table: HTMLTableElement): void {
    const body = table.tBodies[0], head = table.tHead?.rows[0];
    if (body === undefined || head === undefined || table.tHead!.rows.length !== 1 || body.rows.length < 4 || [...head.cells].some(c => c.colSpan > 1))
        return;
    [...head.cells].forEach((cell, i) => {
        const title = cell.textContent ?? "";
        sortButton(cell, title === "" ? "Name" : title, down => {
            const key = (row: HTMLTableRowElement): number | string | null => {
                const found = row.cells[i]?.textContent ?? "", value = numberOf(found);
                return found === "" || found === "–" ? null : Number.isNaN(value) || /^\d*[a-f][\da-f]{6}/.test(found) ? found : value;
            };
            body.append(...sorted([...body.rows], key, down));
        });
    });
}
