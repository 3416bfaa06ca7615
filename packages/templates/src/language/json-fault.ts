/** Finds the first place at which a text is no JSON (RFC 8259); the engine's own parser does not always tell it. */

import type { TagFault } from "./tags.ts";

const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const WORD = /(?:true|false|null)(?!\w)/y;
/** Up to what ends a text in quotes, or may not stand in one. */
const IN_QUOTES = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

const MAX_DEPTH = 200;

/** The first fault of a text as JSON; undefined: it is JSON. Its time is linear, and it does not recurse. */
export function jsonFault(text: string): TagFault | undefined {
  /** The closing signs of what is open. */
  const open: ("]" | "}")[] = [];
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const taken = pattern.exec(text)?.[0].length;
    at += taken ?? 0;
    return taken !== undefined;
  };
  const blanks = () => void take(BLANKS);
  const fault = (message: string): TagFault => ({ offset: at, message: `no JSON: ${message}` });
  const takeText = (): TagFault | undefined => {
    const start = at;
    at += 1;
    for (;;) {
      take(IN_QUOTES);
      const sign = text[at];
      if (sign === '"') {
        at += 1;
        return undefined;
      }
      if (sign === undefined) {
        at = start;
        return fault("this text in quotes is not closed");
      }
      if (sign !== "\\") return fault("a line end or control character in quotes: write \\n");
      if (!take(ESCAPE))
        return fault('behind a \\ stands one of " \\ / b f n r t, or u and 4 digits');
    }
  };
  /** A name and its colon. */
  const takeName = (): TagFault | undefined => {
    if (text[at] !== '"') return fault("the name of a value in quotes is expected");
    const wrong = takeText();
    if (wrong !== undefined) return wrong;
    blanks();
    if (text[at] !== ":") return fault('":" is expected behind a name');
    at += 1;
    return undefined;
  };

  for (;;) {
    // A value is expected.
    blanks();
    const sign = text[at];
    if (sign === "{" || sign === "[") {
      if (open.length === MAX_DEPTH) return fault("lists and objects are nested too deep");
      const closing = sign === "{" ? "}" : "]";
      at += 1;
      blanks();
      if (text[at] !== closing) {
        open.push(closing);
        const wrong = closing === "}" ? takeName() : undefined;
        if (wrong !== undefined) return wrong;
        continue;
      }
      at += 1;
    } else if (sign === '"') {
      const wrong = takeText();
      if (wrong !== undefined) return wrong;
    } else if (!take(NUMBER) && !take(WORD)) {
      return fault(sign === undefined ? "a value is expected at the end" : "a value is expected");
    }
    // Behind a value.
    for (;;) {
      blanks();
      const closing = open.at(-1);
      if (closing === undefined) {
        return at === text.length ? undefined : fault("something stands behind the end");
      }
      if (text[at] !== closing) break;
      open.pop();
      at += 1;
    }
    if (text[at] !== ",") return fault(`"," or "${open.at(-1)}" is expected`);
    at += 1;
    blanks();
    const wrong = open.at(-1) === "}" ? takeName() : undefined;
    if (wrong !== undefined) return wrong;
  }
}
