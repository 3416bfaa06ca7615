import type { SmsMessage } from "@belfry/contracts/sending";
import { createHttpCalls } from "@belfry/providers/http-calls";
import { defineProvider } from "@belfry/providers/provider";
import { outcome } from "@belfry/providers/send-outcome";
import { Type } from "@sinclair/typebox";

const SETTINGS = Type.Object(
  { baseUrl: Type.String({ title: "Address", description: "Of the pager company." }) },
  { additionalProperties: false },
);

/** A test provider that accepts any text over plain HTTP. */
export const pager = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "pager",
  content: "text",
  title: "Pager company",
  settings: SETTINGS,
  create({ baseUrl }, context) {
    const calls = createHttpCalls(context);
    return {
      async send({ to, text }) {
        const body = JSON.stringify({ to, text });
        const result = await calls.post({ url: baseUrl, headers: {}, body });
        if (!result.answered) return result.outcome;
        const { status } = result.answer;
        return outcome(status === 200 ? "accepted" : "transient", `HTTP ${status}`);
      },
      close: calls.close,
    };
  },
});
