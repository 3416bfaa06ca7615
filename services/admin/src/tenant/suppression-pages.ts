import { importSuppressions } from "@belfry/administration/events/import-suppressions";
import { suppressionsOfTenant } from "@belfry/administration/events/suppression-rows";
import { addSuppressions, removeSuppressions } from "@belfry/administration/events/suppressions";
import type { InputFault } from "@belfry/administration/input-error";
import {
  isProviderChannel,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from "@belfry/contracts/channels";
import { SUPPRESSION_REASONS } from "@belfry/contracts/sending";
import { type Answer, orFaults, page, redirect } from "../page/answer.ts";
import { inWords } from "../page/fault-words.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

const PAGE = 100;

/** Addresses to which the tenant sends nothing. */
export function suppressionPages({ route, db }: PageDeps): void {
  const showList = async ({ tenant, query }: InTenant, extra: object = {}): Promise<Answer> => {
    const given = query.get("channel");
    const channel = isProviderChannel(given) ? given : undefined;
    const search = (query.get("search") ?? "").trim().toLowerCase();
    const last = query.get("after") ?? "";
    const reason = SUPPRESSION_REASONS.find((one) => one === query.get("reason"));
    const after =
      last === "" || channel === undefined ? undefined : { channel, address: last, reason };
    const places = search === "" ? [{ after }] : placesBefore(search);
    const found = await Promise.all(
      places.map((place) => suppressionsOfTenant(db, tenant.id, { limit: PAGE + 1, ...place })),
    );
    const matching = found.flat().filter((row) => row.address.startsWith(search));
    return page("suppressions", say`Suppressions`, {
      rows: matching.slice(0, PAGE),
      isMore: matching.length > PAGE,
      search,
      channels: PROVIDER_CHANNELS,
      values: { channel: PROVIDER_CHANNELS[0], address: "" },
      faults: {},
      ...extra,
    });
  };

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

function inputOf(form: URLSearchParams): { channel: ProviderChannel; addresses: string[] } {
  const typed = (form.get("address") ?? "").split(/[\n,;]/).map((text) => text.trim());
  const addresses = typed.filter((text) => text !== "");
  return { channel: (form.get("channel") ?? "") as ProviderChannel, addresses };
}

/** The places in the ordered list after which the addresses begin that start with the text. */
function placesBefore(text: string) {
  const shorter = text.slice(0, -1);
  const last = text.codePointAt(text.length - 1) ?? 0;
  const address = last > 0x21 ? shorter + String.fromCodePoint(last - 1) : shorter;
  return PROVIDER_CHANNELS.map((channel) => ({ channel, after: { channel, address } }));
}

/** Suppresses a list of addresses: all of it, or, on request, its valid lines. */
export function importSuppressionPages({ route, once }: PageDeps): void {
  const showImport = async (_context: InTenant, extra: object = {}) =>
    page("suppressions-import", say`Suppress many addresses`, {
      ...{ lines: "", channel: PROVIDER_CHANNELS[0], faults: [], done: undefined },
      ...{ channels: PROVIDER_CHANNELS, leaveOutBad: false, ...extra },
    });

  route("GET /tenants/:tenantId/suppressions/import", async (context) =>
    showImport(context, await once.take(context)),
  );

  route("POST /tenants/:tenantId/suppressions/import", async (context) => {
    const { form, run, person, base } = context;
    const lines = form.get("lines") ?? "";
    const channel = (form.get("channel") ?? "") as ProviderChannel;
    const leaveOutBad = form.has("leaveOutBad");
    return await orFaults(
      () =>
        run(importSuppressions, { channel, leaveOutBad, file: lines }).then((done) =>
          once.show(person, `${base}/suppressions/import`, { done, channel }),
        ),
      (_, faults: readonly InputFault[]) =>
        showImport(context, { lines, channel, leaveOutBad, faults: inWords(faults) }),
    );
  });
}
