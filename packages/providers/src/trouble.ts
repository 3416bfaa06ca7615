import type { SendOutcome } from "@belfry/contracts/sending";
import { outcome } from "./send-outcome.ts";

/** Nobody's: what the sandbox is asked to send there ends as the name before it says. */
export const TROUBLE_DOMAIN = "trouble.example";

const OUTCOMES: ReadonlyMap<string, SendOutcome> = new Map([
  [
    "nobody",
    outcome("permanent", "the mail server says that this address does not exist", {
      vendorStatus: "550",
      vendorAnswer: "550 5.1.1 No such user here (the sandbox says so of this address)",
      suppress: "bounced",
    }),
  ],
  [
    "full",
    outcome("permanent", "the mail server says that the mailbox is full", {
      vendorStatus: "552",
      vendorAnswer: "552 5.2.2 Mailbox full (the sandbox says so of this address)",
    }),
  ],
  [
    "login",
    outcome("credentials", "the provider refused the login", {
      vendorStatus: "535",
      vendorAnswer: "535 5.7.8 Authentication failed (the sandbox says so of this address)",
    }),
  ],
  ["down", outcome("transient", "no connection to the provider (the sandbox plays an outage)")],
]);

/** How the sandbox fails for this address; undefined: it does not. What stands behind a + does not matter. */
export function troubleOf(to: string): SendOutcome | undefined {
  const [name = "", domain] = to.toLowerCase().split("@");
  return domain === TROUBLE_DOMAIN ? OUTCOMES.get(name.split("+", 1)[0] ?? "") : undefined;
}
