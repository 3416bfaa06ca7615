import { digestById } from "@belfry/administration/events/digest-rows";
import { eventEvidence } from "@belfry/administration/events/event-evidence";
import { readEvent } from "@belfry/administration/events/event-report";
import { resendEvent } from "@belfry/administration/events/resend-event";
import {
  type EventSearch,
  STATUS_GROUPS,
  type StatusGroup,
  searchEvents,
} from "@belfry/administration/events/search-events";
import { type SentContent, sentContent } from "@belfry/administration/events/sent-content";
import { NotFound } from "@belfry/administration/input-error";
import { CHANNELS, channelsWith, isChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { documentAnswer, orFaults, page, redirect } from "../page/answer.ts";
import { readMoments } from "../page/form-fields.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { MAIL_HEADERS } from "../page/security-headers.ts";
import { waitsOfEvent } from "../waiting/waits-of-event.ts";
import { messageState } from "../webhook/message-state.ts";
import { messagesOfEvent } from "../webhook/messages-of-event.ts";
import { channelStories } from "./channel-story.ts";
import { contentHeading } from "./content-heading.ts";
import { eventState } from "./event-state.ts";

const PAGE = 50;

/** Events as they come, the search, and the story of one. */
export function activityPages({ route, db }: PageDeps): void {
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
    return page("activity", "Activity", {
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

  const show = async (context: InTenant, fault?: string) => {
    const { tenant, params } = context;
    const event = await readEvent(db, params.eventId ?? "", tenant.id);
    const evidence = await eventEvidence(db, event);
    const contents: Record<string, SentContent & { heading: string }> = {};
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
      ...{ event, contents, told, fault, waits: waitsOfEvent(event), state: eventState(event) },
      ...{ stories: channelStories(event, evidence, context), variables: evidence.variables },
    });
  };

  route("GET /tenants/:tenantId/activity/:eventId", async (context) => {
    const { tenant, params, base } = context;
    const id = params.eventId ?? "";
    try {
      return await show(context);
    } catch (error) {
      if (!(error instanceof NotFound) || !UUID.test(id)) throw error;
      // A message that gathers events has an id of its own, which dead letters and the outbox lead to.
      if ((await digestById(db, tenant.id, id)) === undefined) throw error;
      return redirect(`${base}/digests/${id}`);
    }
  });

  route("GET /tenants/:tenantId/activity/:eventId/document", async ({ tenant, params, query }) => {
    const channel = query.get("channel") ?? channelsWith("email")[0];
    if (!isChannel(channel)) throw new NotFound("path", "no mail");
    const found = await sentContent(db, tenant.id, params.eventId ?? "", channel);
    if (!found.shown || found.content.kind !== "email") throw new NotFound("path", "no mail");
    return documentAnswer(found.content.html, MAIL_HEADERS);
  });

  route("POST /tenants/:tenantId/activity/:eventId/resend", async (context) => {
    const { params, run, base } = context;
    return await orFaults(
      async () => {
        const { newEvent } = await run(resendEvent, { id: params.eventId ?? "" });
        return redirect(`${base}/activity/${newEvent}`, "resent");
      },
      (faults) => show(context, `The event ${faults.event}.`),
    );
  });
}

function searchOf(query: URLSearchParams, tenantId: string) {
  const values = {
    user: (query.get("user") ?? "").trim(),
    type: (query.get("type") ?? "").trim(),
    trace: (query.get("trace") ?? "").trim(),
    channel: query.get("channel") ?? "",
    status: query.get("status") ?? "",
    from: query.get("from") ?? "",
    to: query.get("to") ?? "",
  };
  const { moments, shown, faults } = readMoments({ from: values.from, to: values.to });
  const before = query.get("before") ?? "";
  const text = (value: string) => (value === "" || value.includes("\u0000") ? undefined : value);
  const isStatus = (STATUS_GROUPS as readonly string[]).includes(values.status);
  const search: EventSearch = {
    tenantId,
    limit: PAGE,
    before: UUID.test(before) ? before : undefined,
    ...moments,
    eventType: text(values.type),
    userId: text(values.user),
    traceId: text(values.trace),
    channel: isChannel(values.channel) ? values.channel : undefined,
    status: isStatus ? (values.status as StatusGroup) : undefined,
  };
  return { search, values: { ...values, ...shown }, faults };
}

function orUndefined(error: unknown): undefined {
  if (error instanceof NotFound) return undefined;
  throw error;
}
