import {
  isProviderChannel,
  listed,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from "@belfry/contracts/channels";

/** A fault of the caller's input. The Admin UI shows it beside the field, the command line with the flag. */
export interface InputFault {
  /** The name of the argument, such as `perMinute`. */
  field: string;
  /** The text after the field's name, such as `must be an integer`. Contains no secret. */
  message: string;
  /** Line and column in a template's text, from 1. */
  line?: number;
  column?: number;
}

/** The input has faults, and all of them are listed. Nothing was changed. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly faults: readonly InputFault[];

  constructor(faults: readonly InputFault[]) {
    super(faults.map((fault) => `${fault.field} ${fault.message}`).join("\n"));
    this.faults = faults;
  }
}

export function invalid(field: string, message: string): InvalidInput {
  return new InvalidInput([{ field, message }]);
}

/** Returns a fault if there is a message. */
export function faultAt(field: string, message: string | undefined): InputFault | undefined {
  return message === undefined ? undefined : { field, message };
}

/** Returns the fault of an integer field. An absent value has none. */
export function integerFault(
  field: string,
  value: number | null | undefined,
  min: number,
  max: number,
): InputFault | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  return { field, message: `must be an integer from ${min} to ${max}` };
}

/** Nothing has the given id. */
export class NotFound extends Error {
  override readonly name = "NotFound";
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Somebody else saved a version in the meantime. Nothing was changed. */
export class Conflict extends Error {
  override readonly name = "Conflict";
  /** The version that is saved now. */
  readonly currentVersion: number;

  constructor(currentVersion: number, message = `version ${currentVersion} was saved meanwhile`) {
    super(message);
    this.currentVersion = currentVersion;
  }
}

/** The change came too late: its object has ended or was deleted. Nothing was changed. */
export class TooLate extends Error {
  override readonly name = "TooLate";
}

/** The environment accepts changes only from a bundle or a promotion. Nothing was changed. */
export class Locked extends TooLate {}

/** The inputs of a compilation have changed since it was prepared. Prepare it again. */
export class StaleCompilation extends Conflict {}

const MOST_ROUNDS = 3;

/** Prepares and saves. Does both again if something else was saved in between; at most three times in all. */
export async function preparedAndSaved<P, T>(
  prepare: () => Promise<P>,
  save: (prepared: P) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round += 1) {
    const prepared = await prepare();
    try {
      return await save(prepared);
    } catch (error) {
      if (!(error instanceof StaleCompilation) || round === MOST_ROUNDS) throw error;
    }
  }
}

/** Throws `InvalidInput` if there is any fault. */
export function refuseFaults(faults: readonly (InputFault | undefined)[]): void {
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new InvalidInput(found);
}

export function requireProviderChannel(channel: unknown): asserts channel is ProviderChannel {
  if (isProviderChannel(channel)) return;
  throw invalid("channel", `must be ${listed(PROVIDER_CHANNELS, "or")}`);
}
