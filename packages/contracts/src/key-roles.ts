/** What an API key may be used for. */
export const KEY_ROLES = ["all", "trigger", "read"] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

/** As people choose among them. */
export const KEY_ROLE_WORDS: Readonly<Record<KeyRole, string>> = {
  all: "Every call",
  trigger: "Trigger only: send, move and cancel events",
  read: "Read only: change nothing",
};

export function isKeyRole(text: unknown): text is KeyRole {
  return KEY_ROLES.some((role) => role === text);
}
