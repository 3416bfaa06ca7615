import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import type { LocalJson } from "./home-folder.ts";
import type { PortVariable } from "./settings.ts";

/** What the demo page and the printed curl line call the person who gets everything. */
export const DEMO_USER = "demo-user";
export const DEMO_EMAIL = "ada@example.com";
export const DEMO_PHONE = "+12025550123";

/** The addresses that people and programs use. */
export function addresses(
  ports: Record<PortVariable, number>,
): Pick<LocalJson, "apiUrl" | "wsUrl" | "adminUrl" | "demoUrl"> {
  return {
    apiUrl: `http://127.0.0.1:${ports.INGEST_API_PORT}`,
    wsUrl: `ws://127.0.0.1:${ports.REALTIME_GATEWAY_PORT}/connection/websocket`,
    adminUrl: `http://127.0.0.1:${ports.ADMIN_PORT}`,
    demoUrl: `http://127.0.0.1:${ports.DEMO_PORT}`,
  };
}

/**
 * A trigger as one line for bash and zsh that can be pasted again and again: each time it carries a
 * fresh idempotency key. `apiKey` may be a shell variable.
 */
export function curlLine(apiUrl: string, apiKey: string): string {
  const body = {
    eventType: "order.confirmed",
    payload: { userId: DEMO_USER, recipientEmail: DEMO_EMAIL, recipientPhone: DEMO_PHONE },
    variables: { name: "Ada", order: "A-1001", total: "49.90 EUR", delivery: "on Thursday" },
  };
  return [
    `curl -sS ${apiUrl}${TRIGGER_PATH}`,
    `-H 'Content-Type: application/json'`,
    `-H "x-api-key: ${apiKey}"`,
    `-H "X-Idempotency-Key: $(date +%s%N)-$RANDOM"`,
    `-d '${JSON.stringify(body)}'`,
  ].join(" ");
}
