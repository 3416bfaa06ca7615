import type { Preview } from "@belfry/administration/templates/preview-template";
import type { TemplateAddress } from "@belfry/administration/templates/templates";
import { type Channel, IN_APP } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { ANY_CHANNEL, channelValue, integerValue, MAILS, NOTIFICATIONS } from "./flag-values.ts";
import { readInput, readJsonInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { type Session, withDatabase } from "./session.ts";

interface AddressFlags {
  tenant?: string;
  eventType?: string;
  channel?: Channel;
}

interface PutFlags {
  tenant: string;
  eventType: string;
  channel: Channel;
  contentFile: string;
  subject?: string;
  title?: string;
  targetChannel?: string;
  sensitive?: boolean;
  expiresAfterSeconds?: number;
  atMostOnce?: boolean;
  inactive?: boolean;
}

interface PreviewFlags extends AddressFlags {
  variablesFile?: string;
  contentFile?: string;
  subject?: string;
  title?: string;
}

const TENANT = "the tenant's id; platform for global.*";

export function templateCommand(): Command {
  const template = new Command("template").description("Templates, one per event type and channel");

  template
    .command("put")
    .description("Check, compile and save; every save is a version, in force within 5 s")
    .requiredOption("--tenant <id>", TENANT)
    .requiredOption("--event-type <type>", "the eventType of the events it is for")
    .requiredOption("--channel <channel>", ANY_CHANNEL, channelValue)
    .requiredOption("--content-file <file>", "MJML, HTML or text with {{variables}}, or -")
    .option("--subject <subject>", `of ${MAILS}; may hold {{variables}}`)
    .option("--title <title>", `of ${NOTIFICATIONS}; may hold {{variables}}`)
    .option("--target-channel <name>", `realtime channel of ${IN_APP}; default: the personal one`)
    .option("--sensitive", "one-time codes and the like: content is erased and never shown")
    .option("--expires-after-seconds <n>", "what is not sent by then ends as expired", integerValue)
    .option("--at-most-once", "a try without an answer is not repeated: it ends as unknown")
    .option("--inactive", "save without using it")
    .action((flags: PutFlags) =>
      withDatabase(async ({ db }) => {
        const { tenant, contentFile, inactive, ...rest } = flags;
        const content = await readInput("--content-file", contentFile);
        const active = inactive !== true;
        const { putTemplate } = await import("@belfry/administration/templates/put-template");
        const saved = await putTemplate(db, { ...rest, tenantId: tenant, content, active });
        await printJson(saved);
      }),
    );

  template
    .command("list")
    .description("A tenant's templates, or the platform's")
    .requiredOption("--tenant <id>", TENANT)
    .action((flags: { tenant: string }) =>
      run(({ db }, templates) => templates.listTemplates(db, flags.tenant)),
    );

  addressFlags(template.command("show [id]"))
    .description("One template with its content, by its id or by the three flags")
    .action((id: string | undefined, flags: AddressFlags) =>
      run(({ db }, templates) => templates.showTemplate(db, addressOf(id, flags))),
    );

  for (const [name, active, description] of [
    ["activate", true, "Use it for events from now on"],
    ["deactivate", false, "Ignore it when events are dispatched"],
  ] as const) {
    addressFlags(template.command(`${name} [id]`))
      .description(description)
      .action((id: string | undefined, flags: AddressFlags) =>
        run(({ db }, templates) => templates.setTemplateActive(db, addressOf(id, flags), active)),
      );
  }

  addressFlags(template.command("delete [id]"))
    .description("Delete it with all its versions; prints it as it was")
    .action((id: string | undefined, flags: AddressFlags) =>
      run(({ db }, templates) => templates.deleteTemplate(db, addressOf(id, flags))),
    );

  addressFlags(template.command("preview [id]"))
    .description("Render a saved template, or with --content-file one that is not saved")
    .option("--variables-file <file>", "a JSON object, or - for standard input; default: none")
    .option("--content-file <file>", "render this text instead of the saved one")
    .option("--subject <subject>", `of ${MAILS}, with --content-file`)
    .option("--title <title>", `of ${NOTIFICATIONS}, with --content-file`)
    .action(preview);

  return template;
}

type Templates = typeof import("@belfry/administration/templates/templates");

async function run(work: (session: Session, templates: Templates) => Promise<unknown>) {
  await withDatabase(async (session) => {
    await printJson(
      await work(session, await import("@belfry/administration/templates/templates")),
    );
  });
}

async function preview(id: string | undefined, flags: PreviewFlags): Promise<void> {
  const { variablesFile, contentFile, channel, subject, title } = flags;
  const variables =
    variablesFile === undefined ? {} : await readJsonInput("--variables-file", variablesFile);
  const print = ({ kind: _, ...shown }: Preview) => printJson(shown);
  const { previewSource, previewTemplate } = await import(
    "@belfry/administration/templates/preview-template"
  );
  if (contentFile !== undefined) {
    if (channel === undefined) throw new CommandError("--channel is required with --content-file");
    const content = await readInput("--content-file", contentFile);
    const source = { channel, content, subject, title };
    await print(await previewSource(undefined, flags.tenant ?? PLATFORM, source, variables));
    return;
  }
  if (subject !== undefined || title !== undefined) {
    throw new CommandError(
      `${subject === undefined ? "--title" : "--subject"} needs --content-file`,
    );
  }
  await withDatabase(async ({ db }) => {
    await print(await previewTemplate(db, addressOf(id, flags), variables));
  });
}

function addressFlags(command: Command): Command {
  return command
    .option("--tenant <id>", TENANT)
    .option("--event-type <type>", "the template's event type")
    .option("--channel <channel>", ANY_CHANNEL, channelValue);
}

function addressOf(id: string | undefined, flags: AddressFlags): TemplateAddress {
  const { tenant, eventType, channel } = flags;
  if (id !== undefined) return { id, ...(tenant === undefined ? {} : { tenantId: tenant }) };
  if (tenant === undefined) throw new CommandError("--tenant is required (or the template's ID)");
  if (eventType === undefined) throw new CommandError("--event-type is required");
  if (channel === undefined) throw new CommandError("--channel is required");
  return { tenantId: tenant, eventType, channel };
}
