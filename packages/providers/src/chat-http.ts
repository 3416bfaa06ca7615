import { plainChat } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { mattermostMarkdown } from "./chat/markdown-dialects.ts";
import {
  aboutAddress,
  addressesFaults,
  addressesField,
  addressesOf,
  addressMissing,
  addressSecrets,
  nameIn,
} from "./chat/named-addresses.ts";
import { createHttp, faultsOf, IDS, settingsOf } from "./http.ts";
import { messageIds } from "./message-form.ts";
import { defineProvider } from "./provider.ts";

const NAMES = ["to", "text", "markdown", "blocks", "url", ...IDS, "secret"];
const { url: _, ...OTHERS } = settingsOf(NAMES, '{"text": {{ markdown }}}').properties;
const SETTINGS = Type.Object(
  { addresses: addressesField({ example: "ops=https://chat.example.com/…" }), ...OTHERS },
  { additionalProperties: false },
);

const CREDENTIAL_STATUSES = ["401", "403"];

/** Chat messages through any API that accepts a message by one request with a JSON body, each at its name's URL. */
export const chatHttp = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "chat-http",
  content: "chat",
  title: "Any HTTP API",
  settings: SETTINGS,
  faults: (settings, context) => [
    ...addressesFaults(settings.addresses, context),
    ...faultsOf(settings, context, NAMES),
  ],
  async create(settings, context) {
    const addresses = addressesOf(settings.addresses);
    // Credentials in the header fields or the body are those of all addresses.
    const hasCredentials = settings.headers !== undefined || settings.secret !== undefined;
    const urlOf = ({ to }: ChatMessage) => addresses.get(nameIn(to) ?? "");
    // Only the URL that was called: to look for thousands would cost the sender a second for each answer.
    const secretsOf = (message: ChatMessage) => addressSecrets(urlOf(message) ?? "");
    const provider = await createHttp(settings, context, valuesOf, urlOf, secretsOf);
    return {
      async send(message) {
        const name = nameIn(message.to);
        if (name === undefined || !addresses.has(name)) return addressMissing(name);
        const outcome = await provider.send(message);
        if (hasCredentials && CREDENTIAL_STATUSES.includes(outcome.vendorStatus ?? ""))
          return outcome;
        const sent = aboutAddress(outcome, name);
        return sent.class === "throttled" ? { ...sent, class: "deferred" } : sent;
      },
      close: () => provider.close(),
    };
  },
});

function valuesOf(message: ChatMessage): Record<string, unknown> {
  const { to, blocks, url = "" } = message;
  const texts = { text: plainChat(blocks, true), markdown: mattermostMarkdown(message) };
  return { to: nameIn(to), ...texts, blocks, url, ...messageIds(message) };
}
