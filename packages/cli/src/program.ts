import { listed, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { Command } from "commander";
import { actsOf } from "./act-command.ts";

const NOTES = `
Prints one JSON value on standard output. Errors go to standard error, with exit code 1.
Files may be - for standard input. The database is DATABASE_URL, else the local stack's
(BELFRY_HOME/local.json); keys for secrets are SECRETS_KEYS, else the local stack's.`;

interface CommandFile {
  /** Gives the command its flags and what is below it. */
  define(command: Command): void;
}

/** In the order of the help. A file, with all that it stands on, is loaded when its command is given. */
const COMMANDS: readonly (readonly [
  name: string,
  description: string,
  load: () => Promise<CommandFile>,
])[] = [
  [
    "tenant",
    "Tenants, their limits, API keys and secrets",
    actsOf(
      async () => [
        await import("@belfry/administration/tenants/tenant-acts"),
        await import("@belfry/administration/tenants/api-keys"),
        await import("@belfry/administration/tenants/webhook-secret"),
        await import("@belfry/administration/erasure/delete-tenant"),
        await import("@belfry/administration/erasure/tenant-deletions"),
      ],
      () => import("./tenant-parts.ts"),
    ),
  ],
  [
    "environment",
    "Environments of a product, such as staging and production: each is a tenant",
    actsOf(async () => [
      await import("@belfry/administration/tenants/environments"),
      { promote: (await import("@belfry/administration/templates/bundle")).promoteEnvironment },
    ]),
  ],
  [
    "member",
    "The people of a tenant in the Admin UI",
    actsOf(
      async () => [await import("@belfry/administration/people/members")],
      () => import("./people-parts.ts"),
    ),
  ],
  [
    "operator",
    "The people who run the platform in the Admin UI",
    actsOf(
      async () => [
        await import("@belfry/administration/people/operators"),
        await import("@belfry/administration/people/platform-keys"),
      ],
      () => import("./people-parts.ts"),
    ),
  ],
  [
    "audit",
    "Who changed what, from where and when",
    actsOf(
      async () => [await import("@belfry/administration/search-audit-log")],
      () => import("./audit-parts.ts"),
    ),
  ],
  [
    "template",
    "Templates, one per event type and channel",
    actsOf(
      async () => [
        await import("@belfry/administration/templates/put-template"),
        await import("@belfry/administration/templates/drafts"),
        await import("@belfry/administration/templates/template-versions"),
        await import("@belfry/administration/templates/export-templates"),
        await import("@belfry/administration/templates/import-templates"),
        await import("@belfry/administration/templates/copy-template"),
        await import("@belfry/administration/templates/try-template"),
        await import("@belfry/administration/templates/templates"),
        await import("@belfry/administration/templates/preview-template"),
      ],
      () => import("./template-parts.ts"),
    ),
  ],
  [
    "layout",
    "What stands around a tenant's mails in Markdown",
    actsOf(
      async () => [await import("@belfry/administration/templates/layouts")],
      async () => (await import("./template-parts.ts")).LAYOUT,
    ),
  ],
  [
    "bundle",
    "Templates, layout and categories of a tenant as a folder of files",
    actsOf(
      async () => {
        const { pullBundle, applyBundle } = await import("@belfry/administration/templates/bundle");
        return [{ pullBundle, applyBundle }];
      },
      () => import("./bundle-parts.ts"),
    ),
  ],
  [
    "provider",
    `A tenant's accounts at the companies that send its ${listed(PROVIDER_CHANNELS, "and")}`,
    actsOf(
      async () => [
        await import("@belfry/administration/providers/providers"),
        await import("@belfry/administration/providers/use-provider"),
        await import("@belfry/administration/providers/send-provider-test"),
      ],
      () => import("./provider-parts.ts"),
    ),
  ],
  ["event", "What became of an event", () => import("./event-command.ts")],
  [
    "digest",
    "Messages that combine several events",
    actsOf(async () => [await import("@belfry/administration/events/digests")]),
  ],
  [
    "outbox",
    "What the sandbox provider was given",
    actsOf(
      async () => [await import("@belfry/administration/events/outbox")],
      async () => (await import("./outbox-parts.ts")).outboxParts,
    ),
  ],
  [
    "realtime",
    "Connections and positions of realtime clients",
    actsOf(async () => [await import("@belfry/administration/tenants/realtime")]),
  ],
  [
    "dead",
    "Dead letters: what was not sent, and rests until a person decides",
    () => import("./dead-command.ts"),
  ],
  [
    "suppression",
    "Addresses to which a tenant sends nothing: bounces, complaints, opt-outs, or by hand",
    actsOf(
      async () => [
        await import("@belfry/administration/events/suppressions"),
        await import("@belfry/administration/events/import-suppressions"),
      ],
      async () => (await import("./suppression-parts.ts")).suppressionParts,
    ),
  ],
  [
    "sms",
    "What people answer to text messages",
    actsOf(
      async () => [await import("@belfry/administration/events/inbound")],
      async () => ({ groups: { inbound: "Answers that are no STOP or START" } }),
    ),
  ],
  [
    "user",
    "The people to whom tenants send",
    actsOf(
      async () => [
        await import("@belfry/administration/users/users"),
        await import("@belfry/administration/users/preferences"),
        await import("@belfry/administration/users/import-unsubscribes"),
        await import("@belfry/administration/erasure/erasures"),
      ],
      async () => ({ groups: { preference: "A single preference of a user" } }),
    ),
  ],
  [
    "category",
    "Kinds of messages, such as offers, that users turn on and off",
    actsOf(async () => [await import("@belfry/administration/users/categories")]),
  ],
  [
    "webhook",
    "Endpoints of tenants that are told what became of their events",
    actsOf(
      async () => [
        await import("@belfry/administration/webhooks/webhooks"),
        await import("@belfry/administration/webhooks/webhook-messages"),
        await import("@belfry/administration/webhooks/send-webhook-message"),
        await import("@belfry/administration/webhooks/replay-webhook"),
      ],
      () => import("./webhook-parts.ts"),
    ),
  ],
  [
    "secrets",
    "Secrets at rest and the keys they are under",
    actsOf(
      async () => [await import("@belfry/administration/providers/rotate-secrets")],
      () => import("./secrets-parts.ts"),
    ),
  ],
  [
    "migrate",
    "Bring the database to this version's schema; prints the migrations that ran",
    () => import("./migrate-command.ts"),
  ],
  ["stop", "Stop the local stack and wait until it is gone", () => import("./stop-command.ts")],
];

/** All commands; those that `args` do not begin with are there by name and description only. */
export async function createProgram(args?: readonly string[]): Promise<Command> {
  const program = new Command("belfry")
    .description("The operator's command line of Belfry")
    .showHelpAfterError("(add --help for the flags)")
    .addHelpText("after", NOTES);
  // The second word, too: `help tenant`.
  const given = args?.slice(0, 2);
  for (const [name, description, load] of COMMANDS) {
    const command = program.command(name).description(description);
    if (given?.includes(name) ?? true) (await load()).define(command);
  }
  return program;
}
