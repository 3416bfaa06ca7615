import { listed, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import type { Act } from "./act.ts";

interface Noun {
  /** The description in the command's help and in the document of the management API. */
  summary: string;
  /** Loads the modules that export the noun's acts. A command loads only the noun that it uses. */
  load(): Promise<readonly object[]>;
}

/**
 * All acts, by the noun at the start of their names. The command line, the APIs, the Admin UI and the tools read this
 * list.
 */
export const NOUNS = {
  tenant: {
    summary: "Tenants, their limits, API keys and secrets",
    load: () =>
      Promise.all([
        import("./tenants/tenant-acts.ts"),
        import("./tenants/tenant-credentials.ts"),
        import("./erasure/delete-tenant.ts"),
        import("./erasure/tenant-deletions.ts"),
      ]),
  },
  environment: {
    summary: "Environments of a product, such as staging and production: each is a tenant",
    load: async () => [await import("./templates/environments.ts")],
  },
  member: {
    summary: "The people of a tenant in the Admin UI",
    load: async () => [await import("./people/members.ts")],
  },
  operator: {
    summary: "The people who run the platform in the Admin UI",
    load: () => Promise.all([import("./people/operators.ts"), import("./people/platform-keys.ts")]),
  },
  alert: {
    summary: "Mails to owners and operators when something is wrong",
    load: async () => [await import("./alerts/alert-choices.ts")],
  },
  audit: {
    summary: "List changes: the person, the action, the place and the time",
    load: async () => [await import("./search-audit-log.ts")],
  },
  template: {
    summary: "Templates, one per event type and channel",
    load: () =>
      Promise.all([
        import("./templates/put-template.ts"),
        import("./templates/drafts.ts"),
        import("./templates/template-versions.ts"),
        import("./templates/template-files.ts"),
        import("./templates/copy-template.ts"),
        import("./templates/try-template.ts"),
        import("./templates/templates.ts"),
        import("./templates/preview-template.ts"),
      ]),
  },
  layout: {
    summary: "The layout of a tenant's Markdown emails",
    load: async () => [await import("./templates/layouts.ts")],
  },
  image: {
    summary: "Pictures for mails and the design",
    load: async () => [await import("./images/images.ts")],
  },
  bundle: {
    summary: "Templates, layout and categories of a tenant as a folder of files",
    load: async () => [
      await import("./templates/bundle.ts"),
      await import("./templates/bundle-applies.ts"),
    ],
  },
  provider: {
    summary: `A tenant's accounts at the companies that send its ${listed(PROVIDER_CHANNELS, "and")}`,
    load: () =>
      Promise.all([import("./providers/providers.ts"), import("./providers/use-provider.ts")]),
  },
  event: {
    summary: "Events and their results on each channel",
    load: () =>
      Promise.all([
        import("./events/event-report.ts"),
        import("./search/find-anything.ts"),
        import("./events/resend-event.ts"),
        import("./events/cancel-events.ts"),
        import("./events/scheduled-events.ts"),
      ]),
  },
  broadcast: {
    summary: "One event to many people: to the members of topics, or to a list",
    load: () =>
      Promise.all([
        import("./broadcasts/create-broadcast.ts"),
        import("./broadcasts/broadcasts.ts"),
        import("./broadcasts/estimate-broadcast.ts"),
      ]),
  },
  digest: {
    summary: "Messages that combine several events",
    load: async () => [await import("./events/digests.ts")],
  },
  attachment: {
    summary: "Files for the mails of events",
    load: async () => [await import("./events/upload-attachment.ts")],
  },
  outbox: {
    summary: "Messages that the sandbox provider kept instead of sending them",
    load: async () => [await import("./events/outbox.ts")],
  },
  realtime: {
    summary: "Connections and positions of realtime clients",
    load: async () => [await import("./tenants/realtime.ts")],
  },
  dead: {
    summary: "Dead letters: unsent messages that wait for a person's decision",
    load: () =>
      Promise.all([
        import("./dead-letters/dead-letters.ts"),
        import("./dead-letters/change-dead-letters.ts"),
      ]),
  },
  suppression: {
    summary:
      "Addresses to which a tenant sends nothing: after bounces, complaints and opt-outs, or added by hand",
    load: () =>
      Promise.all([import("./events/suppressions.ts"), import("./events/import-suppressions.ts")]),
  },
  sms: {
    summary: "People's answers to text messages",
    load: async () => [await import("./events/inbound.ts")],
  },
  user: {
    summary: "The people to whom tenants send",
    load: () =>
      Promise.all([
        import("./users/users.ts"),
        import("./users/preferences.ts"),
        import("./users/import-unsubscribes.ts"),
        import("./erasure/erasures.ts"),
      ]),
  },
  device: {
    summary: "Browsers and phones of users, which get pushes",
    load: async () => [await import("./users/devices.ts")],
  },
  topic: {
    summary: "Named sets of users, to whom one call sends",
    load: async () => [await import("./users/topics.ts")],
  },
  import: {
    summary: "CSV files of users and of topics' members, imported in the background",
    load: async () => [await import("./users/imports.ts")],
  },
  category: {
    summary: "Kinds of messages, such as offers, that users turn on and off",
    load: async () => [await import("./users/categories.ts")],
  },
  webhook: {
    summary: "Endpoints of tenants that receive the results of their events",
    load: () =>
      Promise.all([
        import("./webhooks/webhooks.ts"),
        import("./webhooks/webhook-messages.ts"),
        import("./webhooks/send-webhook-message.ts"),
      ]),
  },
  secrets: {
    summary: "Stored secrets and the keys that encrypt them",
    load: async () => [await import("./providers/rotate-secrets.ts")],
  },
} satisfies Record<string, Noun>;

/** Returns the acts of a noun, in the order of its modules. */
export async function actsOfNoun({ load }: Noun): Promise<Act[]> {
  return (await load()).flatMap((module) => Object.values(module)).filter(isAct);
}

export async function allActs(): Promise<Act[]> {
  return (await Promise.all(Object.values(NOUNS).map(actsOfNoun))).flat();
}

/** Whether an export of a module is an act. */
export function isAct(value: unknown): value is Act {
  return typeof value === "object" && value !== null && "access" in value && "run" in value;
}
