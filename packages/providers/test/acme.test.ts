import assert from "node:assert/strict";
import test from "node:test";
import type { SmsMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { createHttpCalls } from "../src/http-calls.ts";
import { defineProvider } from "../src/provider.ts";
import { outcome, parseObject, refusal, statusClass } from "../src/send-outcome.ts";
import { baseUrlField, checkSettings, secretField } from "../src/settings.ts";
import { testHttpPromises } from "./http-provider-promises.ts";
import { SMS } from "./messages.ts";

// README's example of a new provider, as it stands there: it keeps every promise of the others.
const SETTINGS = Type.Object(
  {
    apiKey: secretField({ title: "API key", description: "From Acme's console." }),
    baseUrl: baseUrlField("https://api.acme.example"),
  },
  { additionalProperties: false },
);

export const acme = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "acme",
  content: "text",
  title: "Acme",
  settings: SETTINGS,
  create({ apiKey, baseUrl = "https://api.acme.example" }, context) {
    const calls = createHttpCalls(context);
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    return {
      async send({ to, text }) {
        const body = JSON.stringify({ to, text });
        const result = await calls.post({ url: `${baseUrl}/v1/sms`, headers, body });
        if (!result.answered) return result.outcome;
        const { status, text: answer } = result.answer;
        const { id } = parseObject(answer);
        if (status !== 201 || typeof id !== "string") {
          return refusal("Acme", statusClass(status), result.answer, context);
        }
        return outcome("accepted", "Acme accepted the message", { messageId: id });
      },
      close: calls.close,
    };
  },
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
