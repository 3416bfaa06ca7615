import assert from "node:assert/strict";
import test from "node:test";
import type { SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { apiUrl, createHttpVendor, JSON_HEADERS, meaningOf } from "../src/http-vendor.ts";
import { defineProvider } from "../src/provider.ts";
import { baseUrlField, checkSettings, secretField } from "../src/settings.ts";
import { testHttpPromises } from "./http-provider-promises.ts";
import { SMS } from "./messages.ts";

// README's example of a new provider, as it stands there: it keeps every promise of the others.
const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "Of the account.",
      link: "https://acme.example/keys",
    }),
    baseUrl: baseUrlField("https://api.acme.example"),
  },
  { additionalProperties: false },
);

export const acme = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "acme",
  content: "text",
  title: "Acme",
  settings: SETTINGS,
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Acme",
    request: ({ to, text }, settings) => ({
      url: `${apiUrl(settings, "https://api.acme.example")}/v1/sms`,
      headers: { ...JSON_HEADERS, authorization: `Bearer ${settings.apiKey}` },
      body: JSON.stringify({ to, text }),
    }),
    acceptedId: ({ id }) => id,
    meaning: ({ error }) => meaningOf({ no_credit: { class: "credentials" } }, error),
  }),
});

const API_KEY = "acme-0123456789";
testHttpPromises({
  kind: acme,
  settings: { apiKey: API_KEY },
  message: SMS,
  secrets: [API_KEY],
  accept: { status: 201, headers: {}, body: '{"id":"m-1"}' },
});

test("a provider of ten lines has its base URL judged like any other's", () => {
  const settings = { apiKey: API_KEY, baseUrl: "https://169.254.169.254" };
  assert.deepEqual(checkSettings(acme, settings), ["baseUrl: must be a public address"]);
});
