import { type ChatBlock, type ChatRun, itemMark } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";
import { breakMarksOfText } from "../vendor-marks.ts";
import { fitChat } from "./fit-chat.ts";

const MAX_MESSAGE_BYTES = 28 * 1024;
/** The size of a heading's text, by its level. */
const SIZES = ["ExtraLarge", "Large", "Medium"];
/** A text block computes these, for example `{{DATE(…)}}`. */
const FUNCTION = /\{(?=\{(?:DATE|TIME)\()/g;

/**
 * Returns a message to Teams: an Adaptive Card. Its texts are runs of `RichTextBlock`, in which Teams reads no Markdown;
 * a mention would need a list of its own in the card.
 */
export function adaptiveCard(message: Pick<ChatMessage, "blocks" | "url">) {
  const fits = (written: object) => Buffer.byteLength(JSON.stringify(written)) <= MAX_MESSAGE_BYTES;
  return fitChat(message, MAX_MESSAGE_BYTES, write, fits);
}

function write(blocks: readonly ChatBlock[]) {
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    body: blocks.flatMap(elementsOf),
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
}

function elementsOf(block: ChatBlock): object[] {
  switch (block.kind) {
    case "paragraph":
      return textBlocks(block.runs);
    case "heading":
      return textBlocks(block.runs, { size: SIZES[block.level - 1] ?? "Medium", weight: "Bolder" });
    case "list":
      return block.items.flatMap((item, at) => {
        const mark: ChatRun = { text: itemMark(item, "\u2003") };
        return textBlocks([mark, ...item.runs], {}, at > 0);
      });
    case "button": {
      const { label: title, url } = block;
      return [{ type: "ActionSet", actions: [{ type: "Action.OpenUrl", title, url }] }];
    }
  }
}

/** Returns a block for each line, because a run holds no line ends. */
function textBlocks(runs: readonly ChatRun[], looks: object = {}, isClose = false): object[] {
  return linesOf(runs).map((line, at) => ({
    type: "RichTextBlock",
    ...((isClose || at > 0) && { spacing: "None" }),
    inlines: line.map(({ text, strong, emphasis, code, url }) => ({
      type: "TextRun",
      text: breakMarksOfText(text, FUNCTION),
      weight: strong && "Bolder",
      italic: emphasis,
      fontType: code && "Monospace",
      ...looks,
      ...(url !== undefined && {
        color: "Accent",
        underline: true,
        selectAction: { type: "Action.OpenUrl", url },
      }),
    })),
  }));
}

function linesOf(runs: readonly ChatRun[]): ChatRun[][] {
  const lines: ChatRun[][] = [[]];
  for (const run of runs) {
    for (const [at, text] of run.text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ ...run, text });
    }
  }
  return lines.filter(({ length }) => length > 0);
}
