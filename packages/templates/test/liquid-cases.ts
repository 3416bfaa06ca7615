/** Templates in the subset of Liquid and values for them, by chance: what the tests hold against LiquidJS. */

/** Numbers from 0 up to 1, always the same ones for a seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS = [
  "",
  " ",
  "a",
  "ab",
  "Ann",
  "x y",
  "10",
  "9",
  "2.5",
  "äÖ",
  "😀b",
  "<b>&\"'",
  "a\nb",
  "Äh…",
];
const NUMBERS = [0, 1, 2, 3, 10, -1, 2.5, 100, 1e21];
const NAMES = ["a", "b", "c", "list", "deep", "map", "n", "s", "gone", "order-id", "x_1"];
const FIELDS = ["name", "price", "tags", "size", "first", "last", "gone"];
const LOOP_NAMES = ["x", "y", "item", "a", "list"];
const TEXTS = ["Hi ", ", ", "\n", "  \n  ", "1. ", "{ ", "%} ", "}} ", "é ", "end"];

/** One template with its variables. */
export function liquidCase(random: () => number): {
  template: string;
  variables: Record<string, unknown>;
} {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const often = (share: number): boolean => random() < share;

  function value(depth: number): unknown {
    const kind = random();
    if (kind < 0.4) return pick(WORDS);
    if (kind < 0.6) return pick(NUMBERS);
    if (kind < 0.68) return often(0.5);
    if (kind < 0.73) return null;
    if (depth === 0) return pick(WORDS);
    return kind < 0.88 ? list(depth) : map(depth);
  }

  function list(depth: number): unknown[] {
    return Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1));
  }

  function map(depth: number): Record<string, unknown> {
    const fields = ["name", "price", "tags", ...(often(0.1) ? ["size", "first"] : [])];
    return Object.fromEntries(
      fields.filter(() => often(0.7)).map((field) => [field, value(depth - 1)]),
    );
  }

  function variables(): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const name of NAMES)
      if (name !== "gone" && name !== "map" && often(0.8)) made[name] = value(2);
    if (often(0.9)) made.list = list(2);
    made.n = pick([...NUMBERS, "2", "x", null]);
    if (often(0.9)) made.map = map(1);
    return made;
  }

  function name(loops: readonly string[]): string {
    if (loops.length > 0 && often(0.15)) return `forloop.${pick(["first", "last", "index"])}`;
    const first = often(0.6) && loops.length > 0 ? pick(loops) : pick(NAMES);
    if (first === "pair") return often(0.8) ? pick(["pair.0", "pair.1", "pair.size"]) : first;
    return often(0.4)
      ? [first, ...Array.from({ length: often(0.8) ? 1 : 2 }, () => pick(FIELDS))].join(".")
      : first;
  }

  function quoted(word: string): string {
    const safe = word.replaceAll("\\", "").replaceAll("\n", "\\n");
    return safe.includes('"') ? `'${safe.replaceAll("'", "\\'")}'` : `"${safe}"`;
  }

  function operand(loops: readonly string[]): string {
    const kind = random();
    if (kind < 0.55) return name(loops);
    if (kind < 0.75) return quoted(pick(WORDS));
    if (kind < 0.88) return String(pick([0, 1, 2, 10, -1, 2.5]));
    return pick(["true", "false", "nil", "null", "empty", "blank"]);
  }

  function filter(loops: readonly string[]): string {
    const argument = (): string => (often(0.7) ? quoted(pick(WORDS)) : operand(loops));
    switch (pick(["default", "join", "truncate", "plain", "plain", "plain", "plain"])) {
      case "default":
        return `default: ${argument()}${often(0.2) ? `, allow_false: ${pick(["true", "false", "gone"])}` : ""}`;
      case "join":
        return often(0.5) ? "join" : `join: ${argument()}`;
      case "truncate": {
        const length = often(0.8) ? pick(["0", "1", "3", "5", "20"]) : "n";
        return pick(["truncate", `truncate: ${length}`, `truncate: ${length}, ${argument()}`]);
      }
      default:
        return pick([
          "size",
          "first",
          "last",
          "upcase",
          "downcase",
          "capitalize",
          "escape",
          "url_encode",
        ]);
    }
  }

  function valueTag(loops: readonly string[]): string {
    const head = often(0.9) ? name(loops) : quoted(pick(WORDS));
    const filters = Array.from({ length: Math.floor(random() * 3.5) }, () => filter(loops));
    const code = [head, ...filters].join(pick([" | ", "|", "  |  "]));
    return `{{${often(0.12) ? "-" : ""} ${code} ${often(0.12) ? "-" : ""}}}`;
  }

  function condition(loops: readonly string[]): string {
    const comparisons = Array.from({ length: often(0.7) ? 1 : 1 + Math.floor(random() * 4) }, () =>
      often(0.35)
        ? operand(loops)
        : [
            operand(loops),
            pick(["==", "!=", "<", ">", "<=", ">=", "contains"]),
            operand(loops),
          ].join(" "),
    );
    return comparisons.reduce((all, next) => `${all} ${pick(["and", "or"])} ${next}`);
  }

  function tag(code: string): string {
    return `{%${often(0.12) ? "-" : ""} ${code} ${often(0.12) ? "-" : ""}%}`;
  }

  function block(depth: number, loops: readonly string[]): string {
    if (often(0.45)) {
      const word = often(0.8) ? "if" : "unless";
      let text = tag(`${word} ${condition(loops)}`) + nodes(depth - 1, loops);
      while (often(0.25)) text += tag(`elsif ${condition(loops)}`) + nodes(depth - 1, loops);
      if (often(0.4)) text += tag("else") + nodes(depth - 1, loops);
      return text + tag(`end${word}`);
    }
    const isMap = often(0.15);
    const item = isMap ? "pair" : pick(LOOP_NAMES);
    const over = isMap
      ? "map"
      : often(0.6)
        ? "list"
        : name(loops.filter((loop) => loop !== "pair"));
    const isBusy = isMap && loops.some((loop) => loop === "map" || loop === "pair");
    if (isBusy || over.startsWith("forloop")) return valueTag(loops);
    const limit = often(0.25) ? ` limit: ${pick(["0", "1", "2", "5", "gone", "2"])}` : "";
    let text = tag(`for ${item} in ${over}${limit}`) + nodes(depth - 1, [...loops, item]);
    if (often(0.3)) text += tag("else") + nodes(depth - 1, loops);
    return text + tag("endfor");
  }

  function nodes(depth: number, loops: readonly string[]): string {
    let text = "";
    for (let count = 1 + Math.floor(random() * 2.6); count > 0; count--) {
      const kind = random();
      if (kind < 0.35) text += pick(TEXTS);
      else if (kind < 0.7 || depth === 0) text += valueTag(loops);
      else text += block(depth, loops);
    }
    return text;
  }

  return { template: `T ${nodes(4, [])}.`, variables: variables() };
}
