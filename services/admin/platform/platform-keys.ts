import {
  createPlatformKey,
  listPlatformKeys,
  revokePlatformKey,
} from "@belfry/administration/people/platform-keys";
import { type Faults, orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { Signed } from "../page/router.ts";

/** Keys of programs that do what an operator may, over HTTP. */
export function platformKeyPages({ route, once }: PageDeps): void {
  const show = async (context: Signed, name = "", faults: Faults = {}) => {
    const keys = await context.run(listPlatformKeys, {});
    const { platformKey } = await once.take(context);
    return page("platform-keys", "Platform keys", { keys, platformKey, name, faults });
  };

  route("GET /platform-keys", (context) => show(context));

  route("POST /platform-keys", async (context) => {
    const { form, run, person } = context;
    const name = (form.get("name") ?? "").trim();
    return await orFaults(
      async () => {
        const { key } = await run(createPlatformKey, { name });
        return await once.show(person, "/platform-keys", { platformKey: key });
      },
      (faults) => show(context, name, faults),
    );
  });

  route("POST /platform-keys/:keyId/revoke", async ({ run, params }) => {
    await run(revokePlatformKey, { id: params.keyId ?? "" });
    return redirect("/platform-keys", "revoked");
  });
}
