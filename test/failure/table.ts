import { markdownTable } from "../docs/markdown.ts";
import type { FaultResult } from "./run-fault.ts";
import type { Verdict } from "./verdict.ts";

const COLUMNS = [
  "fault",
  "accepted",
  "lost",
  "doubled",
  "answers 500",
  "slowest answer",
  "flows again after",
  "last arrival after",
];

/** The results as a Markdown table, with the causes of the doubles below. */
export function faultTable(results: readonly FaultResult[]): string {
  const rows = results.map(({ fault, verdict }) => [
    fault.name,
    String(verdict.accepted),
    String(verdict.lost.length),
    String(sum(verdict.doubled) + verdict.unexplained.length),
    String(verdict.refusals),
    seconds(verdict.slowestAnswerMs),
    verdict.flowsAgainMs === undefined ? "-" : seconds(verdict.flowsAgainMs),
    seconds(verdict.lastArrivalMs),
  ]);
  return markdownTable(COLUMNS, rows);
}

/** Where the doubles came from, one line a fault that has any. */
export function doubleCauses(results: readonly FaultResult[]): string[] {
  return results.flatMap(({ fault, verdict }) => [
    ...[...verdict.doubled].map(([cause, count]) => `${fault.name}: ${count} doubled: ${cause}`),
    ...verdict.unexplained.map((what) => `${fault.name}: ${what} doubled for no documented cause`),
  ]);
}

/** Everything that breaks the contract; empty when it holds. */
export function breaches({ fault, verdict, unsettled }: FaultResult): string[] {
  const faults: string[] = [];
  const say = (what: string, keys: readonly string[]) => {
    if (keys.length > 0) faults.push(`${keys.length} ${what}: ${keys.slice(0, 10).join(", ")}`);
  };
  if (verdict.accepted === 0) faults.push("nothing was accepted");
  say("lost", verdict.lost);
  say("sent though refused", verdict.sentThoughRefused);
  say("doubled for no documented cause", verdict.unexplained);
  if (fault.unnoticed && verdict.refusals > 0) faults.push(`${verdict.refusals} answers 500`);
  if (verdict.silent > 0) faults.push(`${verdict.silent} requests had no answer in time`);
  if (verdict.unanswered > 0) faults.push(`${verdict.unanswered} events never had an answer`);
  if (unsettled > 0) faults.push(`${unsettled} events or deliveries never came to rest`);
  if (verdict.flowsAgainMs === undefined) faults.push("no later event arrived everywhere");
  return faults;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** What came after a fault's own check; empty when nothing did. */
export function lateBreaches(last: Verdict, results: readonly FaultResult[]): string[] {
  const before = results.reduce((total, { verdict }) => total + sum(verdict.doubled), 0);
  const late = sum(last.doubled) - before;
  return [
    ...(late > 0 ? [`${late} doubled later`] : []),
    ...last.lost.map((what) => `${what} lost`),
    ...last.unexplained.map((what) => `${what} doubled for no documented cause`),
    ...last.sentThoughRefused.map((what) => `${what} sent though refused`),
  ];
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
