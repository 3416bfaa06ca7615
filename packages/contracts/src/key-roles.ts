/** What an API key may be used for. */
export const KEY_ROLES = ["all", "trigger", "read", "manage", "provision"] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

/**
 * Which roles a call takes, by what the call needs; in the order in which a refusal names them. `all` is every call
 * of the tenant's backend: it does not include management.
 */
export const KEYS_THAT_MAY = {
  /** Send, move and cancel events. */
  trigger: ["trigger", "all"],
  /** Look up what the tenant's backend reads. */
  read: ["read", "manage", "provision", "all"],
  /** Act for a user: whoever holds a realtime token is the user. */
  backend: ["all"],
  /** Change users and their preferences. */
  users: ["manage", "provision", "all"],
  /** Change webhook endpoints, or send to one. */
  endpoints: ["provision", "all"],
  /** What an editor does. */
  manage: ["manage", "provision"],
  /** Send a message by hand: a test, a repeat, what waits or was set aside. */
  send: ["provision"],
  /** What gives access to all messages of the tenant: providers, endpoints. */
  provision: ["provision"],
} as const satisfies Record<string, readonly KeyRole[]>;
export type KeyNeed = keyof typeof KEYS_THAT_MAY;

export function keyMay(role: KeyRole, need: KeyNeed): boolean {
  return KEYS_THAT_MAY[need].some((one) => one === role);
}

/** As people choose among them. */
export const KEY_ROLE_WORDS: Readonly<Record<KeyRole, string>> = {
  all: "Every call, except management",
  trigger: "Trigger only: send, move and cancel events",
  read: "Read only: change nothing",
  manage: "Manage: templates, categories, users; send nothing",
  provision:
    "Provision: manage, send tests and repeats, and change providers and webhook endpoints",
};

export function isKeyRole(text: unknown): text is KeyRole {
  return KEY_ROLES.some((role) => role === text);
}
