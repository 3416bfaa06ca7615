import type { SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { apiUrl, basicAuthorization, createHttpVendor, JSON_HEADERS } from "./http-vendor.ts";
import { plivoInbound, plivoReceipts } from "./plivo-receipt.ts";
import { defineProvider } from "./provider.ts";
import { DELIVERY_PARAMETER, receiptsAddress } from "./receipt.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";

const VENDOR_URL = "https://api.plivo.com";
const CONSOLE = "https://console.plivo.com/dashboard/";
const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const POWERPACK = new RegExp(`^${UUID}$`);

const SETTINGS = Type.Object(
  {
    authId: lineField({
      title: "Auth ID",
      description: "The id of the account (MA…) or of a subaccount (SA…).",
      link: CONSOLE,
      pattern: "^(MA|SA)[A-Z0-9]{18}$",
      fault: "must be MA or SA and 18 capital letters or digits",
    }),
    authToken: secretField({
      title: "Auth token",
      description:
        "It also signs what Plivo posts to /webhooks/plivo/<tenant>: what became of each message, and to /webhooks/plivo/<tenant>/inbound: the answers of people.",
      link: CONSOLE,
    }),
    sender: lineField({
      title: "Sender",
      description:
        "A number (+12025550100), short code, name of up to 11 letters and digits, or a Powerpack's UUID.",
      link: CONSOLE,
      pattern: `^(\\+?[1-9][0-9]{2,14}|[A-Za-z0-9]{1,11}|${UUID})$`,
      fault:
        "must be a phone number, a short code, a name of up to 11 letters and digits or a Powerpack's UUID",
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Text messages through Plivo's Message API, `POST /v1/Account/{auth_id}/Message/`. */
export const plivo = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "plivo",
  content: "text",
  title: "Plivo",
  receipts: plivoReceipts,
  inbound: plivoInbound,
  settings: SETTINGS,
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Plivo",
    request({ to, text, tenantId, deliveryId }, settings, context) {
      const { authId, authToken, sender } = settings;
      const callback = receiptsAddress(plivoReceipts, settings, context)?.(tenantId);
      const body = {
        ...(POWERPACK.test(sender)
          ? { powerpack_uuid: sender }
          : { src: sender.replace(/^\+/, "") }),
        dst: to.slice(1),
        text,
        ...(callback && { url: `${callback}?${DELIVERY_PARAMETER}=${deliveryId}`, method: "POST" }),
      };
      return {
        url: `${apiUrl(settings, VENDOR_URL)}/v1/Account/${authId}/Message/`,
        headers: { ...JSON_HEADERS, authorization: basicAuthorization(authId, authToken) },
        body: JSON.stringify(body),
      };
    },
    acceptedId(body, { status }) {
      const [id] = listOf(body.message_uuid);
      return status === 202 && typeof id === "string" && POWERPACK.test(id) ? id : undefined;
    },
    // The vendor reports errors by their HTTP status, and in texts that it may change.
    meaning(body, { status }) {
      // The vendor left out the number, which was the only one.
      if (status === 202 && listOf(body.invalid_number).length > 0) {
        return { code: "invalid_number", class: "permanent", suppress: "bounced" };
      }
      // The URL names only the account, so the account does not exist.
      return status === 404 && typeof body.api_id === "string" ? { class: "credentials" } : {};
    },
  }),
});

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
