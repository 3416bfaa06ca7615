import { NotFound } from "@belfry/administration/input-error";
import { PREVIEW_FRAME_HEADERS } from "../door/security-headers.ts";
import type { PageDeps } from "../page-deps.ts";
import { documentAnswer } from "./answer.ts";

/** Styles and scripts, and the document that the live preview is shown in. */
export function assetRoutes({ route, assets }: PageDeps): void {
  route("GET /assets/*", async ({ params }) => {
    const asset = assets.get(params["*"] ?? "");
    if (asset === undefined) throw new NotFound("path", "no such asset");
    const headers = {
      "content-type": asset.type,
      "cache-control": "public, max-age=31536000, immutable",
      // The preview's frame is sandboxed: another origin, to the browser.
      "cross-origin-resource-policy": "cross-origin",
    };
    return documentAnswer(asset.content, headers);
  });

  const script = assets.address("preview-frame.js");
  route("GET /preview-frame", async () =>
    documentAnswer(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title><style>html,body{margin:0;height:100%}iframe{border:0;width:100%;height:100%;display:block;background:#fff}</style></head><body><script src="${script}"></script></body></html>`,
      {
        ...PREVIEW_FRAME_HEADERS,
        "content-type": "text/html; charset=utf-8",
      },
    ),
  );
}
