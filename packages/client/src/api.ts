/** What goes to Belfry and comes back, as its OpenAPI document says. */

export type Channel = "EMAIL" | "SMS" | "PUSH";

export interface TriggerInput {
  /** Matched against the event type of your templates. */
  eventType: string;
  /** Your own reference: stored and shown, not unique. */
  eventId?: string;
  /** Narrows the channels of this event; none or an empty list: all. */
  channels?: Channel[];
  payload: {
    /** The recipient's id in your own system. */
    userId: string;
    /** Needed for EMAIL. */
    recipientEmail?: string | null;
    /** Needed for SMS; E.164, as +12025550123. */
    recipientPhone?: string | null;
  };
  /** The recipient's language, as `de-AT` or `zh-Hant` (BCP 47): which templates are taken. */
  locale?: string;
  /** Values for the templates, by name. */
  variables?: Record<string, unknown>;
}

export interface Triggered {
  /** Belfry's id of the event: for `event`. */
  id: string;
  message: string;
  /** An earlier request with the same key was answered: nothing is delivered again. */
  replayed: boolean;
  traceId: string;
}

export interface RealtimeToken {
  token: string;
  /** As `personal#user-1`: subscribe to each. */
  channels: string[];
}

export interface HistoryPage {
  /** 1 to 1000; 50 when absent. */
  limit?: number;
  offset?: number;
}

export interface Notification {
  id: string;
  type: string;
  title: string;
  body: string;
  status: "UNREAD" | "READ";
  /** ISO 8601, UTC. */
  created_at: string;
  /** Where it leads: https, or a path of your own site. Absent where its template sets none. */
  url?: string;
  /** Its buttons, at most two. Absent where its template sets none. */
  actions?: { label: string; url: string }[];
}

export interface EventReport {
  id: string;
  eventId: string;
  tenantId: string;
  eventType: string;
  status: "accepted" | "dispatched" | "refused";
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  /** null: all. */
  requestedChannels: Channel[] | null;
  /** Of the trigger, as `de-AT`; null: none was named. */
  locale: string | null;
  traceId: string;
  acceptedAt: string;
  dispatchedAt: string | null;
  refusedAt: string | null;
  /** Empty until it is dispatched. */
  channels: Partial<Record<Channel, ChannelReport>>;
  timeline: { at: string; channel: Channel | null; what: string }[];
}

export interface ChannelReport {
  /** As `accepted`, `waiting`, `failed`, `skipped`; `published` for PUSH. */
  status: string;
  reason: string | null;
  /** Variables that the template names and the event does not have. */
  missing: string[];
  delivery?: {
    id: string;
    provider: string | null;
    messageId: string | null;
    dueAt: string | null;
    settledAt: string | null;
    attempts: {
      number: number;
      provider: string;
      startedAt: string;
      endedAt: string | null;
      class: string | null;
      reason: string | null;
      vendorStatus: string | null;
      messageId: string | null;
      nextAt: string | null;
    }[];
  };
  notification?: { id: string; realtimeChannel: string; read: boolean; readAt: string | null };
}
