import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { Webhook } from "standardwebhooks";

/** Where Belfry posts status webhooks of the demo tenant. */
export const DEMO_WEBHOOKS_PATH = "/demo/webhooks";

const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_KEPT = 60;
const MAX_KEPT_BYTES = 1024 * 1024;

/** A message as the page shows it; all of it is somebody's text. */
export interface ArrivedWebhook {
  /** The header `webhook-id`. */
  id: string;
  /** When it came first; ISO 8601, UTC. */
  arrivedAt: string;
  /** How often it came. */
  times: number;
  /** The bytes that were signed. */
  body: string;
}

export interface ArrivedWebhooks {
  /** The newest first. */
  messages: ArrivedWebhook[];
  /** Calls whose signature was not right. */
  refused: number;
}

/**
 * What a tenant's receiver does: it verifies, keeps each message once, and answers. The last 60 messages and
 * one MiB are kept, for as long as the process lives.
 */
export function createDemoWebhooks({
  secret,
  now = () => new Date(),
}: {
  secret: string;
  now?: () => Date;
}) {
  const webhook = new Webhook(secret);
  const kept = new Map<string, ArrivedWebhook>();
  let bytes = 0;
  let refused = 0;

  function forgetOldest(): void {
    for (const [id, { body }] of kept) {
      if (kept.size <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) return;
      kept.delete(id);
      bytes -= Buffer.byteLength(body);
    }
  }

  return {
    /** false: the signature is not right, and nothing is kept. */
    receive(body: Buffer, headers: IncomingHttpHeaders): boolean {
      const text = body.toString("utf8");
      const id = String(headers["webhook-id"]);
      try {
        webhook.verify(text, headers as Record<string, string>);
      } catch {
        refused += 1;
        return false;
      }
      const there = kept.get(id);
      if (there === undefined) {
        kept.set(id, { id, arrivedAt: now().toISOString(), times: 1, body: text });
        bytes += Buffer.byteLength(text);
        forgetOldest();
      } else {
        there.times += 1;
      }
      return true;
    },
    list: (): ArrivedWebhooks => ({ messages: [...kept.values()].reverse(), refused }),
  };
}

export type DemoWebhooks = ReturnType<typeof createDemoWebhooks>;

/** In a scope of its own: what is signed are the bytes, not what a JSON parser makes of them. */
export async function addDemoWebhooks(app: FastifyInstance, webhooks: DemoWebhooks): Promise<void> {
  app.get(DEMO_WEBHOOKS_PATH, () => webhooks.list());
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "buffer", bodyLimit: MAX_MESSAGE_BYTES },
      (_request, body, parsed) => parsed(null, body),
    );
    scope.post<{ Body: Buffer | undefined }>(DEMO_WEBHOOKS_PATH, (request, reply) =>
      reply
        .code(webhooks.receive(request.body ?? Buffer.alloc(0), request.headers) ? 204 : 400)
        .send(),
    );
    done();
  });
}
