/** The parts of a rendered chat message. `contracts/chat` has the same types for those who send it. */

import { isBlank } from "../language/characters.ts";

export interface ChatRun {
  text: string;
  strong?: true;
  emphasis?: true;
  code?: true;
  url?: string;
}

export interface ChatItem {
  depth: number;
  number?: number;
  runs: ChatRun[];
}

export type ChatBlock =
  | { kind: "paragraph"; runs: ChatRun[] }
  | { kind: "heading"; level: number; runs: ChatRun[] }
  | { kind: "list"; items: ChatItem[] }
  | { kind: "button"; label: string; url: string };

/** Whether a message shows no word. */
export function isBlankChat(blocks: readonly ChatBlock[]): boolean {
  return blocks.every((block) => {
    if (block.kind === "button") return isBlank(block.label);
    const runs = block.kind === "list" ? block.items.flatMap((item) => item.runs) : block.runs;
    return runs.every(({ text }) => isBlank(text));
  });
}
