import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { incidentOf } from "@belfry/contracts/chat";
import { linkAddress, parsePublicUrl } from "@belfry/contracts/message-links";
import { ANY } from "@belfry/contracts/preferences";
import { type ReasonCode, storedReason } from "@belfry/contracts/reasons";
import type {
  ChatMessage,
  DeviceMessage,
  EmailMessage,
  ListHeaders,
  SmsMessage,
} from "@belfry/contracts/sending";
import type { ClaimedDelivery } from "@belfry/database/functions/claim-deliveries";
import { type Link, type LinkKeys, parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { emailFault, listHeadersFault, smsFault } from "@belfry/providers/message-form";
import { createAskedBatcher } from "@belfry/service/batcher";
import {
  parseVariables,
  storedEvent,
  withEventItems,
  withUser,
} from "@belfry/templates/language/event-variables";
import {
  createRenderer,
  type Rendered,
  type Renderer,
  rendererBytes,
  saysNothing,
} from "@belfry/templates/render";
import type { CompiledTemplate } from "@belfry/templates/source";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { inlineWarnings } from "./attachment-warnings.ts";
import { type DeviceContent, deviceContent, withDeviceParts } from "./device-content.ts";
import { mailEnvelope } from "./mail-envelope.ts";

/** The message to send, or the reason why there is none. */
export type MadeMessage = (
  | { ok: true; message: EmailMessage | SmsMessage | ChatMessage | MessageToDevices }
  | { ok: false; reason: string }
) &
  Lacking;

/** A message to all devices of a user, before it is addressed to one. */
export type MessageToDevices = DeviceContent &
  Pick<DeviceMessage, "deliveryId" | "tenantId" | "eventId">;

/** The variables and parts that a rendered message lacks. */
export interface Lacking {
  missing?: readonly string[];
  /** Texts for the timeline. */
  warnings?: readonly string[];
}

/**
 * Renders a delivery's template version with the variables of its event or events, the user's attributes, and the
 * reader's unsubscribe links. `linkSchemes` are the schemes that the tenant allows in addition to those that every
 * tenant has. `links` is undefined if messages have no links of ours. Never throws.
 */
export function makeMessage(
  delivery: ClaimedDelivery,
  renderer: Renderer,
  options: {
    channel: ProviderChannel;
    linkSchemes: readonly string[];
    links?: MessageLinks | undefined;
  },
): MadeMessage {
  const { channel, linkSchemes } = options;
  const links = options.links && listLinks(options.links, channel, delivery);
  if (delivery.recipient === null) return nothing("recipient-gone");
  const own = parseVariables(delivery.variables ?? "{}");
  if (own === undefined) return nothing("variables-unreadable");
  const variables = withUser(own, delivery.userAttributes);
  const ids = {
    deliveryId: delivery.id,
    tenantId: delivery.tenantId,
    eventId: delivery.eventId,
    to: delivery.recipient,
  };
  let rendered: ReturnType<Renderer>;
  try {
    const { digest, settings } = delivery;
    const system = withEventItems(links?.system, digest?.count ?? 1, () =>
      digest === undefined
        ? [{ id: delivery.eventId, at: delivery.at ?? new Date(), variables: own }]
        : digest.items.map(storedEvent),
    );
    rendered = renderer(variables, { ...settings, linkSchemes, system });
  } catch {
    return nothing("not-rendered");
  }
  if (!rendered.ok) {
    return { ok: false, reason: storedReason(rendered.code, rendered.args) };
  }
  const { missing } = rendered;
  const lacking: Lacking = { missing, ...warningsOf(rendered) };
  if (rendered.kind !== sentRow(channel).content) return nothing("wrong-channel");
  if (saysNothing(rendered)) return { ...nothing("nothing-to-say"), ...lacking };
  if (rendered.kind === "email") {
    const { subject, html, text } = rendered;
    const headers = links?.headers();
    const envelope =
      delivery.envelope &&
      mailEnvelope(delivery.envelope, {
        to: ids.to,
        variables,
        settings: delivery.settings,
        hasOwnLink: headers !== undefined || links?.isGiven() === true,
      });
    const message = {
      ...ids,
      subject,
      html,
      text,
      ...(headers && { headers }),
      ...envelope?.fields,
    };
    const files = delivery.envelope?.event?.attachments ?? [];
    const hasInline = files.length > 0 || html.includes("cid:");
    const warnings = [
      ...(envelope?.warnings ?? []),
      ...(hasInline ? inlineWarnings(html, files, delivery.sensitive) : []),
    ];
    if (warnings.length > 0) lacking.warnings = [...warnings, ...(lacking.warnings ?? [])];
    return judged(message, lacking, emailFault(message));
  }
  if (rendered.kind === "text") {
    const { text, segments, encoding } = rendered;
    const message = { ...ids, text, segments, encoding };
    return judged(message, lacking, smsFault(message));
  }
  if (rendered.kind === "chat") {
    const { blocks, url } = rendered;
    const incident = incidentOf(variables);
    return { ok: true, message: { ...ids, blocks, ...(url && { url }), incident }, ...lacking };
  }
  const { content, isCut } = deviceContent(rendered);
  const linksLeft = rendered.linksLeftOut ?? [];
  const warnings = [
    ...(isCut ? ["the text was cut to what fits into a push"] : []),
    ...(linksLeft.length > 0 ? [`links left out: ${linksLeft.join(", ")}`] : []),
    ...(lacking.warnings ?? []),
  ];
  if (warnings.length > 0) lacking.warnings = warnings;
  return { ok: true, message: { ...ids, ...content }, ...lacking };
}

function nothing(code: ReasonCode): { ok: false; reason: string } {
  return { ok: false, reason: storedReason(code) };
}

function warningsOf(rendered: Extract<Rendered, { ok: true }>): { warnings?: string[] } {
  const linksLeftOut = "linksLeftOut" in rendered ? rendered.linksLeftOut : undefined;
  if (linksLeftOut === undefined && rendered.warnings === undefined) return {};
  const links = linksLeftOut ? [`links left out: ${linksLeftOut.join(", ")}`] : [];
  return { warnings: [...links, ...(rendered.warnings ?? [])] };
}

function judged(
  message: EmailMessage | SmsMessage,
  lacking: Lacking,
  fault: ReasonCode | null,
): MadeMessage {
  return fault === null ? { ok: true, message, ...lacking } : { ...nothing(fault), ...lacking };
}

/** The unsubscribe links of one message. Each URL is made on first use. */
interface ListLinks {
  /** The system variables of the template, by name. */
  system: Readonly<Record<string, unknown>>;
  /** Returns the list's header fields, for a message whose event type has a category. */
  headers(): ListHeaders | undefined;
  /** Whether the renderer has read one of the links. */
  isGiven(): boolean;
}

/** Returns undefined if the reader cannot unsubscribe, because the category is required or the event is gone. */
function listLinks(
  links: MessageLinks,
  channel: ProviderChannel,
  { tenantId, userId, category }: ClaimedDelivery,
): ListLinks | undefined {
  if (userId === null || category?.required) return undefined;
  const message = { tenantId, userId, category: category?.key ?? ANY, channel };
  const made: { unsubscribe?: string; preferences?: string } = {};
  const system: Record<string, string | undefined> & { readonly $unsubscribe_url: string } = {
    get $unsubscribe_url() {
      made.unsubscribe ??= links.unsubscribeUrl(message);
      return made.unsubscribe;
    },
    get $preferences_url() {
      made.preferences ??= links.preferencesUrl(message, new Date());
      return made.preferences;
    },
    // Only set for a category, like the header field, so that a layout shows the link only then.
    get $list_unsubscribe_url() {
      return category === undefined ? undefined : system.$unsubscribe_url;
    },
  };
  return {
    system,
    headers: () =>
      category === undefined ? undefined : links.listHeaders(message, system.$unsubscribe_url),
    isGiven: () => made.unsubscribe !== undefined || made.preferences !== undefined,
  };
}

/** A message's recipient and category, which is `*` if it has none. */
export type LinkedMessage = Omit<Link, "expiresAt">;

/** Makes the links with which a reader turns off messages. */
export interface MessageLinks {
  /** Returns `$unsubscribe_url`, which turns this category off on this channel. It never expires. */
  unsubscribeUrl(message: LinkedMessage): string;
  /** Returns `$preferences_url`, which shows all of the user's preferences. It is valid for 30 days from `now`. */
  preferencesUrl(message: LinkedMessage, now: Date): string;
  /**
   * Returns values for a mail's header fields, or undefined if the URL is too long for a line of a mail, for example
   * with a user id of some hundred non-ASCII letters.
   */
  listHeaders(message: LinkedMessage, unsubscribeUrl: string): ListHeaders | undefined;
}

const DAY_MS = 86_400_000;
const PREFERENCES_DAYS = 30;

/** Returns undefined if there are no links, because `PUBLIC_URL` or `LINK_KEYS` is not set. Throws for bad values. */
export function messageLinks(config: {
  PUBLIC_URL: string;
  LINK_KEYS: string;
}): MessageLinks | undefined {
  if (config.PUBLIC_URL === "" || config.LINK_KEYS === "") return undefined;
  return linksAt(parsePublicUrl(config.PUBLIC_URL), parseLinkKeys(config.LINK_KEYS));
}

function linksAt(publicUrl: string, keys: LinkKeys): MessageLinks {
  const host = listHost(publicUrl);
  return {
    unsubscribeUrl: (message) =>
      linkAddress(publicUrl, "unsubscribe", sealLink(keys, "unsubscribe", message)),
    preferencesUrl(message, now) {
      const expiresAt = new Date(now.getTime() + PREFERENCES_DAYS * DAY_MS);
      // The page shows all preferences of the user, so the link has no category and channel.
      const token = sealLink(keys, "preferences", {
        ...message,
        category: ANY,
        channel: ANY,
        expiresAt,
      });
      return linkAddress(publicUrl, "preferences", token);
    },
    listHeaders({ tenantId, category }, unsubscribeUrl) {
      const listId = `${listLabel(category)}.${tenantId}.${host}`;
      const headers = { listUnsubscribe: unsubscribeUrl, listId };
      return listHeadersFault(headers) === null ? headers : undefined;
    },
  };
}

/** Returns the label of a category in a List-Id, without repeated or trailing dots, which a List-Id may not have. */
function listLabel(category: string): string {
  if (category === ANY) return "all";
  return category.replaceAll(/\.+/g, ".").replace(/\.$/, "");
}

/** Returns the host for List-Ids. An IPv6 address is not allowed there. */
function listHost(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return hostname.startsWith("[") ? "localhost" : hostname.replace(/\.$/, "");
}

export interface Renderers {
  /** Returns the renderer of a template version, or undefined if the version is gone. */
  of(templateVersionId: string): Promise<Renderer | undefined>;
  /** Called when the configuration has changed. Templates and their settings are then read again. */
  forget(): void;
}

/** Enough for a thousand usual mail templates, or ten of the largest. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Row {
  id: string;
  compiled: CompiledTemplate;
  plain_characters: boolean;
  image: string | null;
  data: Record<string, string> | null;
  collapse_key: string | null;
}

interface Loaded {
  renderer: Renderer;
  bytes: number;
}

/** Creates the cache of renderers. A version never changes; its template's settings are kept until `forget`. */
export function createRenderers(pool: pg.Pool, maxBytes = MAX_BYTES): Renderers {
  const load = createAskedBatcher<string, Loaded | undefined>({
    maxItems: 100,
    maxInFlight: 2,
    lingerMs: 0,
    run: (ids) => loadRenderers(pool, ids),
  });
  const createCache = () =>
    new LRUCache<string, Loaded>({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      fetchMethod: (id) => load(id),
      // Callers that wait for an entry get it even if it is evicted meanwhile.
      ignoreFetchAbort: true,
    });
  let cache = createCache();
  return {
    of: async (id) => (cache.get(id) ?? (await cache.fetch(id)))?.renderer,
    forget() {
      // Reads that are still running fill the old cache.
      cache = createCache();
    },
  };
}

async function loadRenderers(pool: pg.Pool, ids: string[]): Promise<(Loaded | undefined)[]> {
  const { rows } = await pool.query<Row>({
    name: "compiled_templates",
    text: `select v.id, v.compiled, t.plain_characters, t.image, t.data, t.collapse_key
      from template_versions v join templates t on t.id = v.template_id where v.id = any ($1::bigint[])`,
    values: [ids],
  });
  const byId = new Map(
    rows.map((row) => [row.id, { renderer: rendererOf(row), bytes: rendererBytes(row.compiled) }]),
  );
  return ids.map((id) => byId.get(id));
}

function rendererOf({ compiled, plain_characters: plainCharacters, ...row }: Row): Renderer {
  const renderer = createRenderer(compiled);
  if (compiled.kind === "notification") {
    const { image, data, collapse_key: collapseKey } = row;
    return withDeviceParts(renderer, { image, data, collapseKey });
  }
  if (!plainCharacters) return renderer;
  return (variables, settings) => renderer(variables, { ...settings, plainCharacters });
}
