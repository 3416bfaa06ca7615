import { type Answer, json, orFaults } from "./answer.ts";
import type { InTenant } from "./router.ts";

/** A page that imports sends its lines share by share where it has scripts, to show how far it is: see `import-page.js`. */
export function isByScript({ request }: Pick<InTenant, "request">): boolean {
  return request.headers.accept === "application/json";
}

/** Writes one share: its counts as JSON, or the faults of the lines, which refuse all of them. */
export async function importShare(
  form: URLSearchParams,
  write: (share: { part: number; parts: number }) => Promise<object>,
): Promise<Answer> {
  const number = (name: string) => Number(form.get(name) ?? 1);
  return await orFaults(
    async () => json(await write({ part: number("part"), parts: number("parts") })),
    (_, faults) => json({ faults: faults.map(({ message }) => message) }, 422),
  );
}
