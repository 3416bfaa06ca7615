import { putDraft } from "@belfry/administration/templates/drafts";
import { type Preview, previewSource } from "@belfry/administration/templates/preview-template";
import { readAction } from "@belfry/administration/templates/template-file";
import type { importTemplates } from "@belfry/administration/templates/template-files";
import {
  readTemplateFolder,
  writeTemplateFolder,
} from "@belfry/administration/templates/template-folder";
import type { TextFiles } from "@belfry/administration/templates/template-paths";
import { findTemplate } from "@belfry/administration/templates/template-rows";
import {
  DIGEST_PARTS,
  lineName,
  SETTINGS,
} from "@belfry/administration/templates/template-settings";
import { requireTemplate } from "@belfry/administration/templates/templates";
import { type Channel, IN_APP } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { Static } from "@sinclair/typebox";
import { InvalidArgumentError } from "commander";
import { CommandError } from "./command-error.ts";
import type { CommandOverride, CommandOverrides, Flags } from "./command-overrides.ts";
import { ANY_CHANNEL, channelValue, integerValue } from "./flag-values.ts";
import { readInput, readJsonInput } from "./input-file.ts";

const TENANT = "the tenant's id; platform for global.*";

interface AddressFlags {
  tenant?: string;
  eventType?: string;
  channel?: Channel;
}

const tenant: CommandOverride = {
  define(command) {
    command.requiredOption("--tenant <id>", TENANT);
  },
};

const channel: CommandOverride = {
  fields: ["channel"],
  define(command) {
    command.requiredOption("--channel <channel>", ANY_CHANNEL, channelValue);
  },
  input: async ({ channel }) => ({ channel }),
};

/** Selects a template by its id, or by tenant, event type and channel. */
const address = {
  fields: ["eventType", "channel"],
  define(command) {
    command
      .argument("[id]", "the template's id")
      .option("--tenant <id>", TENANT)
      .option("--event-type <type>", "the template's event type")
      .option("--channel <channel>", ANY_CHANNEL, channelValue);
  },
  async input(flags, { db }, [id]) {
    const { tenant, eventType, channel } = flags as AddressFlags;
    if (id !== undefined) {
      const row = await requireTemplate(
        db,
        tenant === undefined ? { id } : { id, tenantId: tenant },
      );
      return { tenantId: row.tenantId, eventType: row.eventType, channel: row.channel };
    }
    if (tenant === undefined) throw new CommandError("--tenant is required (or the template's ID)");
    if (eventType === undefined) throw new CommandError("--event-type is required");
    if (channel === undefined) throw new CommandError("--channel is required");
    return { tenantId: tenant, eventType, channel };
  },
} satisfies CommandOverride;

const variables: CommandOverride = {
  fields: ["variables"],
  define(command) {
    command.option(
      "--variables-file <file>",
      "a JSON object, or - for standard input; default: none",
    );
  },
  input: async (flags) => ({ variables: await variablesOf(flags) }),
};

const actions: CommandOverride = {
  fields: ["actions"],
  define(command) {
    command.option(
      "--action <label=url>",
      `a button of ${IN_APP}, as "Track=/orders/{{id}}"; up to two`,
      (text: string, before: object[] = []) => [...before, actionValue(text)],
    );
  },
  input: async ({ action }) => ({ actions: action }),
};

function content(description: string, isRequired = false): CommandOverride {
  return {
    fields: ["content"],
    define(command) {
      const option = command.createOption("--content-file <file>", description);
      command.addOption(option.makeOptionMandatory(isRequired));
    },
    input: async (flags) => ({ content: await contentOf(flags) }),
  };
}

const digest: CommandOverride = {
  fields: ["digest"],
  define(command) {
    for (const [name, { kind, description }] of Object.entries(DIGEST_PARTS)) {
      const { type } = kind.keywords;
      const value = type === "boolean" ? "" : ` <${type === "integer" ? "n" : name}>`;
      const option = command.createOption(`--${lineName(`digest-${name}`)}${value}`, description);
      command.addOption(type === "integer" ? option.argParser(integerValue) : option);
    }
    command.option("--no-digest", "each event is sent by itself again");
  },
  input: async (flags, { db }) => ({ digest: await digestOf(db, flags) }),
};

const timing: CommandOverride = joined(digest, {
  fields: ["throttle", "afterUnreadSeconds"],
  define(command) {
    const { throttle, afterUnreadSeconds } = SETTINGS;
    command
      .option("--throttle <n/seconds>", `${throttle.description}, as 5/3600`)
      .option("--no-throttle", "as many as there are again")
      .option("--after-unread-seconds <n>", afterUnreadSeconds.description, integerValue)
      .option("--no-after-unread", "sent whether it was read in the inbox or not");
  },
  input: async (flags) => ({
    throttle: throttleOf(flags.throttle),
    afterUnreadSeconds: flags.afterUnread === false ? null : flags.afterUnreadSeconds,
  }),
});

const inactiveOrDraft: CommandOverride = {
  fields: ["active"],
  define(command) {
    command
      .option("--inactive", "save without using it")
      .option(
        "--draft",
        "save as a draft, which is not in use: publish it with `template publish`",
      );
  },
  async input({ draft, inactive }) {
    if (draft === true && inactive === true) {
      throw new CommandError("--inactive does not go with --draft: use `template deactivate`");
    }
    return { active: inactive === true ? false : undefined };
  },
  act: async ({ draft }) => (draft === true ? putDraft : undefined),
};

const preview: CommandOverride = {
  ...address,
  async input(flags, session, args) {
    if (flags.contentFile === undefined) {
      const stray = ["subject", "title", "format", "url", "action"].find((name) => flags[name]);
      if (stray !== undefined) throw new CommandError(`--${stray} needs --content-file`);
      return await address.input(flags, session, args);
    }
    return { channel: channelOf(flags), tenantId: flags.tenant };
  },
  /** Previews a file without a tenant, with the platform's settings. */
  async offline(flags) {
    if (flags.contentFile === undefined || flags.tenant !== undefined) return undefined;
    const { subject, title, format, url, locale, plainCharacters } = flags as Record<string, never>;
    const texts = { subject, title, format, url, locale, plainCharacters, actions: flags.action };
    const parts = digestParts(flags);
    const digest: unknown = Object.keys(parts).length > 0 ? parts : undefined;
    const source = {
      ...texts,
      digest,
      channel: channelOf(flags),
      content: await contentOf(flags),
    };
    const rendered = await previewSource(
      undefined,
      PLATFORM,
      source as Parameters<typeof previewSource>[2],
      (await variablesOf(flags)) ?? {},
    );
    return withoutKind(rendered);
  },
  shown: withoutKind,
};

const ofFolder: CommandOverride = {
  fields: ["files"],
  define(command) {
    command.argument("<dir>");
  },
};

const BODY = "Markdown, MJML, HTML or text with {{variables}}, or -";
const preceding = "render this text instead of the saved one";

export const TEMPLATE_OVERRIDES: CommandOverrides = {
  "template list": tenant,
  "template show": address,
  "template activate": address,
  "template deactivate": address,
  "template delete": address,
  "template versions": address,
  "template restore": address,
  "template confirm": address,
  "template copy": address,
  "template create": tenant,
  "template publish": address,
  "template draft show": address,
  "template draft discard": address,
  "template draft put": joined(tenant, channel, content(BODY, true), actions, timing),
  "template put": joined(tenant, channel, content(BODY, true), actions, timing, inactiveOrDraft),
  "template preview": joined(preview, content(preceding), actions, digest, variables),
  "template test": joined(address, content("send this text instead"), actions, digest, variables),
  "template export": joined(ofFolder, tenant, {
    shown: async ({ files }: { files: TextFiles }, _, [dir = ""]) => ({
      files: Object.keys(files),
      leftover: await writeTemplateFolder(dir, files),
    }),
  }),
  "template import": joined(ofFolder, tenant, {
    input: async (_, __, [dir = ""]) => ({ files: await readTemplateFolder(dir) }),
    shown: (told: Static<typeof importTemplates.output>) => {
      const { checked, published, unchanged, warnings } = told;
      return { ...(checked === undefined ? { published, unchanged } : { checked }), warnings };
    },
  }),
  "layout put": joined(tenant, content("MJML with {{ $content }}, or -; default: as it is")),
  "layout show": tenant,
  "layout versions": tenant,
  "layout restore": tenant,
  "layout remove": tenant,
  "layout preview": joined(tenant, content("MJML with {{ $content }}, or -")),
};

/** Merges several overrides into one. */
function joined(...own: readonly CommandOverride[]): CommandOverride {
  return Object.assign({}, ...own, {
    fields: own.flatMap(({ fields = [] }) => fields),
    define: (command) => {
      for (const one of own) one.define?.(command);
    },
    async input(...given) {
      const inputs: Flags = {};
      for (const one of own) Object.assign(inputs, await one.input?.(...given));
      return inputs;
    },
  } satisfies CommandOverride);
}

function withoutKind({ kind: _, ...shown }: Preview) {
  return shown;
}

async function contentOf({ contentFile }: Flags): Promise<string | undefined> {
  return contentFile === undefined
    ? undefined
    : await readInput("--content-file", String(contentFile));
}

async function variablesOf({ variablesFile }: Flags) {
  return variablesFile === undefined
    ? undefined
    : await readJsonInput("--variables-file", String(variablesFile));
}

/** Returns the channel of a text that is not saved. */
function channelOf({ channel }: Flags) {
  if (channel === undefined) throw new CommandError("--channel is required with --content-file");
  return channel;
}

function throttleOf(flag: unknown) {
  if (typeof flag !== "string") return flag === false ? null : undefined;
  const { read, form } = SETTINGS.throttle.kind;
  const throttle = read(flag);
  if (throttle === undefined) throw new CommandError(`--throttle must be ${form}`);
  return throttle;
}

/** For each part of a digest's window: a part of the other kind of window. Setting one kind removes the other. */
const OTHER_WINDOW: Readonly<Record<string, string>> = {
  windowSeconds: "at",
  sliding: "at",
  maxSeconds: "at",
  at: "windowSeconds",
  days: "windowSeconds",
};

/** Returns the settings of the digest. Parts that are not given keep their published value. */
async function digestOf(db: Database, flags: Flags) {
  const given = digestParts(flags);
  const isGiven = Object.keys(given).length > 0;
  if (flags.digest === false) {
    if (isGiven) throw new CommandError("--no-digest does not go with --digest-…");
    return null;
  }
  if (!isGiven) return undefined;
  const { tenant: tenantId = "", eventType = "", channel } = flags as AddressFlags;
  const found = channel && (await findTemplate(db, { tenantId, eventType, channel }));
  const kept = Object.entries(found?.digest ?? {}).filter(
    ([name]) => given[OTHER_WINDOW[name] ?? ""] === undefined,
  );
  return { ...Object.fromEntries(kept), ...given };
}

function digestParts(flags: Flags): Record<string, unknown> {
  const parts: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(DIGEST_PARTS)) {
    const flag = flags[`digest${name.charAt(0).toUpperCase()}${name.slice(1)}`];
    if (flag === undefined) continue;
    parts[name] = typeof flag === "string" ? kind.read(flag) : flag;
    if (parts[name] !== undefined) continue;
    throw new CommandError(`--${lineName(`digest-${name}`)} must be ${kind.form}`);
  }
  return parts;
}

function actionValue(text: string) {
  const action = readAction(text);
  if (action === undefined) throw new InvalidArgumentError("It must be Label=URL.");
  return action;
}
