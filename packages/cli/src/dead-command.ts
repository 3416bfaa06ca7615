import {
  type DeadLetters,
  discardDeadLetters,
  replayDeadLetters,
} from "@belfry/administration/dead-letters/change-dead-letters";
import { deadLetterNote } from "@belfry/administration/dead-letters/dead-letter-note";
import {
  type DeadLetterFilter,
  listDeadLetters,
  showDeadLetter,
} from "@belfry/administration/dead-letters/dead-letters";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { OUTCOME_CLASSES } from "@belfry/contracts/sending";
import { type Command, InvalidArgumentError } from "commander";
import { CommandError } from "./command-error.ts";
import { ANY_PROVIDER_CHANNEL, providerChannelValue, timeValue } from "./flag-values.ts";
import { onDatabase, type Session } from "./session.ts";

interface FilterFlags {
  tenant?: string;
  channel?: ProviderChannel;
  class?: DeadLetterFilter["class"];
  provider?: string;
  since?: Date;
  until?: Date;
}

interface ChangeFlags extends FilterFlags {
  all?: boolean;
  dryRun?: boolean;
}

const LETTERS_PER_PART = 1_000;
const MAX_NAMED = 100;
const CLASSES = [
  ...OUTCOME_CLASSES.filter((one) => one !== "accepted"),
  ...["untried", "expired", "unknown", "message"],
];

export function define(dead: Command): void {
  filterFlags(dead.command("list"))
    .description("Groups by tenant, channel, provider and error class, with counts and examples")
    .action(onDatabase(({ db }, flags: FilterFlags) => listDeadLetters(db, filterOf(flags))));

  dead
    .command("show <id>")
    .description("One delivery with its attempts and what the provider answered, or one message")
    .action(onDatabase(({ db }, id: string) => showDeadLetter(db, id)));

  for (const [name, work, description] of [
    [
      "replay",
      replayDeadLetters,
      "Send again: a new attempt of the same delivery, never of one that a provider accepted. " +
        "What expired or is unknown goes only by its ID or its --class.",
    ],
    ["discard", discardDeadLetters, "End for good; the attempts stay to be seen"],
  ] as const) {
    filterFlags(dead.command(`${name} [id...]`))
      .description(description)
      .option("--all", "of every tenant and class, unless other flags choose")
      .option("--dry-run", "say what would be done, and change nothing")
      .action(
        onDatabase(async (session, ids: string[], flags: ChangeFlags) => {
          const letters = lettersOf(ids, flags);
          return flags.dryRun === true
            ? await work(session.db, letters, { dryRun: true })
            : await changeAll(session, letters, name, work);
        }),
      );
  }
}

/** In parts, each with its entry in the audit log: no transaction lasts as long as there are letters. */
async function changeAll(
  { audited }: Session,
  letters: DeadLetters,
  verb: "replay" | "discard",
  change: typeof replayDeadLetters,
) {
  const part = (endedBefore: string | undefined) =>
    audited(
      (transaction) => change(transaction, letters, { most: LETTERS_PER_PART, endedBefore }),
      ({ count }) => deadLetterNote(verb, letters, count),
    );
  let last = await part(undefined);
  const done = { ...last };
  while (last.more) {
    last = await part(last.endedBefore);
    done.count += last.count;
    done.ids = [...done.ids, ...last.ids].slice(0, MAX_NAMED);
  }
  return { ...done, more: false };
}

function filterFlags(command: Command): Command {
  return command
    .option("--tenant <id>", "the tenant's id")
    .option("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .option("--class <class>", CLASSES.join(", "), classValue)
    .option("--provider <kind>", "for example sendgrid")
    .option(
      "--since <time>",
      "ended at or after, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago",
      timeValue,
    )
    .option("--until <time>", "ended before", timeValue);
}

function filterOf(flags: FilterFlags): DeadLetterFilter {
  const { tenant, channel, provider, since, until } = flags;
  return { tenantId: tenant, channel, class: flags.class, provider, since, until };
}

function lettersOf(ids: string[], flags: ChangeFlags): DeadLetters {
  const filter = filterOf(flags);
  const { tenantId, ...rest } = filter;
  const filtered = Object.values(rest).some((value) => value !== undefined);
  if (ids.length > 0) {
    if (filtered || flags.all === true)
      throw new CommandError("ID: give IDs or a filter, not both");
    return { ids, tenantId };
  }
  if (!filtered && tenantId === undefined && flags.all !== true) {
    throw new CommandError("ID: say which: IDs, a filter such as --tenant or --class, or --all");
  }
  return filter;
}

function classValue(text: string): string {
  if (!CLASSES.includes(text)) {
    throw new InvalidArgumentError(`It must be one of ${CLASSES.join(", ")}.`);
  }
  return text;
}
