import { listOutbox, showOutboxMessage } from "@belfry/administration/events/outbox";
import { NotFound } from "@belfry/administration/input-error";
import { UUID } from "@belfry/contracts/identifiers";
import { documentAnswer, page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { MAIL_HEADERS } from "../page/security-headers.ts";

const PAGE = 30;

/** What the sandbox provider was given. */
export function outboxPages({ route }: PageDeps): void {
  route("GET /tenants/:tenantId/outbox", async ({ run, query }) => {
    const given = query.get("before") ?? "";
    const after = UUID.test(given) ? given : undefined;
    const { items: messages, next } = await run(listOutbox, { limit: PAGE, after });
    return page("outbox", "Outbox", { messages, next, isFirst: after === undefined });
  });

  route("GET /tenants/:tenantId/outbox/:messageId", async ({ run, params }) => {
    const message = await run(showOutboxMessage, { id: params.messageId ?? "" });
    return page("outbox-message", message.subject ?? "Text message", { message });
  });

  route("GET /tenants/:tenantId/outbox/:messageId/document", async ({ run, params }) => {
    const { html } = await run(showOutboxMessage, { id: params.messageId ?? "" });
    if (html === null) throw new NotFound("path", "no HTML");
    return documentAnswer(html, MAIL_HEADERS);
  });
}
