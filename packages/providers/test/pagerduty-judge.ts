import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** The body of `POST /v2/enqueue`, from PagerDuty's description of its Events API v2, and the limits of its guide. */
const Event = Type.Object(
  {
    routing_key: Type.String({ pattern: "^[A-Za-z0-9]{32}$" }),
    event_action: Type.Union(["trigger", "acknowledge", "resolve"].map((one) => Type.Literal(one))),
    dedup_key: Type.String({ minLength: 1, maxLength: 255 }),
    payload: Type.Object(
      {
        summary: Type.String({ minLength: 1, maxLength: 1024 }),
        source: Type.String({ minLength: 1 }),
        severity: Type.Union(
          ["critical", "error", "warning", "info"].map((one) => Type.Literal(one)),
        ),
        custom_details: Type.Optional(Type.Object({})),
      },
      { additionalProperties: false },
    ),
    links: Type.Optional(
      Type.Array(
        Type.Object({
          href: Type.String({ pattern: "^https?://" }),
          text: Type.Optional(Type.String()),
        }),
      ),
    ),
  },
  { additionalProperties: false },
);
const MAX_BYTES = 512 * 1024;

/** Answers an event as PagerDuty does: 202 if it has the described form, else 400 with the faults. */
export function pagerdutyAnswer({ body }: { body: string }): { status: number; body: object } {
  const event = JSON.parse(body);
  const faults = [...Value.Errors(Event, event)].map(({ path, message }) => `${path} ${message}`);
  if (Buffer.byteLength(body) > MAX_BYTES) faults.push("too large");
  if (faults.length > 0) return { status: 400, body: { status: "invalid event", errors: faults } };
  return {
    status: 202,
    body: { status: "success", message: "Event processed", dedup_key: event.dedup_key },
  };
}
