import { createHash } from "node:crypto";
import { findVariable, variableText } from "@belfry/templates/language/values";

/** In UTF-8. Beside the longest user id and event type there is no room in an index for more. */
const MAX_BYTES = 128;

/**
 * By what a digest keeps events apart: the text of the variable, found as templates find it; empty where there is
 * none. What is long, or what no column of text can hold, is told by its hash.
 */
export function digestKey(variables: Readonly<Record<string, unknown>>, name: string): string {
  const text = variableText(findVariable(variables, name, name.split(".")));
  const isPlain =
    text.length <= MAX_BYTES &&
    !text.includes("\0") &&
    text.isWellFormed() &&
    Buffer.byteLength(text) <= MAX_BYTES;
  // As UTF-16: lone surrogates differ there.
  return isPlain ? text : `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}
