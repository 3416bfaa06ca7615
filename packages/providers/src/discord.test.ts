import { testNamedVendor } from "../test/chat-vendor.ts";
import { discord } from "./discord.ts";

const refused = (status: number, code: number) => ({ status, body: { message: "Why", code } });

testNamedVendor({
  kind: discord,
  to: "discord:ops",
  accept: { status: 200, headers: {}, body: '{"id":"1044","channel_id":"7"}' },
  messageId: "1044",
  path: "/hooks/T0/secret-0123456789?wait=true",
  errors: [
    [
      10015,
      refused(404, 10015),
      { class: "permanent", reason: "the webhook of the address ops no longer exists" },
    ],
    [50027, refused(401, 50027), { class: "permanent", vendorStatus: "50027" }],
    [50035, refused(400, 50035), { class: "permanent", vendorStatus: "50035" }],
    [
      "the rate of one webhook",
      {
        status: 429,
        body: { message: "You are being rate limited.", retry_after: 0.31, global: false },
      },
      { class: "deferred", retryAfterSeconds: 1 },
    ],
    [
      "the rate of all",
      {
        status: 429,
        body: { message: "You are being rate limited.", retry_after: 64.57, global: true },
      },
      { class: "throttled", retryAfterSeconds: 65 },
    ],
    ["a message without an id", { status: 200, body: {} }, { class: "ambiguous" }],
  ],
});
