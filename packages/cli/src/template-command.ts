import {
  type Preview,
  previewSource,
  previewTemplate,
} from "@belfry/administration/templates/preview-template";
import {
  deleteTemplate,
  deleteTranslation,
  listTemplates,
  setTemplateActive,
  showTemplate,
} from "@belfry/administration/templates/templates";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { readInput, readJsonInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { putTemplateCommand, type TextFlags, textFlags, textOf } from "./put-template-command.ts";
import { onDatabase, withDatabase } from "./session.ts";
import {
  type AddressFlags,
  addressFlags,
  addressOf,
  localeFlag,
  localeValue,
  TENANT,
} from "./template-address.ts";
import { draftCommands } from "./template-draft-command.ts";
import { templateFilesCommands } from "./template-files-command.ts";
import { templateNote } from "./template-note.ts";
import { templateVersionsCommands } from "./template-versions-command.ts";
import { testTemplateCommand } from "./test-template-command.ts";

interface PreviewFlags extends AddressFlags, TextFlags {
  variablesFile?: string;
  contentFile?: string;
  locale?: string;
}

export function define(template: Command): void {
  putTemplateCommand(template);
  draftCommands(template);
  templateVersionsCommands(template);
  templateFilesCommands(template);
  testTemplateCommand(template);

  template
    .command("list")
    .description("A tenant's templates, or the platform's")
    .requiredOption("--tenant <id>", TENANT)
    .action(onDatabase(({ db }, flags: { tenant: string }) => listTemplates(db, flags.tenant)));

  localeFlag(addressFlags(template.command("show [id]")))
    .description("One template with what is published of it, by its id or by the three flags")
    .action(
      onDatabase(({ db }, id: string | undefined, flags: AddressFlags & { locale?: string }) =>
        showTemplate(db, addressOf(id, flags), flags.locale),
      ),
    );

  for (const [name, active, description] of [
    ["activate", true, "Use it for events from now on"],
    ["deactivate", false, "Ignore it when events are dispatched"],
  ] as const) {
    addressFlags(template.command(`${name} [id]`))
      .description(description)
      .action(
        onDatabase(({ audited }, id: string | undefined, flags: AddressFlags) =>
          audited(
            (open) => setTemplateActive(open, addressOf(id, flags), active),
            (result) => templateNote(name, result),
          ),
        ),
      );
  }

  addressFlags(template.command("delete [id]"))
    .description("Delete it with all its versions; prints it as it was")
    .option(
      "--locale <locale>",
      "only this translation: its recipients get the default",
      localeValue,
    )
    .action(
      onDatabase(
        ({ audited }, id: string | undefined, flags: AddressFlags & { locale?: string }) => {
          const { locale } = flags;
          const address = addressOf(id, flags);
          return audited(
            (open) =>
              locale === undefined
                ? deleteTemplate(open, address)
                : deleteTranslation(open, address, locale),
            (result) => templateNote("delete", result, locale),
          );
        },
      ),
    );

  textFlags(localeFlag(addressFlags(template.command("preview [id]"))))
    .description("Render a saved template, or with --content-file one that is not saved")
    .option("--variables-file <file>", "a JSON object, or - for standard input; default: none")
    .option("--content-file <file>", "render this text instead of the saved one")
    .addHelpText("after", "\nThe flags of its text go with --content-file.")
    .action(preview);
}

async function preview(id: string | undefined, flags: PreviewFlags): Promise<void> {
  const { variablesFile, contentFile, channel, locale, tenant } = flags;
  const variables =
    variablesFile === undefined ? {} : await readJsonInput("--variables-file", variablesFile);
  const print = ({ kind: _, ...shown }: Preview) => printJson(shown);
  if (contentFile !== undefined) {
    if (channel === undefined) throw new CommandError("--channel is required with --content-file");
    const content = await readInput("--content-file", contentFile);
    const source = { channel, content, locale, ...textOf(flags) };
    if (tenant === undefined) {
      await print(await previewSource(undefined, PLATFORM, source, variables));
      return;
    }
    // In its layout, its language and its zone.
    await withDatabase(async ({ db }) => {
      await print(await previewSource(db, tenant, source, variables));
    });
    return;
  }
  const stray = (["subject", "title", "format", "url", "action"] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (stray !== undefined) throw new CommandError(`--${stray} needs --content-file`);
  await withDatabase(async ({ db }) => {
    await print(await previewTemplate(db, addressOf(id, flags), variables, locale));
  });
}
