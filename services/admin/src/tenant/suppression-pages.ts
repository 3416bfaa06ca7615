import { importSuppressions } from "@belfry/administration/events/import-suppressions";
import {
  addSuppressions,
  listSuppressions,
  removeSuppressions,
} from "@belfry/administration/events/suppressions";
import type { InputFault } from "@belfry/administration/input-error";
import { ADDRESS_CHANNELS, type AddressChannel } from "@belfry/contracts/channels";
import { type Answer, orFaults, page, redirect } from "../page/answer.ts";
import { inWords } from "../page/fault-words.ts";
import { importShare, isByScript } from "../page/import-share.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

const PAGE = 100;

/** Registers the page of addresses to which the tenant sends nothing. */
export function suppressionPages({ route }: PageDeps): void {
  const showList = async ({ query, run }: InTenant, extra: object = {}): Promise<Answer> => {
    const search = (query.get("search") ?? "").trim();
    const after = query.get("after") ?? "";
    const asked = async (input: { search?: string; after?: string }) =>
      await run(listSuppressions, { ...input, limit: PAGE });
    return await orFaults(
      async () =>
        shown(await asked({ ...(search && { search }), ...(after && { after }) }), search, extra),
      async ({ search: fault }) => shown({ items: [] }, search, { ...extra, searchFault: fault }),
    );
  };
  const shown = (found: { items: object[]; next?: string }, search: string, extra: object) =>
    page("suppressions", say`Suppressions`, {
      rows: found.items,
      nextPage:
        found.next && `?${new URLSearchParams({ ...(search && { search }), after: found.next })}`,
      search,
      channels: ADDRESS_CHANNELS,
      values: { channel: ADDRESS_CHANNELS[0], address: "" },
      faults: {},
      ...extra,
    });

  route("GET /tenants/:tenantId/suppressions", (context) => showList(context));

  route("POST /tenants/:tenantId/suppressions", async (context) => {
    const { form, run, base } = context;
    const values = { channel: form.get("channel") ?? "", address: form.get("address") ?? "" };
    return await orFaults(
      () =>
        run(addSuppressions, inputOf(form)).then(() => redirect(`${base}/suppressions`, "added")),
      (faults) => showList(context, { values, faults }),
    );
  });

  route("POST /tenants/:tenantId/suppressions/remove", async ({ form, run, base }) => {
    await run(removeSuppressions, inputOf(form));
    return redirect(`${base}/suppressions`, "removed");
  });
}

function inputOf(form: URLSearchParams): { channel: AddressChannel; addresses: string[] } {
  const typed = (form.get("address") ?? "").split(/[\n,;]/).map((text) => text.trim());
  const addresses = typed.filter((text) => text !== "");
  return { channel: (form.get("channel") ?? "") as AddressChannel, addresses };
}

/** Registers the page that suppresses a list of addresses: all of it, or, if wanted, only its valid lines. */
export function importSuppressionPages({ route, once }: PageDeps): void {
  const showImport = async (_context: InTenant, extra: object = {}) =>
    page("suppressions-import", say`Suppress many addresses`, {
      values: { channel: ADDRESS_CHANNELS[0] },
      faults: [],
      channels: ADDRESS_CHANNELS,
      ...extra,
    });

  route("GET /tenants/:tenantId/suppressions/import", async (context) =>
    showImport(context, await once.take(context)),
  );

  route("POST /tenants/:tenantId/suppressions/import", async (context) => {
    const { form, run, person, base } = context;
    const lines = form.get("lines") ?? "";
    const channel = (form.get("channel") ?? "") as AddressChannel;
    const leaveOutBad = form.has("leaveOutBad");
    if (isByScript(context)) {
      const input = { channel, leaveOutBad, file: lines };
      return await importShare(form, (share) => run(importSuppressions, { ...input, ...share }));
    }
    return await orFaults(
      () =>
        run(importSuppressions, { channel, leaveOutBad, file: lines }).then((done) =>
          once.show(person, `${base}/suppressions/import`, { done, values: { channel } }),
        ),
      (_, faults: readonly InputFault[]) =>
        showImport(context, { values: { lines, channel, leaveOutBad }, faults: inWords(faults) }),
    );
  });
}
