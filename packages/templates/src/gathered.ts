import { parseVariables } from "./parse-variables.ts";

/** One event as a message shows it. */
export interface MessageEvent {
  id: string;
  /** What `Date` takes. */
  at: Date | string;
  variables: Readonly<Record<string, unknown>>;
}

/** The same as it is stored; variables that cannot be read count as none. */
export function storedEvent(event: {
  id: string;
  at: Date | string;
  variables: string | null;
}): MessageEvent {
  return { ...event, variables: parseVariables(event.variables ?? "{}") ?? {} };
}

/**
 * Adds to the values that begin with `$` what a template is told of the events that it gathers: `$items`,
 * each event's variables with `$at` and `$event_id`, and `$count`. Made when it is first asked for: most
 * templates name neither.
 */
export function withGathered(
  system: Readonly<Record<string, unknown>> | undefined,
  count: number,
  events: () => readonly MessageEvent[],
): Readonly<Record<string, unknown>> {
  let items: object[] | undefined;
  const gathered = {
    get $items() {
      items ??= events().map(({ id, at, variables }) => {
        return { $at: new Date(at).toISOString(), $event_id: id, ...variables };
      });
      return items;
    },
    $count: count,
  };
  if (system === undefined) return gathered;
  // Not by a spread, which would make each of them now.
  return Object.defineProperties(gathered, Object.getOwnPropertyDescriptors(system));
}
