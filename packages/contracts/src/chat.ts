/** A part of a chat message's text with its marks. A line feed is a line end. */
export interface ChatRun {
  text: string;
  strong?: true;
  emphasis?: true;
  code?: true;
  /** The address of a link: http or https, without blanks, quotes, brackets `<>` and backslashes. */
  url?: string;
}

/** An item of a list. `depth` is 0 for an item of the list itself, 1 for an item of a list in this item. */
export interface ChatItem {
  depth: number;
  /** The number of an ordered list's item; absent for an item with a bullet. */
  number?: number;
  runs: ChatRun[];
}

/** A chat message as every vendor's dialect can show it. Its texts are data: a dialect escapes its own marks in them. */
export type ChatBlock =
  | { kind: "paragraph"; runs: ChatRun[] }
  | { kind: "heading"; level: number; runs: ChatRun[] }
  | { kind: "list"; items: ChatItem[] }
  | { kind: "button"; label: string; url: string };

/** Returns the text of a message without marks, a line for each block and item; with `addresses`, behind its links. */
export function plainChat(blocks: readonly ChatBlock[], addresses = false): string {
  const plain = ({ text, url }: ChatRun): string =>
    addresses && url !== undefined && url !== text ? `${text} (${url})` : text;
  const lineOf = (runs: readonly ChatRun[]): string => runs.map(plain).join("");
  const lines = blocks.flatMap((block) => {
    if (block.kind === "button") return [plain({ text: block.label, url: block.url })];
    if (block.kind !== "list") return [lineOf(block.runs)];
    return block.items.map((item) => itemMark(item, "  ") + lineOf(item.runs));
  });
  return lines.join("\n");
}

/** Returns what stands before an item's text where a dialect has no lists. */
export function itemMark({ depth, number }: ChatItem, indent: string): string {
  return `${indent.repeat(depth)}${number === undefined ? "•" : `${number}.`} `;
}

const ACTIONS = ["trigger", "acknowledge", "resolve"] as const;
const SEVERITIES = ["critical", "error", "warning", "info"] as const;
const MAX_KEY_CHARACTERS = 255;

/** The fields of an incident, in the words of PagerDuty's Events API. */
export interface Incident {
  /** Messages with the same key are about the same incident. */
  key?: string;
  action?: (typeof ACTIONS)[number];
  severity?: (typeof SEVERITIES)[number];
}

/** Returns the incident that an event's variables `dedup_key`, `event_action` and `severity` describe. */
export function incidentOf(variables: Readonly<Record<string, unknown>>): Incident | undefined {
  const { dedup_key: given, event_action: action, severity } = variables;
  const incident: Incident = {};
  const key = typeof given === "number" ? String(given) : given;
  if (typeof key === "string" && key !== "") {
    incident.key = key.slice(0, MAX_KEY_CHARACTERS).toWellFormed();
  }
  const known = ACTIONS.find((one) => one === action);
  if (known !== undefined) incident.action = known;
  const grave = SEVERITIES.find((one) => one === severity);
  if (grave !== undefined) incident.severity = grave;
  return Object.keys(incident).length > 0 ? incident : undefined;
}
