import { auditedAfter } from "@belfry/administration/audited";
import { previewTemplate } from "@belfry/administration/templates/preview-template";
import { sendPushTest, testMessage } from "@belfry/administration/templates/push-test";
import { sendRenderedTest } from "@belfry/administration/templates/send-test";
import { showTemplate } from "@belfry/administration/templates/templates";
import { templateTested } from "@belfry/administration/templates/test-note";
import { channelsWith } from "@belfry/contracts/channels";
import type { Command } from "commander";
import { commandLineActor } from "./command-line-actor.ts";
import { readJsonInput } from "./input-file.ts";
import { publishOnce } from "./publish-once.ts";
import { onDatabase, type Session } from "./session.ts";
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
    .action(onDatabase(sendTest));
}

async function sendTest(session: Session, id: string | undefined, flags: TestFlags) {
  const { to, locale, variablesFile } = flags;
  const { db } = session;
  const variables =
    variablesFile === undefined ? {} : await readJsonInput("--variables-file", variablesFile);
  const found = await showTemplate(db, addressOf(id, flags), locale);
  const { tenantId, eventType, channel, targetChannel } = found;
  const rendered = await previewTemplate(db, { id: found.id, tenantId }, variables, locale);
  if (rendered.kind === "notification") {
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
