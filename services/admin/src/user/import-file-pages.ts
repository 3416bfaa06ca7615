import {
  addToImport,
  cancelImport,
  listImports,
  showImport,
  startImport,
} from "@belfry/administration/users/imports";
import {
  IMPORT_DAYS,
  type ImportKind,
  MAX_IMPORT_BYTES,
  MAX_IMPORT_LINES,
} from "@belfry/contracts/imports";
import { TOPIC_KEY } from "@belfry/contracts/topics";
import { type Answer, type Faults, json, orFaults, page, redirect } from "../page/answer.ts";
import { inWords, refusalWords } from "../page/fault-words.ts";
import { idOf } from "../page/form-fields.ts";
import { isByScript } from "../page/import-share.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

const PAGE = 20;

/** Registers the pages of CSV files that are imported in the background. The page's script sends a file in parts. */
export function importFilePages({ route }: PageDeps): void {
  const showImports = async (
    { run, query }: InTenant,
    values?: { kind: string; topic: string; lines: string },
    faults: Faults = {},
  ): Promise<Answer> => {
    const topic = query.get("topic") ?? "";
    const after = idOf(query, "after");
    const { items, next } = await run(listImports, { limit: PAGE, after });
    const isOfTopic = TOPIC_KEY.test(topic);
    const empty = {
      kind: isOfTopic ? "members" : "users",
      topic: isOfTopic ? topic : "",
      lines: "",
    };
    return page("imports", say`Imports`, {
      imports: items,
      next,
      values: values ?? empty,
      faults,
      mostLines: MAX_IMPORT_LINES,
      mostMegabytes: MAX_IMPORT_BYTES / 1024 / 1024,
      days: IMPORT_DAYS,
    });
  };

  route("GET /tenants/:tenantId/imports", (context) => showImports(context));

  route("POST /tenants/:tenantId/imports", async (context) => {
    const { form, run, base } = context;
    const typed = (name: string) => (form.get(name) ?? "").trim();
    const values = { kind: typed("kind"), topic: typed("topic"), lines: form.get("lines") ?? "" };
    const ofTopic = values.kind === "members" && values.topic !== "" && { topic: values.topic };
    const kind = values.kind as ImportKind;
    if (isByScript(context)) {
      const file = form.get("part") ?? "";
      return await told(() => run(startImport, { kind, ...ofTopic, file, more: form.has("more") }));
    }
    return await orFaults(
      () =>
        run(startImport, { kind, ...ofTopic, file: values.lines }).then(({ id }) =>
          redirect(`${base}/imports/${id}`),
        ),
      (faults) => showImports(context, values, faults),
    );
  });

  route("POST /tenants/:tenantId/imports/:importId/parts", async ({ form, run, params }) => {
    const { importId = "" } = params;
    const number = Number(form.get("number"));
    const file = form.get("part") ?? "";
    const part = { importId, part: number, file, more: form.has("more") };
    return await told(() => run(addToImport, part));
  });

  route("GET /tenants/:tenantId/imports/:importId", async ({ run, params }) => {
    const shown = await run(showImport, { importId: params.importId ?? "" });
    const faults = inWords(shown.faults);
    return page("import-file", say`Import`, { shown, faults });
  });

  route("POST /tenants/:tenantId/imports/:importId/cancel", async ({ run, params, base }) => {
    const { importId = "" } = params;
    await run(cancelImport, { importId });
    return redirect(`${base}/imports/${importId}`);
  });
}

/** Returns, for the page's script, the id of the import, or the faults of the file. */
async function told(work: () => Promise<{ id: string }>): Promise<Answer> {
  return await orFaults(
    async () => json({ id: (await work()).id }),
    (_, faults) => json({ refused: refusalWords(faults) }, 422),
  );
}
