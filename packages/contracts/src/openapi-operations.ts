import type { TSchema } from "@sinclair/typebox";
import { EVENT_PATH, EventReport } from "./event-report.ts";
import { HISTORY_PATH, HistoryResponse, MARK_READ_PATH, MarkReadResponse } from "./notification.ts";
import {
  EVENT_ANSWER,
  HISTORY_ANSWER,
  MARK_READ_ANSWER,
  TOKEN_ANSWER,
  TOKEN_REQUEST,
  TRIGGER_ANSWER,
  TRIGGER_EXAMPLES,
} from "./openapi-examples.ts";
import type { AnswerHeader, PARAMETERS } from "./openapi-headers.ts";
import type { ProblemBody, ProblemName } from "./problems.ts";
import {
  REALTIME_TOKEN_PATH,
  RealtimeTokenRequest,
  RealtimeTokenResponse,
} from "./realtime-token.ts";
import { TRIGGER_PATH, TriggerRequest, TriggerResponse } from "./trigger.ts";

export const OPENAPI_PATH = "/openapi.json";
export const DOCS_PATH = "/docs";

/** One endpoint as a tenant's developer meets it. */
export interface Operation {
  id: string;
  method: "get" | "post" | "put";
  /** With `:name` for its parameters. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** false: for anybody, without a key. */
  needsKey: boolean;
  parameters: (keyof typeof PARAMETERS)[];
  request?: { schema: TSchema; examples: Record<string, unknown> };
  answer: {
    description: string;
    headers: AnswerHeader[];
    /** Absent: not JSON, or JSON of no schema of ours. */
    schema?: TSchema;
    example?: unknown;
    mediaType: string;
  };
  /** What it answers where it does not do as asked; the value changes what the example says. */
  problems: Partial<Record<ProblemName, Partial<ProblemBody>>>;
}

/** Of every endpoint: what goes wrong before a route is asked. */
const ALWAYS = { badRequest: {}, timeout: {}, uriTooLong: {}, headersTooLarge: {}, internal: {} };
const KEYED = {
  ...ALWAYS,
  unauthorized: {},
  tooManyRequests: { message: "Too many requests", retryAfter: 12 },
};
const WITH_BODY = { unparsable: {}, tooLarge: {}, unsupportedMediaType: {} };
const JSON_TYPE = "application/json; charset=utf-8";

export const OPERATIONS: readonly Operation[] = [
  {
    id: "triggerEvent",
    method: "post",
    path: TRIGGER_PATH,
    tag: "Events",
    summary: "Trigger an event",
    description:
      "Accepts an event for dispatch over EMAIL, SMS and PUSH. 200 means: stored, and it will be dispatched. The checks come in this order: key, signature, body, limits. Without X-Idempotency-Key, an event of the same type with the same payload within 24 hours is a replay of the first, even with other variables.",
    needsKey: true,
    parameters: ["signature", "idempotencyKey", "traceId", "traceparent"],
    request: { schema: TriggerRequest, examples: TRIGGER_EXAMPLES },
    answer: {
      description: "Accepted, or a replay of what was accepted earlier",
      headers: ["X-Event-Id", "Idempotency-Replayed", "RateLimit-Policy", "RateLimit"],
      schema: TriggerResponse,
      example: TRIGGER_ANSWER,
      mediaType: JSON_TYPE,
    },
    problems: {
      ...KEYED,
      ...WITH_BODY,
      validation: { message: ["eventType must be a string", "payload.userId must be a string"] },
      tooManyRequests: {
        message: "Rate limit exceeded for tenant Acme. Limit: 600/min",
        retryAfter: 12,
      },
    },
  },
  {
    id: "showEvent",
    method: "get",
    path: EVENT_PATH,
    tag: "Events",
    summary: "Show an event",
    description:
      "An event of yours and what became of it on each channel. Never its variables, nor what was rendered.",
    needsKey: true,
    parameters: ["eventId", "traceId", "traceparent"],
    answer: {
      description: "The event as far as it got",
      headers: [],
      schema: EventReport,
      example: EVENT_ANSWER,
      mediaType: JSON_TYPE,
    },
    problems: { ...KEYED, notFound: {} },
  },
  {
    id: "createRealtimeToken",
    method: "post",
    path: REALTIME_TOKEN_PATH,
    tag: "Realtime",
    summary: "Request a realtime token",
    description:
      "A connection token for one user's browser, valid for 2 hours, and the channels to subscribe to.",
    needsKey: true,
    parameters: ["traceId", "traceparent"],
    request: { schema: RealtimeTokenRequest, examples: { user: TOKEN_REQUEST } },
    answer: {
      description: "The token",
      headers: [],
      schema: RealtimeTokenResponse,
      example: TOKEN_ANSWER,
      mediaType: JSON_TYPE,
    },
    problems: { ...KEYED, ...WITH_BODY, validation: { message: ["userId must be a string"] } },
  },
  {
    id: "listNotifications",
    method: "get",
    path: HISTORY_PATH,
    tag: "Notifications",
    summary: "Fetch the notification history",
    description:
      "The in-app notifications (PUSH) of one user, in the order in which their events were accepted, newest first.",
    needsKey: true,
    parameters: ["tenantId", "userId", "limit", "offset", "traceId", "traceparent"],
    answer: {
      description: "A page of the history",
      headers: [],
      schema: HistoryResponse,
      example: HISTORY_ANSWER,
      mediaType: JSON_TYPE,
    },
    problems: {
      ...KEYED,
      forbidden: {},
      validation: { message: ["limit must be an integer from 1 to 1000"] },
    },
  },
  {
    id: "markNotificationRead",
    method: "put",
    path: MARK_READ_PATH,
    tag: "Notifications",
    summary: "Mark a notification as read",
    description: "Without a body. Marking what is read already changes nothing and is 200.",
    needsKey: true,
    parameters: ["tenantId", "userId", "notificationId", "traceId", "traceparent"],
    answer: {
      description: "It is READ",
      headers: [],
      schema: MarkReadResponse,
      example: MARK_READ_ANSWER,
      mediaType: JSON_TYPE,
    },
    problems: {
      ...KEYED,
      forbidden: {},
      notFound: {},
      tooLarge: {},
      unsupportedMediaType: {},
      validation: { message: ["userId must be at most 255 characters"] },
    },
  },
  {
    id: "openapi",
    method: "get",
    path: OPENAPI_PATH,
    tag: "Documentation",
    summary: "This document",
    description: "OpenAPI 3.1 in JSON.",
    needsKey: false,
    parameters: ["traceId", "traceparent"],
    answer: { description: "OpenAPI 3.1", headers: [], mediaType: JSON_TYPE },
    problems: ALWAYS,
  },
  {
    id: "docs",
    method: "get",
    path: DOCS_PATH,
    tag: "Documentation",
    summary: "This document as a page",
    description: "The same for people; one page without scripts.",
    needsKey: false,
    parameters: ["traceId", "traceparent"],
    answer: { description: "HTML", headers: [], mediaType: "text/html; charset=utf-8" },
    problems: ALWAYS,
  },
];
