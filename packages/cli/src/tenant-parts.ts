import type { OwnPart } from "./act-command.ts";
import { readSecretInput } from "./input-file.ts";

/** A secret is read from a file: the list of processes shows what is given as a flag. */
function secretFile(description: string, { removable = false } = {}): OwnPart {
  return {
    fields: ["webhookSecret"],
    define(command) {
      command.option("--webhook-secret-file <file>", `${description}, or - for standard input`);
      if (!removable) return;
      command.option("--no-webhook-secret", "triggers need no signature any more");
    },
    async input({ webhookSecretFile: file, webhookSecret }) {
      if (typeof file !== "string") return webhookSecret === false ? { webhookSecret: null } : {};
      return { webhookSecret: await readSecretInput("--webhook-secret-file", file) };
    },
  };
}

const SIGNED = "holds the secret that every trigger must be signed with";
const ID = { tenant: "<id>" };
const TENANT_ID = { tenant: "<tenantId>" };

export const parts: Readonly<Record<string, OwnPart>> = {
  "tenant create": secretFile(SIGNED),
  "tenant update": secretFile(SIGNED, { removable: true }),
  "tenant rotate-key": ID,
  "tenant rotate-webhook-secret": {
    ...ID,
    ...secretFile("holds the new secret; default: one is made, and printed this once"),
  },
  "tenant remove-webhook-secret": ID,
  "tenant key create": TENANT_ID,
  "tenant key list": TENANT_ID,
  "tenant key revoke": TENANT_ID,
};

export const groups = { key: "A tenant's API keys, one by one" };
