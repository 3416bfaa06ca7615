import { RECOVERY_CODES } from "@belfry/administration/people/two-factor";
import { counted } from "./words.ts";

const NOTICES: Readonly<Record<string, string>> = {
  saved: "Saved.",
  published: "Published. It is live everywhere within 5 seconds.",
  "draft-saved": "Draft saved. The published version is sent until you publish this one.",
  copied: "Copied as drafts. Nothing is live until you publish.",
  activated: "Activated. The change applies everywhere within 5 seconds.",
  deactivated: "Deactivated. The change applies everywhere within 5 seconds.",
  "provider-added":
    "Added as the last provider, and not active yet: nothing is sent through it. Send a test to activate it.",
  "in-use": "Saved. The new settings apply within 5 seconds. Send a test to check that they work.",
  "test-first": "Not activated: a test message must be accepted first.",
  first:
    "It is now the first provider of its channel. The change applies everywhere within 5 seconds.",
  deleted: "Deleted.",
  uploaded: "Uploaded.",
  restored: "Restored as a new version.",
  revoked: "Key revoked. It stops working within 5 seconds.",
  "secret-removed": "Webhook secret removed. Triggers no longer need a signature.",
  moved: "Order changed.",
  removed: "Removed.",
  withdrawn: "Invitation withdrawn.",
  "signed-out": "You are signed out.",
  "sessions-ended": "You are signed out everywhere else.",
  "password-changed": "Password changed. You are signed out everywhere else.",
  "password-set":
    "Your new password is set, and you are signed out everywhere. Sign in with the new password.",
  "sign-in-over": "This sign-in has expired. Sign in again with your password.",
  "setup-over": "This setup has expired, and nothing was turned on. Start again.",
  "two-factor-off": "Two-factor authentication is off. You are signed out everywhere else.",
  "identity-disconnected":
    "Disconnected. The account can no longer be used to sign in, and all sessions of this person have ended.",
  "two-factor-removed":
    "Two-factor authentication removed. This person signs in with the password alone, and all their sessions have ended.",
  ...Object.fromEntries(
    Array.from({ length: RECOVERY_CODES }, (_, left) => [
      recoveryCodesLeft(left),
      `You have used a recovery code. ${counted(left, "recovery code")} left: make new ones under Your account.`,
    ]),
  ),
  joined: "Welcome.",
  "joined-signed-out":
    "Accepted. Your password has ended. Ask an operator for a reset link, or sign in at your provider.",
  connected: "Connected. You can sign in with it from now on.",
  disconnected: "Disconnected. You can no longer sign in with it.",
  "event-moved": "Moved.",
  released: "It is sent within seconds.",
  "event-cancelled": "Cancelled. Nothing was sent, and nothing will be.",
  "event-stopped":
    "Cancelled what was not sent yet. Some of it was already sent: see each channel.",
  "event-cancel-pending":
    "It is being sent right now. If this try fails, there is no other: see each channel in a moment.",
  resent: "Sent again as a new event.",
  "digest-released":
    "The digest is closed: the message is sent in a moment, unless quiet hours delay it.",
  replayed: "Replay started.",
  discarded: "Discarded.",
  "user-saved": "Saved. It applies to every event from now on.",
  added: "Added.",
  "user-disconnected":
    "Disconnected. Open pages of this user receive nothing until they are reloaded.",
  "all-disconnected":
    "Disconnected. Open pages of all users receive nothing until they are reloaded.",
  "turned-off": "Turned off. It applies to every message from now on.",
  "turned-on": "Turned on. It applies to every message from now on.",
  forgotten: "Reset. The category's default applies again.",
  "endpoint-activated": "Enabled. It receives messages from now on.",
  "endpoint-mended": "Enabled. You can replay the messages that did not arrive here.",
  "endpoint-deactivated": "Disabled. It receives no messages.",
  "test-sent": "Test message sent. The result is shown here.",
  "sent-again": "Sent again, with the same webhook-id.",
};

/** The name of the notice that tells how many are left. */
export function recoveryCodesLeft(left: number): string {
  return `recovery-codes-left-${left}`;
}

/** The sentence that a page shows once. The address has its name, never its text. */
export function noticeOf(done: string | null | undefined): string | undefined {
  return done != null && Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
}
