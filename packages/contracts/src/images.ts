// Pictures that tenants upload for their mails and designs.

const KIB = 1024;
const MIB = 1024 * KIB;

/** The maximum of bytes of one image. */
export const MAX_IMAGE_BYTES = 2 * MIB;
/** The maximum width and height in pixels. */
export const MAX_IMAGE_SIDE = 4_096;
/** The maximum of images of one tenant. */
export const MAX_IMAGES = 200;
export const MAX_IMAGE_BYTES_OF_TENANT = 100 * MIB;

/** The format's name by content type. */
export const IMAGE_TYPES = {
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/gif": "GIF",
  "image/webp": "WebP",
} as const;
export type ImageType = keyof typeof IMAGE_TYPES;

/** The path at which ingest-api serves images. Their names cannot be guessed. */
const IMAGES_PATH = "/images";
export const IMAGE_ROUTE = `${IMAGES_PATH}/:name`;
export const IMAGE_ID = /^[0-9a-f]{32}$/;

/** Returns the URL of a picture for a mail. `publicUrl` is the address at which readers reach ingest-api. */
export function imageAddress(publicUrl: string, id: string): string {
  return `${publicUrl}${IMAGES_PATH}/${id}`;
}
