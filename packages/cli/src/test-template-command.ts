import { channelsWith } from "@belfry/contracts/channels";
import type { Command } from "commander";
import { commandLineActor } from "./command-line-actor.ts";
import { readJsonInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { publishOnce } from "./publish-once.ts";
import { type Session, withDatabase } from "./session.ts";
import { type AddressFlags, addressFlags, addressOf, localeFlag } from "./template-address.ts";

interface TestFlags extends AddressFlags {
  to: string;
  locale?: string;
  variablesFile?: string;
}

/** `template test`. */
export function testTemplateCommand(template: Command): void {
  localeFlag(addressFlags(template.command("test [id]")))
    .description(
      "Send a published template to one person, as a test: through the provider that would send it, or into an inbox. " +
        "It counts towards the tenant's limits, and few are allowed in 15 minutes",
    )
    .requiredOption(
      "--to <recipient>",
      `an email address, a number such as +12025550123, or (${channelsWith("notification").join(", ")}) a user's id`,
    )
    .option("--variables-file <file>", "a JSON object, or - for standard input; default: none")
    .action((id: string | undefined, flags: TestFlags) =>
      withDatabase(async (session) => printJson(await sendTest(session, id, flags))),
    );
}

async function sendTest(session: Session, id: string | undefined, flags: TestFlags) {
  const { to, locale, variablesFile } = flags;
  const { db } = session;
  const variables =
    variablesFile === undefined ? {} : await readJsonInput("--variables-file", variablesFile);
  const { showTemplate } = await import("@belfry/administration/templates/templates");
  const { previewTemplate } = await import("@belfry/administration/templates/preview-template");
  const { auditedAfter } = await import("@belfry/administration/audited");
  const { templateTested } = await import("@belfry/administration/templates/test-note");
  const found = await showTemplate(db, addressOf(id, flags), locale);
  const { tenantId, eventType, channel, targetChannel } = found;
  const rendered = await previewTemplate(db, { id: found.id, tenantId }, variables, locale);
  if (rendered.kind === "notification") {
    const { sendPushTest, testMessage } = await import(
      "@belfry/administration/templates/push-test"
    );
    const test = { tenantId, userId: to, eventType, targetChannel: targetChannel ?? undefined };
    const { userId, published } = await auditedAfter(
      db,
      commandLineActor(),
      () =>
        sendPushTest(db, test, rendered, (item) =>
          publishOnce(async (prefix) => testMessage(prefix, item)),
        ),
      (told) => templateTested(found, { userId: told.userId }),
    );
    return { tenantId, eventType, channel, userId, published };
  }
  const { sendRenderedTest } = await import("@belfry/administration/templates/send-test");
  const options = {
    keys: await session.keys(),
    allowPrivateAddresses: await session.allowPrivateAddresses(),
  };
  const { provider, outcome } = await auditedAfter(
    db,
    commandLineActor(),
    () => sendRenderedTest(db, tenantId, rendered, to, options),
    (told) => templateTested(found, { class: told.outcome.class }),
  );
  return { tenantId, eventType, channel, providerId: provider.id, kind: provider.kind, ...outcome };
}
