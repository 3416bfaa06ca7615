import type { ChatBlock, ChatRun } from "@belfry/contracts/chat";
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
  const whole = beginning(blocks, most).isCut ? undefined : write(blocks);
  if (whole !== undefined && fits(whole)) return whole;
  const end = [endWith(url), endWith(undefined)].find((one) => fits(write([one])));
  const cut = (length: number) =>
    write([...beginning(blocks, length).kept, end ?? endWith(undefined)]);
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

function beginning(blocks: readonly ChatBlock[], length: number) {
  let left = length;
  const beginningOf = (runs: readonly ChatRun[]): ChatRun[] =>
    runs.flatMap((run) => {
      const { text } = run;
      const end = text.length <= left ? text.length : left > 0 ? boundary(text, left) : 0;
      left -= text.length;
      return end > 0 ? [{ ...run, text: text.slice(0, end) }] : [];
    });
  const kept = blocks.flatMap((block): ChatBlock[] => {
    if (block.kind === "button") {
      left -= block.label.length;
      return left < 0 ? [] : [block];
    }
    if (block.kind === "list") {
      const all = block.items.map((item) => ({ ...item, runs: beginningOf(item.runs) }));
      const items = all.filter(({ runs }) => runs.length > 0);
      return items.length > 0 ? [{ kind: "list", items }] : [];
    }
    const runs = beginningOf(block.runs);
    return runs.length > 0 ? [{ ...block, runs }] : [];
  });
  return { kept, isCut: left < 0 };
}
