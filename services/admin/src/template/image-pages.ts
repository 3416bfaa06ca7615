import { deleteImage, listImages, uploadImage } from "@belfry/administration/images/images";
import { InvalidInput } from "@belfry/administration/input-error";
import { faultsByField, json, page, redirect } from "../page/answer.ts";
import { type Phrase, phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";

/**
 * Registers the routes for images in a tenant's mails, for the page of the design and for the editor's image dialog.
 */
export function imagePages({ route }: PageDeps): void {
  route("GET /tenants/:tenantId/images", async ({ run }) =>
    json({ images: await run(listImages, {}) }),
  );

  route("POST /tenants/:tenantId/images", async ({ request, run, base }) => {
    const isDialog = request.headers.accept === "application/json";
    const refused = (text: Phrase) =>
      isDialog ? json({ text }, 422) : page("message", say`Not uploaded`, { text }, 422);
    const file = request.body instanceof FormData ? request.body.get("file") : null;
    if (!(file instanceof File) || file.size === 0) return refused(say`Choose a file first.`);
    const data = Buffer.from(await file.arrayBuffer()).toString("base64");
    try {
      const image = await run(uploadImage, { name: file.name.slice(0, 255), data });
      return isDialog ? json({ image }) : redirect(`${base}/design`, "uploaded");
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const [message = ""] = Object.values(faultsByField(error.faults));
      return refused(phrase("{0} {1}.", [file.name, message]));
    }
  });

  route("POST /tenants/:tenantId/images/:imageId/delete", async ({ params, run, base }) => {
    await run(deleteImage, { id: params.imageId ?? "" });
    return redirect(`${base}/design`, "deleted");
  });
}
