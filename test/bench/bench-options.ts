import { parseArgs } from "node:util";

export interface BenchOptions {
  /** As short as it can be: shows that a benchmark runs, not what it measures. */
  quick: boolean;
  /** Of the benchmark's own choice where it is undefined; so are the next two. */
  rounds: number | undefined;
  /** Of one measurement. */
  seconds: number | undefined;
  /** Of the realtime benchmark. */
  connections: number | undefined;
  /**
   * How many recipients with preferences the second set of tenants has that ingest and dispatch measure beside
   * tenants without; undefined: there is no such set.
   */
  recipients: number | undefined;
  /** Whether email measures as well what it costs to tell an endpoint of each mail. */
  webhooks: boolean;
  /** Where results are kept; undefined: nowhere. */
  resultsFile: string | undefined;
}

/**
 * Reads what follows a benchmark's name. A quick run, or one of other rounds or seconds than the
 * published ones, is kept only where `--results` says so. Throws on an option that there is not.
 */
export function readBenchOptions(args: string[], resultsFile: string): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string" },
      recipients: { type: "string" },
      webhooks: { type: "boolean", default: false },
      results: { type: "string" },
    },
  });
  const { quick, webhooks } = values;
  const rounds = count("--rounds", values.rounds);
  const seconds = count("--seconds", values.seconds);
  const connections = count("--connections", values.connections);
  const recipients = count("--recipients", values.recipients);
  const chosen = [rounds, seconds, connections, recipients];
  const isStandard = !quick && !webhooks && chosen.every((one) => one === undefined);
  const standardFile = isStandard ? resultsFile : undefined;
  return {
    quick,
    rounds,
    seconds,
    connections,
    recipients,
    webhooks,
    resultsFile: values.results ?? standardFile,
  };
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`${name} must be a whole number from 1 on`);
  return Number(text);
}
