/** The elements of one branch of a block: each ends in the branch that it begins in. */

import type { Tag } from "../language/tags.ts";
import { CONDITIONAL, type ElementEvent } from "./html-places.ts";

/** Elements that have no end. */
const VOID = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(
    " ",
  ),
);

/** They end by themselves where the next one begins. MJML writes such cells with a slash. */
const CELLS = new Set(["td", "th"]);

const FOREIGN = new Set(["svg", "math"]);

export class BranchElements {
  /** What is open, as all clients read it, and what Outlook alone reads. */
  #open: ElementEvent[] = [];
  #openInOutlook: ElementEvent[] = [];
  #isBroken = false;
  /** SVG and MathML that are open: in them a slash ends an element. */
  #foreign = 0;

  /** Takes the branch's next element. Says what is wrong with it, of a branch once. */
  note(event: ElementEvent, isOutlooks: boolean): string | undefined {
    const { element } = event;
    if (this.#isBroken || VOID.has(element)) return undefined;
    if (event.kind === "void" && (this.#foreign > 0 || hasOwnEnd(element))) return undefined;
    const open = isOutlooks ? this.#openInOutlook : this.#open;
    if (event.kind !== "close") {
      open.push(event);
      if (FOREIGN.has(element)) this.#foreign++;
      return undefined;
    }
    if (open.at(-1)?.element === element) {
      open.pop();
      if (FOREIGN.has(element)) this.#foreign--;
      return undefined;
    }
    this.#isBroken = true;
    const why = element === "mj-raw" ? "mj-raw is not needed around a block's tags" : WHOLE;
    return `${shown(event)} closes nothing that is open in this part of the block: ${why}`;
  }

  /** Ends the branch at a tag and begins the next one. Says what it leaves open. */
  end({ name }: Tag): { start: number; message: string } | undefined {
    const unclosed = this.#open[0] ?? this.#openInOutlook[0];
    const isBroken = this.#isBroken;
    this.#open = [];
    this.#openInOutlook = [];
    this.#isBroken = false;
    this.#foreign = 0;
    if (isBroken || unclosed === undefined) return undefined;
    const message = `${shown(unclosed)} is not closed before {% ${name} %}: ${WHOLE}`;
    return { start: unclosed.start, message };
  }
}

const WHOLE = "a block holds text or whole elements, each with its end";

/** Whether a slash in front of the `>` ends an element. To HTML itself it means nothing. */
function hasOwnEnd(element: string): boolean {
  return element.startsWith("mj-") || element.includes(":") || CELLS.has(element);
}

function shown({ kind, element }: ElementEvent): string {
  if (element === CONDITIONAL) return kind === "close" ? "<![endif]>" : "<!--[if …]>";
  return kind === "close" ? `</${element}>` : kind === "void" ? `<${element}/>` : `<${element}>`;
}
