import { randomBytes } from "node:crypto";
import { field, text, time } from "@belfry/contracts/fields";
import {
  IMAGE_TYPES,
  imageAddress,
  MAX_IMAGE_BYTES,
  MAX_IMAGE_BYTES_OF_TENANT,
  MAX_IMAGE_SIDE,
  MAX_IMAGES,
} from "@belfry/contracts/images";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, defineRead, EDIT, LOOK, note } from "../act.ts";
import { columnsOf } from "../columns.ts";
import { invalid, Locked, NotFound } from "../input-error.ts";
import { holdTenant, requireTenant } from "../tenants/tenant-rows.ts";
import { type ImageFacts, readImage } from "./image-format.ts";

/** Acts on the pictures of a tenant's mails and designs. */

const MIB = 1024 * 1024;
/** Maximum size of a request's body in bytes: an image as base64, and its name. */
const MAX_BODY_BYTES = Math.ceil(MAX_IMAGE_BYTES / 3) * 4 + 16 * 1024;
const NO_BASE64 = "must be a text in base64";
const TOO_LARGE = `is larger than ${MAX_IMAGE_BYTES / MIB} MiB`;

export type Image = Static<typeof Image>;
const Image = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "Name of the uploaded file" }),
    type: Type.String({ enum: Object.keys(IMAGE_TYPES) }),
    bytes: Type.Integer(),
    width: Type.Integer({ description: "In pixels" }),
    height: Type.Integer(),
    url: Type.String({ description: "For a mail or a design: everybody can read it there" }),
    createdAt: time("When it was uploaded"),
  },
  { title: "Image" },
);
const LOGO: Image = {
  id: "9f86d081884c7d659a2feaa0c55ad015",
  name: "logo.png",
  type: "image/png",
  bytes: 4_312,
  width: 320,
  height: 72,
  url: "https://belfry.example.com/images/9f86d081884c7d659a2feaa0c55ad015",
  createdAt: "2026-11-20T09:00:00.000Z",
};

const DATA = field<string>(
  { type: "string", contentEncoding: "base64", description: "the file in base64" },
  (value) => {
    if (typeof value !== "string") return NO_BASE64;
    if (value.length > MAX_BODY_BYTES) return TOO_LARGE;
    return Buffer.from(value, "base64").toString("base64") === value ? undefined : NO_BASE64;
  },
);

export const uploadImage = defineAct({
  name: "image upload",
  http: "POST /images",
  access: EDIT,
  maxBodyBytes: MAX_BODY_BYTES,
  summary: "Store a PNG, JPEG, GIF or WebP file for mails and the design",
  description: `At most ${MAX_IMAGE_BYTES / MIB} MiB and ${MAX_IMAGE_SIDE} pixels a side; a tenant has at most ${MAX_IMAGES}, together ${MAX_IMAGE_BYTES_OF_TENANT / MIB} MiB. The same file again is the same image.`,
  input: Type.Object({
    name: text({ description: "the name by which people find it" }),
    data: DATA,
  }),
  output: Image,
  example: { input: { name: LOGO.name, data: "iVBORw0KGgo=" }, output: LOGO },
  async run({ db, tenantId, services }, { name, data }) {
    const content = Buffer.from(data, "base64");
    if (content.length > MAX_IMAGE_BYTES) throw invalid("data", TOO_LARGE);
    const facts = readImage(content);
    if (typeof facts === "string") throw invalid("data", facts);
    await holdTenant(db, tenantId);
    const stored = await storeImage(db, tenantId, { name, content, ...facts });
    return {
      output: viewOf(stored.image, await services.publicUrl()),
      isNew: stored.isNew,
    };
  },
  audit: (_, { output: { id, name, type, bytes }, isNew }) =>
    isNew ? note("image.upload", name, { after: { id, type, bytes } }) : undefined,
});

export const listImages = defineRead({
  name: "image list",
  http: "GET /images",
  access: LOOK,
  summary: "The images of mails and the design, the newest first",
  input: Type.Object({}),
  output: Type.Array(Image),
  example: { input: {}, output: [LOGO] },
  async run({ db, tenantId, services }) {
    await requireTenant(db, tenantId);
    const publicUrl = await services.publicUrl();
    return (await findImages(db, tenantId)).map((image) => viewOf(image, publicUrl));
  },
});

export const deleteImage = defineAct({
  name: "image delete",
  http: "DELETE /images/:id",
  access: EDIT,
  // ingest-api must stop serving the image.
  configures: true,
  // Mails of a locked environment may show the image.
  inBundle: true,
  summary: "Delete an image: mails that show it have a gap from then on",
  input: Type.Object({ id: text({ description: "as in the list" }) }),
  output: Image,
  example: { input: { id: LOGO.id }, output: LOGO },
  flags: { id: "<id>" },
  async run({ db, tenantId, services }, { id }) {
    const [image] = await findImages(db, tenantId, sql`id = ${id}`);
    if (image === undefined) throw new NotFound("id", `there is no image ${JSON.stringify(id)}`);
    await refuseShown(db, tenantId, id);
    await db
      .deleteFrom("images")
      .where("tenant_id", "=", tenantId)
      .where("id", "=", id)
      .executeTakeFirst();
    return { output: viewOf(image, await services.publicUrl()) };
  },
  audit: (_, { output: { id, name, type, bytes } }) =>
    note("image.delete", name, { before: { id, type, bytes } }),
});

/** Throws `Locked` if mails of a locked environment show the image: promoted mails use the images of their origin. */
async function refuseShown(db: Database, tenantId: string, id: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select t.name from tenants own
    join tenants t on t.family = own.family and t.id <> own.id and t.locked
    where own.id = ${tenantId} and exists (
      select from templates x
      join template_variants v on v.template_id = x.id
      join template_versions n on n.id = v.current_version_id
      where x.tenant_id = t.id and position(${id} in n.compiled::text) > 0)
    order by t.name limit 1`.execute(db);
  const [shown] = rows;
  if (shown === undefined) return;
  throw new Locked(`Mails of ${shown.name} show this image, and that environment is locked.`);
}

const StoredImage = Type.Omit(Image, ["url"]);
type StoredImage = Static<typeof StoredImage>;
const COLUMNS = columnsOf(StoredImage, "images");

function viewOf(image: StoredImage, publicUrl: string): Image {
  return { ...image, url: imageAddress(publicUrl, image.id) };
}

/** Returns the images of a tenant that match a condition, the newest first. */
async function findImages(db: Database, tenantId: string, condition = sql`true`) {
  const { rows } = await sql<StoredImage>`
    select ${COLUMNS} from images
    where tenant_id = ${tenantId} and ${condition} order by created_at desc`.execute(db);
  return rows;
}

/** Stores an image, or finds the same one. The caller has locked the tenant with `holdTenant`. */
async function storeImage(
  db: Database,
  tenantId: string,
  { name, content, type, width, height }: ImageFacts & { name: string; content: Buffer },
): Promise<{ image: StoredImage; isNew: boolean }> {
  const bytes = content.length;
  const sha256 = sql`sha256(${content}::bytea)`;
  const [same] = await findImages(db, tenantId, sql`sha256 = ${sha256}`);
  if (same !== undefined) return { image: same, isNew: false };
  const all = await db
    .selectFrom("images")
    .select(({ fn }) => [fn.countAll<string>().as("count"), fn.sum<string>("bytes").as("bytes")])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  if (Number(all.count) >= MAX_IMAGES) {
    throw invalid("data", `is one more than the ${MAX_IMAGES} images that a tenant may have`);
  }
  if (Number(all.bytes ?? 0) + bytes > MAX_IMAGE_BYTES_OF_TENANT) {
    const most = MAX_IMAGE_BYTES_OF_TENANT / MIB;
    throw invalid("data", `is more than the ${most} MiB that a tenant's images may take together`);
  }
  const id = randomBytes(16).toString("hex");
  const { rows } = await sql<StoredImage>`
    insert into images (id, tenant_id, name, type, width, height, bytes, sha256, data)
    values (${id}, ${tenantId}, ${name}, ${type}, ${width}, ${height}, ${bytes}, ${sha256}, ${content})
    returning ${COLUMNS}`.execute(db);
  return { image: rows[0]!, isNew: true };
}
