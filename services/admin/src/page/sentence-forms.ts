/** A sentence with places, between which its parts stand. */
export interface Form {
  english: string;
  parts: readonly string[];
  letters: number;
}

/** Returns the sentences with places, those with the most words of their own first: a message matches the narrowest. */
export function formsIn(sentences: readonly string[]): Form[] {
  return sentences
    .filter((english) => english.includes("{"))
    .map((english) => {
      const parts = english.split(/\{\w+\}/);
      return { english, parts, letters: parts.join("").length };
    })
    .sort((a, b) => b.letters - a.letters);
}

/** The values of a message in the places of a form; undefined: it is no instance of it. */
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
