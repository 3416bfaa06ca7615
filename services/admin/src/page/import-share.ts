import { type Answer, json, orFaults } from "./answer.ts";
import type { InTenant } from "./router.ts";

/**
 * Whether the page's script sends this request: it sends the lines in parts, to show its progress. See
 * `import-page.js`.
 */
export function isByScript({ request }: Pick<InTenant, "request">): boolean {
  return request.headers.accept === "application/json";
}

/** Writes one part. Returns its counts as JSON, or the faults of its lines; one fault refuses the whole part. */
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
