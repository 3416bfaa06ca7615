import { testNamedVendor } from "../test/chat-vendor.ts";
import { mattermost } from "./mattermost.ts";

const refused = (status: number, id: string) => ({
  status,
  body: { id, message: "Why", status_code: status },
});
const INVALID = "web.incoming_webhook.invalid.app_error";
const CHANNEL = "web.incoming_webhook.channel.app_error";
const DISABLED = "web.incoming_webhook.disabled.app_error";

testNamedVendor({
  kind: mattermost,
  to: "mattermost:ops",
  accept: { status: 200, headers: {}, body: "ok" },
  messageId: null,
  path: "/hooks/T0/secret-0123456789",
  errors: [
    [
      INVALID,
      refused(400, INVALID),
      { class: "permanent", reason: "the webhook of the address ops no longer exists" },
    ],
    [
      CHANNEL,
      refused(404, CHANNEL),
      { class: "permanent", reason: `address ops: Mattermost refused the message (${CHANNEL})` },
    ],
    [DISABLED, refused(501, DISABLED), { class: "deferred", vendorStatus: DISABLED }],
    ["a page of a proxy", { status: 200, body: "<html>" }, { class: "ambiguous" }],
  ],
});
