import { SCHEDULED_PATH } from "@belfry/contracts/scheduled";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";

/**
 * A trigger as one line for bash and zsh that works as pasted, again and again: each time it carries a
 * fresh idempotency key. Every value stands in quotes that nothing in it can end.
 */
export function curlLine(
  apiUrl: string,
  apiKey: string,
  eventType = "global.info",
  variables: readonly string[] = ["title", "message"],
): string {
  const body = JSON.stringify({
    eventType,
    payload: {
      userId: "user-1",
      recipientEmail: "ada@example.com",
      recipientPhone: "+12025550123",
    },
    variables: Object.fromEntries(variables.map((name) => [name, `Sample ${name}`])),
  });
  return [
    `curl -sS ${apiUrl}${TRIGGER_PATH}`,
    "-H 'Content-Type: application/json'",
    `-H 'x-api-key: ${apiKey}'`,
    `-H "X-Idempotency-Key: $(date +%s%N)-$RANDOM"`,
    `-d '${body.replaceAll("'", "'\\''")}'`,
  ].join(" ");
}

/** The same of a key that reads: what rests until its time. */
export function readLine(apiUrl: string, apiKey: string): string {
  return `curl -sS ${apiUrl}${SCHEDULED_PATH} -H 'x-api-key: ${apiKey}'`;
}
