/** Roles of API keys. */
export const KEY_ROLES = ["all", "trigger", "read", "manage", "provision"] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

/**
 * The roles that may make a call, by what the call needs, in the order in which an error lists them. `all` covers every
 * call of the tenant's backend, but not management.
 */
export const KEYS_THAT_MAY = {
  /** Send, move and cancel events. */
  trigger: ["trigger", "all"],
  /** Read what the tenant's backend needs. */
  read: ["read", "manage", "provision", "all"],
  /** Act for a user: a realtime token gives all rights of its user. */
  backend: ["all"],
  /** Change users and their preferences. */
  users: ["manage", "provision", "all"],
  /** Change webhook endpoints, or send to one. */
  endpoints: ["provision", "all"],
  /** The acts of an editor. */
  manage: ["manage", "provision"],
  /** Send a message manually: a test, a repetition, or one that waits or has failed. */
  send: ["provision"],
  /** Actions that give access to all messages of the tenant: changing providers and endpoints. */
  provision: ["provision"],
} as const satisfies Record<string, readonly KeyRole[]>;
export type KeyNeed = keyof typeof KEYS_THAT_MAY;

export function keyMay(role: KeyRole, need: KeyNeed): boolean {
  return KEYS_THAT_MAY[need].some((one) => one === role);
}

/** Descriptions of the roles for people. */
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
