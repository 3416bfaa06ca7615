import { clientNetwork } from "@belfry/contracts/client-network";
import { IMAGE_ID, IMAGE_ROUTE } from "@belfry/contracts/images";
import { Problem } from "@belfry/contracts/problems";
import type { Database } from "@belfry/database/connection";
import type { AbuseLimits } from "@belfry/http-api/abuse-limits";
import { createVersionedCache, type VersionedCache } from "@belfry/service/versioned-cache";
import type { FastifyInstance } from "fastify";

interface StoredImage {
  type: string;
  sha256: Buffer;
  data: Buffer;
}

export type Images = VersionedCache<StoredImage>;

/** About thirty of the largest images, or a thousand usual logos. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Images and names without an image. */
const MAX_CACHED = 5_000;

/** Returns a cache of the images in mails, by name. */
export function createImages(db: Database): Images {
  return createVersionedCache({
    max: MAX_CACHED,
    weight: { maxBytes: MAX_CACHED_BYTES, bytesOf: ({ data }) => data.length },
    async read(names) {
      const rows = await db
        .selectFrom("images")
        .select(["id", "type", "sha256", "data"])
        .where("id", "in", names)
        .execute();
      return new Map(rows.map(({ id, ...image }) => [id, image]));
    },
  });
}

/**
 * Serves the images of mails to anybody who knows an image's name, without a key or a cookie, because the readers of
 * mails have neither. The image of a name never changes. Its bytes are checked at the upload, and the headers keep
 * browsers from treating them as anything but an image.
 */
export function imageRoute(
  app: FastifyInstance,
  { images, limits }: { images: Images; limits: AbuseLimits },
): void {
  app.get<{ Params: { name: string } }>(IMAGE_ROUTE, async (request, reply) => {
    const { name } = request.params;
    if (!IMAGE_ID.test(name)) throw new Problem("notFound");
    await limits.countImage(request);
    const whose = { door: "image", tenantId: clientNetwork(request.ip) } as const;
    const known = images.peek(name);
    const image = known ? known.value : await limits.inTurn(request, whose, () => images.get(name));
    if (image === undefined) throw new Problem("notFound");
    const etag = `"${image.sha256.toString("base64url")}"`;
    reply.headers({
      "cache-control": "public, max-age=31536000, immutable",
      etag,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "x-robots-tag": "noindex",
    });
    if (request.headers["if-none-match"] === etag) return reply.code(304).send();
    return reply.type(image.type).send(image.data);
  });
}
