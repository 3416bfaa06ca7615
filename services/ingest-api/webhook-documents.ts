import {
  DIGEST_EXAMPLE,
  WEBHOOK_EXAMPLES,
  WEBHOOK_MEANINGS,
  WEBHOOK_MESSAGE_TYPES,
  WEBHOOK_PAYLOADS,
} from "@belfry/contracts/webhook-payload";

/** Headers of every message, by Standard Webhooks. */
const HEADERS = {
  "webhook-id": {
    description: "The message; the same in every try, and when it is sent again by hand",
    example: "0198c0de-0000-7000-8000-00000000a001",
  },
  "webhook-timestamp": {
    description: "When this try began, in seconds since 1970",
    example: "1795167000",
  },
  "webhook-signature": {
    description:
      "`v1,` and base64 of the HMAC-SHA256 over `id.timestamp.body`; while a secret rotates two of them, with a blank between",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  },
};

/** What Belfry posts to endpoints, as OpenAPI's `webhooks`, by type. */
export function webhookDocuments(): Record<string, object> {
  const parameters = Object.entries(HEADERS).map(([name, words]) => ({
    ...{ name, in: "header", required: true, ...words },
    schema: { type: "string" as const },
  }));
  return Object.fromEntries(
    WEBHOOK_MESSAGE_TYPES.map((type) => {
      const examples: Record<string, { value: object }> = {
        [type]: { value: WEBHOOK_EXAMPLES[type] },
        ...(type === "delivery.accepted" ? { digest: { value: DIGEST_EXAMPLE } } : {}),
      };
      const post = {
        operationId: type.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: ["Webhooks"],
        summary: type,
        description: WEBHOOK_MEANINGS[type],
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: { "application/json": { schema: WEBHOOK_PAYLOADS[type], examples } },
        },
        responses: {
          "2XX": { description: "It is taken: it is not sent again by itself" },
          "4XX": { description: "It is sent again, later; 410 disables the endpoint" },
          "5XX": { description: "It is sent again, later" },
        },
      };
      return [type, { post }];
    }),
  );
}
