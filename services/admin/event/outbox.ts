import { showOutboxMessage } from "@belfry/administration/events/outbox";
import { NotFound } from "@belfry/administration/input-error";
import { UUID } from "@belfry/contracts/identifiers";
import { outboxOfTenant } from "@belfry/database/outbox";
import { MAIL_HEADERS } from "../door/security-headers.ts";
import { documentAnswer, page } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";

const PAGE = 30;

/** What the sandbox provider was given. */
export function outboxPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId/outbox", async ({ tenant, query }) => {
    const given = query.get("before") ?? "";
    const before = UUID.test(given) ? given : undefined;
    const found = await outboxOfTenant(db, tenant.id, { limit: PAGE + 1, before });
    const messages = found.slice(0, PAGE).map(({ html: _, ...message }) => message);
    const next = found.length > PAGE ? messages.at(-1)?.id : undefined;
    return page("outbox", "Outbox", { messages, next, isFirst: before === undefined });
  });

  route("GET /tenants/:tenantId/outbox/:messageId", async ({ tenant, params }) => {
    const message = await showOutboxMessage(db, params.messageId ?? "", tenant.id);
    return page("outbox-message", message.subject ?? "Text message", { message });
  });

  route("GET /tenants/:tenantId/outbox/:messageId/document", async ({ tenant, params }) => {
    const { html } = await showOutboxMessage(db, params.messageId ?? "", tenant.id);
    if (html === null) throw new NotFound("path", "no HTML");
    return documentAnswer(html, MAIL_HEADERS);
  });
}
