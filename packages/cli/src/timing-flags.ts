import { findTemplate } from "@belfry/administration/templates/template-rows";
import type { TimingInput } from "@belfry/administration/templates/timing-input";
import { readDays, readThrottle } from "@belfry/administration/templates/timing-text";
import type { Channel } from "@belfry/contracts/channels";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/timing";
import type { Database } from "@belfry/database/connection";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { integerValue } from "./flag-values.ts";

/** When what a template makes leaves. */
export interface TimingFlags {
  digestWindowSeconds?: number;
  digestAt?: string;
  digestDays?: string;
  digestKey?: string;
  digestSliding?: boolean;
  digestMaxSeconds?: number;
  digestLeading?: boolean;
  /** false: `--no-digest`. */
  digest?: boolean;
  /** false: `--no-throttle`. */
  throttle?: string | false;
  /** false: `--no-after-unread`. */
  afterUnread?: boolean;
  afterUnreadSeconds?: number;
}

export function timingFlags(command: Command): Command {
  return command
    .option("--digest-window-seconds <n>", "one message for the events of so long", integerValue)
    .option("--digest-at <time>", "one message at 09:00, by the recipient's clock")
    .option("--digest-days <days>", "with --digest-at: on these days, as mon,thu")
    .option("--digest-key <name>", "events are kept apart by the value of this variable")
    .option("--digest-sliding", "the window begins anew with each event")
    .option("--digest-max-seconds <n>", "of a sliding one: the longest in all", integerValue)
    .option("--digest-leading", "the first event leaves at once, those after it together")
    .option("--no-digest", "each event is sent by itself again")
    .option(
      "--throttle <n/seconds>",
      "so many a user in any such time, as 5/3600; more are skipped",
    )
    .option("--no-throttle", "as many as there are again")
    .option(
      "--after-unread-seconds <n>",
      "sent after that time, unless it was read in the inbox",
      integerValue,
    )
    .option("--no-after-unread", "sent whether it was read in the inbox or not");
}

/** What is left out stays as it is published. Throws `CommandError`. */
export async function timingOf(
  db: Database,
  key: { tenantId: string; eventType: string; channel: Channel },
  flags: TimingFlags,
): Promise<TimingInput> {
  return {
    digest: await digestOf(db, key, flags),
    throttle: await throttleOf(flags.throttle),
    afterUnreadSeconds: flags.afterUnread === false ? null : flags.afterUnreadSeconds,
  };
}

async function digestOf(
  ...[db, key, flags]: Parameters<typeof timingOf>
): Promise<DigestSettings | null | undefined> {
  const given = await digestParts(flags);
  const isGiven = Object.keys(given).length > 0;
  if (flags.digest === false) {
    if (isGiven) throw new CommandError("--no-digest does not go with --digest-…");
    return null;
  }
  if (!isGiven) return undefined;
  const { windowSeconds, sliding, maxSeconds, at, days, ...rest } =
    (await findTemplate(db, key))?.digest ?? {};
  // Of the two kinds of window the one that is named takes the place of the other.
  const ofTime = { ...(at === undefined ? {} : { at }), ...(days === undefined ? {} : { days }) };
  const ofLength = Object.fromEntries(
    Object.entries({ windowSeconds, sliding, maxSeconds }).filter(([, part]) => part !== undefined),
  );
  return {
    ...rest,
    ...(given.windowSeconds === undefined ? ofTime : {}),
    ...(given.at === undefined ? ofLength : {}),
    ...given,
  };
}

async function digestParts(flags: TimingFlags): Promise<DigestSettings> {
  const days = flags.digestDays === undefined ? undefined : readDays(flags.digestDays);
  if (flags.digestDays !== undefined && days === undefined) {
    throw new CommandError("--digest-days must be days such as mon,thu");
  }
  const parts = {
    windowSeconds: flags.digestWindowSeconds,
    at: flags.digestAt,
    days,
    key: flags.digestKey,
    sliding: flags.digestSliding,
    maxSeconds: flags.digestMaxSeconds,
    leading: flags.digestLeading,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

async function throttleOf(
  flag: TimingFlags["throttle"],
): Promise<ThrottleSettings | null | undefined> {
  if (flag === false) return null;
  if (flag === undefined) return undefined;
  const throttle = readThrottle(flag);
  if (throttle === undefined) {
    throw new CommandError("--throttle must be a number by seconds, as 5/3600");
  }
  return throttle;
}
