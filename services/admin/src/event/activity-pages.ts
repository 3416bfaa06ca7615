import { Readable } from "node:stream";
import { digestById, releaseDigest, showDigest } from "@belfry/administration/events/digests";
import {
  attachmentsOfEvent,
  openEventAttachment,
} from "@belfry/administration/events/event-attachments";
import { eventEvidence } from "@belfry/administration/events/event-evidence";
import {
  type EventReport,
  readEvent,
  readEventAndReasons,
} from "@belfry/administration/events/event-report";
import { resendEvent } from "@belfry/administration/events/resend-event";
import {
  type EventSearch,
  STATUS_GROUPS,
  searchEvents,
} from "@belfry/administration/events/search-events";
import { type SentContent, sentContent } from "@belfry/administration/events/sent-content";
import { NotFound } from "@belfry/administration/input-error";
import { CHANNELS, channelsWith, isChannel } from "@belfry/contracts/channels";
import type { ChannelReport } from "@belfry/contracts/event-report";
import { UUID } from "@belfry/contracts/identifiers";
import { documentAnswer, orFaults, page, redirect, withStatus } from "../page/answer.ts";
import { idOf, readMoments, typedTexts } from "../page/form-fields.ts";
import { type Phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { mailHeaders } from "../page/security-headers.ts";
import { messagesOfEvent } from "../webhook/webhook-rows.ts";
import { messageState } from "../webhook/webhook-words.ts";
import { channelStories } from "./channel-story.ts";
import { isMissed } from "./own-reasons.ts";
import { timelineWords } from "./timeline-words.ts";
import { waitsOfEvent } from "./waits-of-event.ts";

const PAGE = 50;

/** Registers the pages of the newest events, of a search among events, and of one event with all its channels. */
export function activityPages({ route, db, config }: PageDeps): void {
  route("GET /tenants/:tenantId/activity", async ({ tenant, query, base }) => {
    const wanted = (query.get("event") ?? "").trim();
    let unknown: string | undefined;
    if (wanted !== "") {
      const found = await readEvent(db, wanted, tenant.id).catch(orUndefined);
      if (found !== undefined) return redirect(`${base}/activity/${found.id}`);
      unknown = wanted;
    }
    const { search, values, faults } = searchOf(query, tenant.id);
    const found = await searchEvents(db, search);
    const next = new URLSearchParams(query);
    next.delete("event");
    if (found.next !== undefined) next.set("before", found.next);
    return page("activity", say`Activity`, {
      ...found,
      values: { ...values, event: wanted },
      unknown,
      faults,
      nextPage: found.next === undefined ? undefined : `?${next}`,
      isFirst: search.before === undefined,
      isFiltered: Object.values(values).some((value) => value !== ""),
      channels: CHANNELS,
      statuses: STATUS_GROUPS,
    });
  });

  const drawEvent = async (context: InTenant, fault?: Phrase) => {
    const { tenant, params } = context;
    const { event, reasons } = await readEventAndReasons(db, params.eventId ?? "", tenant.id);
    const evidence = await eventEvidence(db, event);
    const contents: Record<string, SentContent & { heading: Phrase }> = {};
    for (const channel of CHANNELS) {
      const report = event.channels[channel];
      if (report?.delivery === undefined && report?.notification === undefined) continue;
      const content = await sentContent(db, tenant.id, event.id, channel);
      contents[channel] = { ...content, heading: contentHeading(report) };
    }
    const told = (await messagesOfEvent(db, tenant.id, event.id)).map((message) => ({
      ...message,
      inWords: messageState(message.status),
    }));
    return page("event", event.eventType, {
      event,
      timelineWords,
      contents,
      told,
      fault,
      waits: waitsOfEvent(event),
      state: eventState(event, reasons),
      nothingYet: NOTHING_YET[event.status],
      stories: channelStories(event, { ...evidence, reasons }, context),
      variables: evidence.variables,
      attachments: evidence.isSensitive ? [] : await attachmentsOfEvent(db, tenant.id, event.id),
    });
  };

  route("GET /tenants/:tenantId/activity/:eventId", async (context) => {
    const { tenant, params, base } = context;
    const id = params.eventId ?? "";
    try {
      return await drawEvent(context);
    } catch (error) {
      if (!(error instanceof NotFound) || !UUID.test(id)) throw error;
      // Dead letters and the outbox link to a digest by the digest's id.
      if ((await digestById(db, tenant.id, id)) === undefined) throw error;
      return redirect(`${base}/digests/${id}`);
    }
  });

  route("GET /tenants/:tenantId/activity/:eventId/document", async ({ tenant, params, query }) => {
    const channel = query.get("channel") ?? channelsWith("email")[0];
    if (!isChannel(channel)) throw new NotFound("path", "no mail");
    const found = await sentContent(db, tenant.id, params.eventId ?? "", channel);
    if (!found.shown || found.content.kind !== "email") throw new NotFound("path", "no mail");
    return documentAnswer(found.content.html, mailHeaders(config.apiUrl));
  });

  route(
    "GET /tenants/:tenantId/activity/:eventId/attachments/:position",
    async ({ tenant, params: { eventId = "", position = "" } }) => {
      const file = await openEventAttachment(db, tenant.id, eventId, position);
      return documentAnswer(Readable.from(file.content, { objectMode: false }), {
        // An uploaded file is never shown as a page of ours.
        "content-type": "application/octet-stream",
        "content-disposition": `attachment; filename*=UTF-8''${fileNameValue(file.name)}`,
        "content-length": String(file.bytes),
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
      });
    },
  );

  route("POST /tenants/:tenantId/activity/:eventId/resend", async (context) => {
    const { params, run, base, form } = context;
    const channels = form.getAll("channel").filter(isChannel);
    // The act would read an empty list as all channels.
    if (channels.length === 0) {
      return withStatus(422, await drawEvent(context, say`Choose a channel to send it on again.`));
    }
    return await orFaults(
      () =>
        run(resendEvent, { id: params.eventId ?? "", channels }).then(({ newEvent }) =>
          redirect(`${base}/activity/${newEvent}`, "resent"),
        ),
      (faults) => drawEvent(context, say`The event ${faults.event}.`),
    );
  });
}

/** Encodes a file name by RFC 8187, including characters that encodeURIComponent leaves but the RFC reserves. */
function fileNameValue(name: string): string {
  const hex = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replaceAll(/['()*]/g, hex);
}

function searchOf(query: URLSearchParams, tenantId: string) {
  const values = typedTexts(query, ["user", "type", "trace", "channel", "status", "from", "to"]);
  const { from, to, channel } = values;
  const { moments, shown, faults } = readMoments({ from, to });
  const text = (value: string) => (value === "" || value.includes("\u0000") ? undefined : value);
  const search: EventSearch = {
    tenantId,
    limit: PAGE,
    before: idOf(query, "before"),
    ...moments,
    eventType: text(values.type),
    userId: text(values.user),
    traceId: text(values.trace),
    channel: isChannel(channel) ? channel : undefined,
    status: STATUS_GROUPS.find((one) => one === values.status),
  };
  return { search, values: { ...values, ...shown }, faults };
}

function orUndefined(error: unknown): undefined {
  if (error instanceof NotFound) return undefined;
  throw error;
}

/** Registers the page of a digest: its events, the end of its window, and the state of its message. */
export function digestPages({ route, db }: PageDeps): void {
  const drawDigest = async ({ tenant, params, run }: InTenant, fault?: Phrase) => {
    const digest = await run(showDigest, { id: params.digestId ?? "" });
    const content =
      digest.delivery !== null && digest.count > 0 && isChannel(digest.channel)
        ? await sentContent(db, tenant.id, digest.id, digest.channel)
        : undefined;
    const { delivery } = digest;
    const heading = delivery === null ? "" : contentHeading({ status: delivery.status });
    return page("digest", digest.eventType, { digest, content, heading, fault });
  };

  route("GET /tenants/:tenantId/digests/:digestId", (context) => drawDigest(context));

  route("POST /tenants/:tenantId/digests/:digestId/release", async (context) => {
    const { params, run, base } = context;
    const id = params.digestId ?? "";
    return await orFaults(
      () =>
        run(releaseDigest, { id }).then(() => redirect(`${base}/digests/${id}`, "digest-released")),
      (faults) => drawDigest(context, say`The message ${faults.id}.`),
    );
  });
}

const SENT = ["accepted", "delivered", "bounced", "complained", "published"];

/** Returns the heading of a channel's content. We render the content again, whether it was sent or not. */
function contentHeading({ status, delivery }: Pick<ChannelReport, "status" | "delivery">): Phrase {
  const classes = (delivery?.attempts ?? []).map((attempt) => attempt.class);
  if (SENT.includes(status) || classes.includes("accepted")) return say`as sent`;
  if (status === "unknown" || classes.some((one) => one === "ambiguous" || one === null)) {
    return say`as rendered, perhaps sent`;
  }
  if (["queued", "sending", "waiting"].includes(status)) return say`as rendered, not sent yet`;
  return say`as rendered, not sent`;
}

const UNDER_WAY = ["queued", "sending", "waiting"];
const ARRIVED = ["accepted", "delivered", "published"];

/** States of events that do not depend on the channels. */
const BEFORE_DISPATCH: Readonly<Record<string, { text: Phrase; tone: string }>> = {
  cancelled: { text: say`cancelled`, tone: "quiet" },
  refused: { text: say`refused`, tone: "bad" },
  scheduled: { text: say`scheduled`, tone: "busy" },
  accepted: { text: say`not dispatched yet`, tone: "busy" },
};

/** Sentences for an event without a state on any channel. */
const NOTHING_YET: Readonly<Record<string, Phrase>> = {
  cancelled: say`It was cancelled before it was sent.`,
  refused: say`It was refused, and nothing of it is sent.`,
  scheduled: say`It is scheduled for later.`,
  accepted: say`It was accepted, and is sent within seconds.`,
};

/**
 * Returns an event's badge over all its channels, by their states and stored reasons. A dispatched event is not yet
 * sent.
 */
function eventState(
  { status, channels }: EventReport,
  reasons: Readonly<Record<string, string | null>>,
) {
  const before = BEFORE_DISPATCH[status];
  if (before !== undefined) return before;
  const states = Object.values(channels).map((channel) => channel.status);
  const has = (wanted: readonly string[]) => states.some((one) => wanted.includes(one));
  const isWrong = Object.entries(channels).some(([name, { status: one }]) =>
    one === "skipped"
      ? has(ARRIVED) && isMissed(reasons[name])
      : !UNDER_WAY.includes(one) && !ARRIVED.includes(one),
  );
  if (isWrong) return { text: has(ARRIVED) ? say`partly sent` : say`not delivered`, tone: "bad" };
  if (has(UNDER_WAY)) return { text: say`under way`, tone: "busy" };
  return has(ARRIVED)
    ? { text: say`sent`, tone: "good" }
    : { text: say`nothing sent`, tone: "quiet" };
}
