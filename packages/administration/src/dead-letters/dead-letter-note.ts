import type { AuditNote } from "../audited.ts";
import type { DeadLetters } from "./change-dead-letters.ts";

/** How the audit log tells of dead letters that were changed; undefined where none was. */
export function deadLetterNote(
  verb: "replay" | "discard",
  letters: DeadLetters,
  count: number,
): AuditNote | undefined {
  if (count === 0) return undefined;
  return {
    tenantId: letters.tenantId ?? null,
    action: `dead-letter.${verb}`,
    target: targetOf(letters),
    after: { count },
  };
}

function targetOf(letters: DeadLetters): string {
  if ("ids" in letters) return letters.ids[0] ?? "none";
  const { channel, class: ofClass, provider } = letters;
  return [channel, ofClass, provider].filter((text) => text != null).join(" ") || "all";
}
