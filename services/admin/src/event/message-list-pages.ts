import { listInbound } from "@belfry/administration/events/inbound";
import { listOutbox, showOutboxMessage } from "@belfry/administration/events/outbox";
import { NotFound } from "@belfry/administration/input-error";
import { documentAnswer, orFaults, page } from "../page/answer.ts";
import { idOf } from "../page/form-fields.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { mailHeaders } from "../page/security-headers.ts";

const OUTBOX_PER_PAGE = 30;
const REPLIES_PER_PAGE = 50;

/**
 * Registers the pages of the sandbox provider's outbox, and of replies to text messages that Belfry did not recognize.
 */
export function messageListPages({ route, config }: PageDeps): void {
  route("GET /tenants/:tenantId/outbox", async ({ run, query }) => {
    const after = idOf(query, "before");
    const { items: messages, next } = await run(listOutbox, { limit: OUTBOX_PER_PAGE, after });
    return page("outbox", say`Sandbox messages`, { messages, next, isFirst: after === undefined });
  });

  route("GET /tenants/:tenantId/outbox/:messageId", async ({ run, params }) => {
    const message = await run(showOutboxMessage, { id: params.messageId ?? "" });
    return page("outbox-message", message.subject ?? "Text message", { message });
  });

  route("GET /tenants/:tenantId/outbox/:messageId/document", async ({ run, params }) => {
    const { html } = await run(showOutboxMessage, { id: params.messageId ?? "" });
    if (html === null) throw new NotFound("path", "no HTML");
    return documentAnswer(html, mailHeaders(config.apiUrl));
  });

  route("GET /tenants/:tenantId/replies", async ({ run, query }) => {
    const number = (query.get("number") ?? "").trim();
    const ofNumber = number === "" ? {} : { number };
    return await orFaults(
      async () => {
        const { items: messages, next } = await run(listInbound, {
          ...ofNumber,
          limit: REPLIES_PER_PAGE,
          after: idOf(query, "before"),
        });
        const more = new URLSearchParams({ ...ofNumber, before: next ?? "" });
        const nextPage = next === undefined ? undefined : `?${more}`;
        return page("replies", say`Replies`, { number, messages, nextPage });
      },
      ({ number: fault }) => page("replies", say`Replies`, { number, fault, messages: [] }),
    );
  });
}
