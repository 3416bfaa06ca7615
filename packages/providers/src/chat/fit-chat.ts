import type { ChatBlock, ChatItem, ChatRun } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";

const CUT = "…";
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Code units behind a cut that are searched for the rest of its grapheme. */
const NEAR_UNITS = 64;

/**
 * Writes a message. If the vendor would not take it, writes its longest beginning that fits, cut between graphemes, and
 * behind it `…` with a link to the whole. `most`: more characters than this never fit.
 */
export function fitChat<Written>(
  { blocks, url }: Pick<ChatMessage, "blocks" | "url">,
  most: number,
  write: (blocks: readonly ChatBlock[]) => Written,
  fits: (written: Written) => boolean,
): Written {
  const whole = write(blocks);
  if (fits(whole)) return whole;
  const end = [endWith(url), endWith(undefined)].find((one) => fits(write([one])));
  const cut = (length: number) => write([...beginning(blocks, length), end ?? endWith(undefined)]);
  let least = 0;
  let beyond = most + 1;
  while (beyond - least > 1) {
    const middle = (least + beyond) >> 1;
    if (fits(cut(middle))) least = middle;
    else beyond = middle;
  }
  return cut(least);
}

/** Returns the beginning of a text, cut between graphemes, and `…` if it is longer than `most` code units. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, boundary(text, most - CUT.length)) + CUT;
}

function endWith(url: string | undefined): ChatBlock {
  const runs: ChatRun[] = [{ text: CUT }];
  if (url !== undefined) runs.push({ text: " " }, { text: new URL(url).host, url });
  return { kind: "paragraph", runs };
}

function boundary(text: string, at: number): number {
  return graphemes.segment(text.slice(0, at + NEAR_UNITS)).containing(at)?.index ?? at;
}

function beginning(blocks: readonly ChatBlock[], length: number): ChatBlock[] {
  const kept: ChatBlock[] = [];
  let left = length;
  for (const block of blocks) {
    if (left <= 0) break;
    if (block.kind === "button") {
      left -= block.label.length;
      if (left >= 0) kept.push(block);
    } else if (block.kind === "list") {
      const items: ChatItem[] = [];
      for (const item of block.items) {
        if (left <= 0) break;
        const runs = beginningOf(item.runs, left);
        if (runs.length > 0) items.push({ ...item, runs });
        left -= lengthOf(item.runs);
      }
      if (items.length > 0) kept.push({ kind: "list", items });
    } else {
      const runs = beginningOf(block.runs, left);
      if (runs.length > 0) kept.push({ ...block, runs });
      left -= lengthOf(block.runs);
    }
  }
  return kept;
}

function beginningOf(runs: readonly ChatRun[], length: number): ChatRun[] {
  const kept: ChatRun[] = [];
  let left = length;
  for (const run of runs) {
    if (left <= 0) break;
    const { text } = run;
    const end = text.length <= left ? text.length : boundary(text, left);
    if (end > 0) kept.push({ ...run, text: text.slice(0, end) });
    left -= text.length;
  }
  return kept;
}

function lengthOf(runs: readonly ChatRun[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}
