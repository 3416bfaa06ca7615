import { diffLines } from "diff";
import { faultWords } from "../page/fault-words.ts";
import { type Phrase, say, type Words } from "../page/language.ts";
import { counted } from "../page/words.ts";
import { type ShownPart, simpleMailParts } from "./simple-mail-parts.ts";
import { FORMATS } from "./template-values.ts";

/** The texts of a template that pages compare. */
interface Texts {
  content: string;
  subject?: string | null | undefined;
  title?: string | null | undefined;
  format?: string | null | undefined;
  url?: string | null | undefined;
  actions?: readonly { label: string; url: string }[] | null | undefined;
}

const PARTS: readonly (readonly [Phrase, (texts: Texts) => string])[] = [
  [say`Subject`, ({ subject }) => subject ?? ""],
  [say`Title`, ({ title }) => title ?? ""],
  [say`Written as`, ({ format }) => FORMATS.find(([one]) => one === format)?.[1] ?? ""],
  [say`Content`, ({ content }) => content],
  [say`Opens`, ({ url }) => url ?? ""],
  [say`Buttons`, ({ actions }) => (actions ?? []).map(buttonText).filter(Boolean).join("\n")],
];

function buttonText({ label, url }: { label: string; url: string }): string {
  return label === "" && url === "" ? "" : `${label}: ${url}`;
}

/**
 * Compares two texts, part by part and line by line. Lines of a simple mail get `parts`, which show no Markdown signs.
 */
export function comparedParts(from: Texts, to: Texts): { name: Phrase; lines: ShownLine[] }[] {
  const isSimple = to.format === "markdown" && [to.format, undefined, null].includes(from.format);
  return PARTS.flatMap(([name, of]) => {
    const lines = differences(of(from), of(to));
    const shown = isSimple ? lines.map(withParts) : lines;
    return lines.length === 0 ? [] : [{ name, lines: shown }];
  });
}

function withParts(line: DifferentLine): ShownLine {
  return typeof line.text === "string" ? { ...line, parts: simpleMailParts(line.text) } : line;
}

/** Returns a sentence about why a template reaches nobody. */
export function leftOutSentence(reason: string): Phrase {
  return say`This is currently not sent: ${faultWords(reason)}.`;
}

interface DifferentLine {
  kind: "same" | "added" | "removed" | "skipped";
  text: Words;
}

interface ShownLine extends DifferentLine {
  parts?: ShownPart[];
}

/** The number of equal lines that the page shows before and after a change. */
const AROUND = 3;
/**
 * The most added and removed lines that are compared. The work grows with their square and blocks the thread for all
 * requests: 300 lines take at most some 15 ms, 4000 took seconds.
 */
const MAX_EDITS = 300;

const TOO_DIFFERENT = say`Too different to compare line by line: both texts are shown whole`;

/** Compares two texts line by line, and leaves out long equal parts. */
export function differences(from: string, to: string): DifferentLine[] {
  const all: DifferentLine[] = [
    { kind: "removed", text: from },
    { kind: "added", text: to },
  ];
  const whole = all.filter(({ text }) => text !== "");
  if (whole.length < 2) return whole;
  const parts = diffLines(from, to, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return [{ kind: "skipped", text: TOO_DIFFERENT }, ...whole];
  return parts.flatMap((part, index): DifferentLine[] => {
    const texts = part.value.replace(/\n$/, "").split("\n");
    const kind = part.added ? "added" : part.removed ? "removed" : "same";
    if (kind !== "same" || texts.length <= 2 * AROUND + 1) {
      return texts.map((text) => ({ kind, text }));
    }
    const same = (some: string[]) => some.map((text): DifferentLine => ({ kind, text }));
    const head = index === 0 ? [] : texts.slice(0, AROUND);
    const tail = index === parts.length - 1 ? [] : texts.slice(-AROUND);
    const left = texts.length - head.length - tail.length;
    return [...same(head), { kind: "skipped", text: counted(left, "equal line") }, ...same(tail)];
  });
}
