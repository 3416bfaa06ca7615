/** A sentence with places for values; `parts` are the texts between the places, and `letters` is their length. */
export interface Form {
  english: string;
  parts: readonly string[];
  letters: number;
}

/** Returns the sentences that have places. The longest are first, so that a message matches the most specific one. */
export function formsIn(sentences: readonly string[]): Form[] {
  return sentences
    .filter((english) => english.includes("{"))
    .map((english) => {
      const parts = english.split(/\{\w+\}/);
      return { english, parts, letters: parts.join("").length };
    })
    .sort((a, b) => b.letters - a.letters);
}

/** Returns the values in the places of a form; undefined if the message does not match. */
export function valuesIn(message: string, { parts }: Form): string[] | undefined {
  const [first = ""] = parts;
  const last = parts.at(-1) ?? "";
  if (!message.startsWith(first) || !message.endsWith(last)) return undefined;
  const end = message.length - last.length;
  const values: string[] = [];
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = message.indexOf(part, at);
    if (next === -1) return undefined;
    values.push(message.slice(at, next));
    at = next + part.length;
  }
  return at > end ? undefined : [...values, message.slice(at, end)];
}
