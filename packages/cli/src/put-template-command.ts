import { preparedAndSaved } from "@belfry/administration/input-error";
import { saveDraft, showDraft } from "@belfry/administration/templates/drafts";
import {
  prepareTemplate,
  savePreparedTemplate,
} from "@belfry/administration/templates/put-template";
import type { TemplateInput } from "@belfry/administration/templates/template-input";
import { type Channel, IN_APP } from "@belfry/contracts/channels";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CommandError } from "./command-error.ts";
import {
  ANY_CHANNEL,
  channelValue,
  integerValue,
  MAILS,
  NOTIFICATIONS,
  SHORT_MESSAGES,
} from "./flag-values.ts";
import { readInput } from "./input-file.ts";
import { onDatabase, type Session } from "./session.ts";
import { localeFlag, TENANT } from "./template-address.ts";
import { templateNote } from "./template-note.ts";
import { type TimingFlags, timingFlags, timingOf } from "./timing-flags.ts";

interface PutFlags extends TextFlags, TimingFlags {
  tenant: string;
  eventType: string;
  channel: Channel;
  contentFile: string;
  locale?: string;
  targetChannel?: string;
  sensitive?: boolean;
  expiresAfterSeconds?: number;
  atMostOnce?: boolean;
  plainCharacters?: boolean;
  requiredVariables?: string[];
  inactive?: boolean;
  draft?: boolean;
}

/** What is written of a template besides its content. */
export interface TextFlags {
  subject?: string;
  title?: string;
  format?: NonNullable<TemplateInput["format"]>;
  url?: string;
  action?: TextAction[];
}

interface TextAction {
  label: string;
  url: string;
}

export function putTemplateCommand(template: Command): void {
  const put = timingFlags(localeFlag(textFlags(template.command("put"))))
    .description("Check, compile and publish: live within 5 s; a new text is a new version")
    .requiredOption("--tenant <id>", TENANT)
    .requiredOption("--event-type <type>", "the eventType of the events it is for")
    .requiredOption("--channel <channel>", ANY_CHANNEL, channelValue)
    .requiredOption(
      "--content-file <file>",
      "Markdown, MJML, HTML or text with {{variables}}, or -",
    )
    .option(
      "--required-variables <names>",
      "a,b: without one of them nothing is sent on this channel; '' for none; default: as they are",
      namesValue,
    )
    .option("--target-channel <name>", `realtime channel of ${IN_APP}; default: the personal one`)
    .option("--sensitive", "one-time codes and the like: content is erased and never shown")
    .option("--expires-after-seconds <n>", "what is not sent by then ends as expired", integerValue)
    .option("--at-most-once", "a try without an answer is not repeated: it ends as unknown")
    .option(
      "--plain-characters",
      `of ${SHORT_MESSAGES}: curly quotes, dashes and the like are sent as plain ones`,
    )
    .option("--inactive", "save without using it")
    .option("--draft", "save as a draft, which is not in use: publish it with `template publish`");
  put
    .addHelpText(
      "after",
      "\nOf --digest-…, --throttle and --after-unread-seconds what is left out stays; of --sensitive and the like a translation (--locale) changes what it names alone.",
    )
    .action(
      onDatabase(async (session, flags: PutFlags) => {
        if (flags.draft === true && flags.inactive === true) {
          throw new CommandError("--inactive does not go with --draft: use `template deactivate`");
        }
        const content = await readInput("--content-file", flags.contentFile);
        const { tenant: tenantId, eventType, channel } = flags;
        const timing = await timingOf(session.db, { tenantId, eventType, channel }, flags);
        const input = { ...inputOf(flags, content), ...timing };
        return await (flags.draft === true ? putDraft(session, input) : publish(session, input));
      }),
    );
}

export function textFlags(command: Command): Command {
  return command
    .option("--subject <subject>", `of ${MAILS}; may hold {{variables}}`)
    .addOption(
      new Option(
        "--format <format>",
        `of ${MAILS}; default: as it is, and of a new one found out (never markdown)`,
      ).choices(["markdown", "mjml", "html", "text"]),
    )
    .option("--title <title>", `of ${NOTIFICATIONS}; may hold {{variables}}`)
    .option("--url <url>", `what ${IN_APP} opens: https or a path; may hold {{variables}}`)
    .option(
      "--action <label=url>",
      `a button of ${IN_APP}, as "Track=/orders/{{id}}"; up to two`,
      (text: string, before: TextAction[] | undefined) => [...(before ?? []), actionValue(text)],
    );
}

/** As administration names them. */
export function textOf({ action, subject, title, format, url }: TextFlags) {
  return { subject, title, format, url, actions: action };
}

function inputOf(flags: PutFlags, content: string): TemplateInput {
  const { tenant, eventType, channel, locale, inactive } = flags;
  return {
    ...{ tenantId: tenant, eventType, channel, locale, content, ...textOf(flags) },
    targetChannel: flags.targetChannel,
    sensitive: flags.sensitive,
    expiresAfterSeconds: flags.expiresAfterSeconds,
    atMostOnce: flags.atMostOnce,
    plainCharacters: flags.plainCharacters,
    requiredVariables: flags.requiredVariables,
    active: inactive === true ? false : undefined,
  };
}

async function publish({ audited, db }: Session, input: TemplateInput) {
  return await preparedAndSaved(
    () => prepareTemplate(db, input),
    (prepared) =>
      audited(
        (transaction) => savePreparedTemplate(transaction, prepared),
        (saved) => templateNote("save", saved, input.locale),
      ),
  );
}

async function putDraft({ audited, db }: Session, input: TemplateInput) {
  const { tenantId, eventType, channel, locale } = input;
  await audited(
    (transaction) => saveDraft(transaction, input),
    () => templateNote("draft", input, locale),
  );
  return await showDraft(db, { tenantId, eventType, channel, locale });
}

function namesValue(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function actionValue(text: string): TextAction {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be Label=URL.");
  return { label: text.slice(0, at).trim(), url: text.slice(at + 1).trim() };
}
