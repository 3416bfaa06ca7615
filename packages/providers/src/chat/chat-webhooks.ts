import type { ChatMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { createHttpVendor, type HttpVendor, JSON_HEADERS } from "../http-vendor.ts";
import { defineProvider, type Provider, type ProviderContext } from "../provider.ts";
import type { HttpAnswer, JudgedVendor, Meaning } from "../send-outcome.ts";
import {
  aboutAddress,
  addressesFaults,
  addressesField,
  addressesOf,
  addressMissing,
  addressSecrets,
  isGone,
  nameIn,
} from "./named-addresses.ts";

interface WebhookSettings {
  addresses?: string | undefined;
  baseUrl?: string | undefined;
}

/** A vendor that takes a message at a secret URL, or with a secret key. */
export interface ChatWebhook extends JudgedVendor {
  body(message: ChatMessage, address: string): object;
  /** Returns the URL to post to, if the address itself is not that. */
  url?(address: string, settings: WebhookSettings): string;
}

/** Returns the `create` of a kind that sends each message to the webhook that its address names. */
export function createChatWebhooks({ body, url = (address) => address, ...judged }: ChatWebhook) {
  return async (
    settings: WebhookSettings,
    context: ProviderContext,
  ): Promise<Provider<ChatMessage>> => {
    const addresses = addressesOf(settings.addresses ?? "");
    const vendor: HttpVendor<{ message: ChatMessage; address: string }, WebhookSettings> = {
      ...judged,
      meaning: (answer, whole) => ofOneAddress(judged.meaning(answer, whole), whole),
      request: ({ message, address }) => ({
        url: url(address, settings),
        headers: JSON_HEADERS,
        body: JSON.stringify(body(message, address)),
      }),
      secretsOf: ({ address }) => addressSecrets(address),
    };
    const provider = await createHttpVendor(vendor)(settings, context);
    return {
      async send(message) {
        const name = nameIn(message.to);
        const address = addresses.get(name ?? "");
        if (name === undefined || address === undefined) return addressMissing(name);
        const sent = aboutAddress(await provider.send({ message, address }), name);
        return isGone(sent) ? { ...sent, suppress: "bounced" } : sent;
      },
      close: () => provider.close(),
    };
  };
}

/** A row of `kinds.ts` for a vendor that takes messages at webhooks alone. */
export function defineChatWebhooks(
  kind: { kind: string; title: string; example: string; link: string },
  vendor: Omit<ChatWebhook, "name">,
) {
  const { title, example, link } = kind;
  const addresses = addressesField({ example, link });
  const settings = Type.Object({ addresses }, { additionalProperties: false });
  return defineProvider<ChatMessage, typeof settings>({
    kind: kind.kind,
    content: "chat",
    title,
    settings,
    faults: (own, context) => addressesFaults(own.addresses, context),
    create: createChatWebhooks({ name: title, ...vendor }),
  });
}

/** The credential of a webhook is its URL, and its rate is its own. */
function ofOneAddress(meaning: Meaning, { status }: HttpAnswer): Meaning {
  if (meaning.class !== undefined) return meaning;
  if (status === 401 || status === 403) return { ...meaning, class: "permanent" };
  return status === 429 ? { ...meaning, class: "deferred" } : meaning;
}
