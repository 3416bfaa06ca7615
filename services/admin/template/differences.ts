import { diffLines } from "diff";

export interface DifferentLine {
  kind: "same" | "added" | "removed" | "skipped";
  text: string;
}

/** Equal lines around a change that are shown. */
const AROUND = 3;
/** Beyond this the comparison would take too long: the two are shown whole. */
const MAX_EDITS = 4000;

/** What changed from one text to the other, line by line; long equal parts are left out. */
export function differences(from: string, to: string): DifferentLine[] {
  const parts = diffLines(from, to, { maxEditLength: MAX_EDITS }) ?? [
    { value: from, removed: true, added: false },
    { value: to, removed: false, added: true },
  ];
  return parts.flatMap((part, index): DifferentLine[] => {
    const texts = part.value.replace(/\n$/, "").split("\n");
    const kind = part.added ? "added" : part.removed ? "removed" : "same";
    const lines = texts.map((text): DifferentLine => ({ kind, text }));
    if (kind !== "same" || lines.length <= 2 * AROUND + 1) return lines;
    const head = index === 0 ? [] : lines.slice(0, AROUND);
    const tail = index === parts.length - 1 ? [] : lines.slice(-AROUND);
    const left = lines.length - head.length - tail.length;
    return [...head, { kind: "skipped", text: `${left} equal lines` }, ...tail];
  });
}
