/* The frames of a run. The interval between them may double while the run goes on: then every second one is dropped. */
import type { Frame } from "./engine";

export class Frames {
    list: Frame[] = [];
    private everyPs = 0;

    add(frame: Frame, everyPs: number): void {
        if (everyPs !== this.everyPs && this.everyPs !== 0)
            this.list = this.list.filter(f => f.atPs % everyPs === 0);
        this.everyPs = everyPs;
        this.list.push(frame);
    }

    /* Returns the last frame at or before an instant, or the first one. */
    at(ps: number): Frame | undefined {
        let low = 0, high = this.list.length;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (this.list[middle]!.atPs <= ps)
                low = middle;
            else
                high = middle;
        }
        return this.list[low];
    }
}
