import { randomInt } from "node:crypto";
import { tokenHash } from "./access-token.ts";

export const RECOVERY_CODES = 10;
/** No l, o, 0 or 1: they are read from paper. 32 of them: 5 bits each. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 3;
const GROUP_LENGTH = 5;

/** `k7m2p-x9w4q-b3n8t`: 75 bits each, so that a plain hash of one tells nobody the code. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: GROUPS }, () =>
      Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""),
    ).join("-"),
  );
}

/** However it was typed: in capitals, with blanks or without the dashes. */
export function recoveryCodeHash(code: string): Buffer {
  return tokenHash(code.toLowerCase().replaceAll(/[\s-]/g, ""));
}
