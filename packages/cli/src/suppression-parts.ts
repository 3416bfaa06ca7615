import { ADDRESSES } from "@belfry/contracts/addresses";
import type { Flags, OwnPart, OwnParts } from "./act-command.ts";
import { CommandError } from "./command-error.ts";
import { readInput } from "./input-file.ts";

const FORMS = Object.values(ADDRESSES).map(({ form }) => form);

const named: OwnPart = {
  fields: ["addresses"],
  define: (command) =>
    command
      .option("--address <address>", FORMS.join(", or "))
      .option("--address-file <file>", "one address a line, or - for standard input"),
  input: async (flags) => ({ addresses: await addressesOf(flags) }),
};

export const suppressionParts: OwnParts = {
  parts: { "suppression add": named, "suppression remove": named },
};

async function addressesOf({ address, addressFile }: Flags): Promise<string[]> {
  if ((address === undefined) === (addressFile === undefined)) {
    throw new CommandError("--address: give --address or --address-file");
  }
  if (address !== undefined) return [String(address)];
  const text = await readInput("--address-file", String(addressFile));
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "");
}
