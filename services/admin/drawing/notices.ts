import { RECOVERY_CODES } from "@belfry/administration/people/recovery-codes";
import { counted } from "./words.ts";

const NOTICES: Readonly<Record<string, string>> = {
  saved: "Saved.",
  published: "Published. Active everywhere within 5 seconds.",
  "draft-saved": "The draft is saved. What is sent stays as it is until you publish.",
  copied: "Copied, as drafts: nothing is active until you publish.",
  activated: "Activated. Active everywhere within 5 seconds.",
  deactivated: "Deactivated. Active everywhere within 5 seconds.",
  "provider-added":
    "Added, after the others and not in use: live mail is as it was. Send a test to put it into use.",
  "in-use":
    "Saved. It is in use: what is sent takes these settings within 5 seconds. Send a test to see that they work.",
  "test-first": "Not activated: nothing is sent through it before a test was accepted.",
  first: "It is now first in the order; active everywhere within 5 seconds.",
  deleted: "Deleted.",
  restored: "Restored as a new version.",
  revoked: "The key is revoked: within 5 seconds no service takes it.",
  "secret-removed": "The webhook secret is removed: triggers need no signature any more.",
  moved: "The order is changed.",
  removed: "Removed.",
  withdrawn: "The invitation is withdrawn.",
  "signed-out": "You are signed out.",
  "sessions-ended": "The other sessions are ended.",
  "password-changed": "Your password is changed, and your other sessions are ended.",
  "password-set": "Your new password is set, and all your sessions are ended. Sign in with it.",
  "sign-in-over":
    "That sign-in is too old, or its password was changed meanwhile. Sign in again with your password.",
  "setup-over": "That took too long, and nothing was turned on. Begin again.",
  "two-factor-off": "Two-factor authentication is off, and your other sessions are ended.",
  "identity-disconnected":
    "Disconnected: the account at the provider opens this person's no more, and all the person's sessions are ended.",
  "two-factor-removed":
    "Removed. The person signs in with the password alone, and all the person's sessions are ended.",
  ...Object.fromEntries(
    Array.from({ length: RECOVERY_CODES }, (_, left) => [
      recoveryCodesLeft(left),
      `You have used a recovery code. ${counted(left, "recovery code")} left: make new ones under Your account.`,
    ]),
  ),
  joined: "Welcome.",
  connected: "Connected. It opens your account from now on.",
  disconnected: "Disconnected. It opens your account no more.",
  "event-moved": "Moved.",
  released: "It leaves within seconds.",
  "event-cancelled": "Cancelled. Nothing of it has reached anybody, nor will.",
  "event-stopped": "Stopped what had not left. Something of it had: its channels say what.",
  resent: "Sent again as a new event.",
  "digest-released":
    "The window has ended: the message leaves in a moment, unless quiet hours hold it up.",
  replayed: "Replay under way.",
  discarded: "Discarded.",
  "user-saved": "Saved. It holds for every event that is dispatched from now on.",
  added: "Added.",
  "user-disconnected":
    "Disconnected: the open pages of this user get nothing more until they are loaded anew.",
  "all-disconnected":
    "Disconnected: the open pages of all users get nothing more until they are loaded anew.",
  "turned-off": "Turned off. It holds for every message from now on.",
  "turned-on": "Turned on. It holds for every message from now on.",
  forgotten: "Reset to the category's default.",
  "endpoint-activated": "Switched on: it is told of what happens from now on.",
  "endpoint-mended": "Switched on. Messages that did not arrive can be sent again here.",
  "endpoint-deactivated": "Switched off: nothing is told to it.",
  "test-sent": "The test message is on its way: how it goes is shown here.",
  "sent-again": "Queued to be sent again, with the same webhook-id.",
  imported: "Imported. It holds for every message from now on.",
};

/** The name of the sentence about how many are left. */
export function recoveryCodesLeft(left: number): string {
  return `recovery-codes-left-${left}`;
}

/** The sentence that a page shows once, named by the `done` of its address: no text comes from there. */
export function noticeOf(done: string | null | undefined): string | undefined {
  return done != null && Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
}
