import { suppressionsOfTenant } from "@belfry/administration/events/suppression-rows";
import { type InputFault, NotFound } from "@belfry/administration/input-error";
import { type Provider, providerKinds } from "@belfry/administration/providers/provider-rows";
import {
  LAST_POSITION,
  providerAt,
  putProvider,
  readProviders,
} from "@belfry/administration/providers/providers";
import { activateProvider, testProvider } from "@belfry/administration/providers/use-provider";
import { ADDRESSES } from "@belfry/contracts/addresses";
import {
  addressOfChannel,
  isAddressChannel,
  isProviderChannel,
  namesKind,
} from "@belfry/contracts/channels";
import { webhookPath } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { receiptReader } from "@belfry/providers/kinds";
import type { TObject } from "@sinclair/typebox";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { type Phrase, phrase, say, type Words } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** For devices, a test goes to a user's device. */
const USER_ADDRESS = { label: "User", placeholder: "user-1", read: () => undefined };

interface Shown {
  /** Undefined for a new account. */
  provider?: Provider | undefined;
  /** The typed values. */
  given?: URLSearchParams;
  faults?: Faults;
  test?: object;
}

/**
 * Registers the pages of one account at a vendor: a form made from the settings' schema, in which secrets can only be
 * written, and a test. A new account is last in order and is not used until the vendor has accepted a test, so that
 * wrong settings never stop live messages.
 */
export function providerFormPages({ route, db, config, once }: PageDeps): void {
  const show = async (
    tenantId: string,
    channelName: string | null,
    kindName: string | null,
    { provider, given, faults = {}, test }: Shown = {},
  ): Promise<Answer> => {
    const { kind, channel } = await kindOf(channelName, kindName);
    const receipts = receiptReader(kind.kind);
    const name = provider === undefined || provider.name === kind.kind ? "" : provider.name;
    return page("provider-form", kind.title, {
      kind,
      channel,
      address: isAddressChannel(channel) ? ADDRESSES[addressOfChannel(channel)] : USER_ADDRESS,
      provider,
      name: given?.get("name") ?? name,
      fields: fieldsOf(kind.settings, provider?.settings, given),
      maxPerSecond: given?.get("maxPerSecond") ?? provider?.maxPerSecond ?? "",
      faults,
      receipts: receipts && {
        address: config.apiUrl + webhookPath(kind.kind, tenantId),
        askedByMessage: receipts.askedByMessage,
        setUp: receipts.setUp && {
          text: phrase(receipts.setUp.text),
          link: receipts.setUp.link,
        },
      },
      test,
      isFirst: provider !== undefined && (await isFirst(db, provider)),
      gone: provider === undefined ? [] : await goneAddresses(db, provider),
    });
  };

  const save = async (
    context: InTenant,
    channelName: string | null,
    kindName: string | null,
    provider?: Provider,
  ): Promise<Answer> => {
    const { tenant, form: given, run, base } = context;
    const { kind, channel } = await kindOf(channelName, kindName);
    const rate = (given.get("maxPerSecond") ?? "").trim();
    const of =
      provider === undefined
        ? { only: "new" as const, position: LAST_POSITION }
        : { id: provider.id, keepSecrets: true };
    return await orFaults(
      async () => {
        const saved = await run(putProvider, {
          ...of,
          channel,
          kind: kind.kind,
          name: (given.get("name") ?? "").trim() || kind.kind,
          settings: settingsOf(kind.settings, given),
          maxPerSecond: rate === "" ? null : Number(rate),
        });
        const path = `${base}/providers/${saved.id}`;
        if (provider === undefined) return redirect(path, "provider-added");
        return redirect(path, saved.active ? "in-use" : "saved");
      },
      (_, faults) =>
        show(tenant.id, channel, kindName, { provider, given, faults: settingsFaults(faults) }),
    );
  };

  route("GET /tenants/:tenantId/providers/new", ({ query, tenant }) =>
    show(tenant.id, query.get("channel"), query.get("kind")),
  );

  route("POST /tenants/:tenantId/providers", (context) =>
    save(context, context.form.get("channel"), context.form.get("kind")),
  );

  const found = ({ tenant, params }: InTenant) =>
    providerAt(db, { id: params.providerId ?? "", tenantId: tenant.id });

  route("GET /tenants/:tenantId/providers/:providerId", async (context) => {
    const provider = await found(context);
    const test = await once.take(context);
    return await show(context.tenant.id, provider.channel, provider.kind, { provider, test });
  });

  route("POST /tenants/:tenantId/providers/:providerId", async (context) => {
    const provider = await found(context);
    return await save(context, provider.channel, provider.kind, provider);
  });

  route("POST /tenants/:tenantId/providers/:providerId/test", async (context) => {
    const provider = await found(context);
    const { tenant, run, form: given, base, person } = context;
    const { id } = provider;
    const to = given.get("to") ?? "";
    return await orFaults(
      async () => {
        const outcome = await run(testProvider, { id, to });
        const path = `${base}/providers/${id}#test`;
        const isActivated = outcome.class === "accepted" && given.has("activate");
        if (isActivated) await run(activateProvider, { id });
        return await once.show(person, path, { to, outcome, isActivated });
      },
      (faults) =>
        show(tenant.id, provider.channel, provider.kind, {
          provider,
          faults,
          test: { to, activate: given.has("activate") },
        }),
    );
  });
}

/** Whether messages are sent with this account first. */
async function isFirst(db: Database, { id, tenantId, channel }: Provider): Promise<boolean> {
  const all = await readProviders(db, tenantId);
  return all.find((one) => one.channel === channel && one.active)?.id === id;
}

const MAX_GONE = 100;

/** Returns the addresses that the vendor no longer has. */
async function goneAddresses(db: Database, { tenantId, channel, kind }: Provider) {
  if (!isAddressChannel(channel) || !namesKind(channel)) return [];
  const page = { limit: MAX_GONE, channels: [channel], beginning: `${kind}:` };
  const found = await suppressionsOfTenant(db, tenantId, page);
  return found.filter(({ reason }) => reason === "bounced");
}

async function kindOf(channel: string | null, name: string | null) {
  const kinds = isProviderChannel(channel) ? await providerKinds(channel) : [];
  const kind = kinds.find((row) => row.kind === name);
  if (!isProviderChannel(channel) || kind === undefined) {
    throw new NotFound("kind", "no such kind of provider");
  }
  return { kind, channel };
}

/** A field of the form that is made from a provider's settings schema. */
interface SettingsField {
  kind: keyof typeof LOOKS;
  name: string;
  label: Words;
  hint: Words;
  required: boolean;
  value: string;
  /** Whether a box is checked. */
  checked: boolean;
  placeholder: string;
  /** The vendor's page that shows the value. */
  link: string | undefined;
  /** Options of a choice: each value with its label. */
  options: [string, Words][] | undefined;
}

/** Further values that the view of a field needs, by the kind of setting. */
const LOOKS = {
  text: {},
  choice: {},
  number: { inputmode: "numeric" },
  secret: { type: "password", autocomplete: "new-password" },
  lines: { lines: 6, code: true },
  yes: {},
};

/**
 * Returns the form's fields. `saved` has the stored settings with masked secrets. Typed values (`given`) replace them.
 */
function fieldsOf(
  schema: TObject,
  saved: Record<string, unknown> | undefined,
  given: URLSearchParams | undefined,
): SettingsField[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const isSecret = property.secret === true;
    const shown = saved?.[name];
    // A typed secret is not shown again, either.
    const value = isSecret ? "" : (given?.get(`settings.${name}`) ?? text(shown));
    const isStored = isSecret && shown !== undefined;
    const description = phrase(property.description ?? "");
    const kind = lookOf(property);
    return {
      autocomplete: "off",
      ...LOOKS[kind],
      kind,
      name: `settings.${name}`,
      label: phrase(property.title ?? name),
      hint: isStored
        ? say`${description} Stored: ${shown}. Leave it empty to keep it.`
        : description,
      required: required.has(name) && !isStored,
      value: kind === "choice" && value === "" ? text(property.default) : value,
      checked: given === undefined ? shown === true : given.has(`settings.${name}`),
      link: property.link,
      options: kind === "choice" ? choicesOf(property) : undefined,
      placeholder: text(property.default).split(" ")[0] ?? "",
    };
  });
}

/** Returns the form's settings without empty fields. */
function settingsOf(schema: TObject, form: URLSearchParams): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const typed = form.get(`settings.${name}`) ?? "";
    const value = property.multiline === true ? typed.replaceAll("\r\n", "\n") : typed.trim();
    if (property.type === "boolean") settings[name] = form.has(`settings.${name}`);
    else if (value === "") continue;
    else if (property.type === "integer" || property.type === "number") {
      settings[name] = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    } else settings[name] = value;
  }
  return settings;
}

/** Returns faults by field. The message of a `settings` fault begins with the field's name (`apiKey: is missing`). */
function settingsFaults(faults: readonly InputFault[]): Faults {
  const byField: Record<string, Phrase> = {};
  for (const { field, message } of faults) {
    const [, name, rest] = /^(\w+): (.*)$/s.exec(message) ?? [];
    if (field === "settings" && name !== undefined)
      byField[`settings.${name}`] = faultWords(rest ?? message);
    else byField[field] = faultWords(message);
  }
  return byField;
}

function choicesOf({ anyOf }: Record<string, unknown>): [string, Words][] {
  return (anyOf as { const: string; title: string }[]).map((one) => [one.const, phrase(one.title)]);
}

function lookOf(property: Record<string, unknown>): SettingsField["kind"] {
  if (property.anyOf !== undefined) return "choice";
  if (property.multiline === true) return "lines";
  if (property.secret === true) return "secret";
  if (property.type === "boolean") return "yes";
  return property.type === "integer" || property.type === "number" ? "number" : "text";
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
