import { RECOVERY_CODES } from "@belfry/administration/people/two-factor";
import { type Phrase, say } from "./language.ts";
import { counted } from "./words.ts";

const NOTICES: Readonly<Record<string, Phrase>> = {
  saved: say`Saved.`,
  published: say`Published. It is live everywhere within 5 seconds.`,
  "draft-saved": say`Draft saved. The published version is sent until you publish this one.`,
  copied: say`Copied as drafts. Nothing is live until you publish.`,
  activated: say`Activated. The change applies everywhere within 5 seconds.`,
  deactivated: say`Deactivated. The change applies everywhere within 5 seconds.`,
  "provider-added": say`Added as the last provider, and not active yet: nothing is sent through it. Send a test to activate it.`,
  "in-use": say`Saved. The new settings apply within 5 seconds. Send a test to check that they work.`,
  "test-first": say`Not activated: a test message must be accepted first.`,
  first: say`It is now the first provider of its channel. The change applies everywhere within 5 seconds.`,
  deleted: say`Deleted.`,
  uploaded: say`Uploaded.`,
  "draft-first": say`Not restored: this language has a draft. Publish or discard it first.`,
  restored: say`The old text is a draft now. Compare it, then publish it.`,
  revoked: say`Key revoked. It stops working within 5 seconds.`,
  "secret-removed": say`Signing secret removed. Triggers no longer need a signature.`,
  moved: say`Order changed.`,
  removed: say`Removed.`,
  withdrawn: say`Invitation withdrawn.`,
  "signed-out": say`You are signed out.`,
  "sessions-ended": say`You are signed out everywhere else.`,
  "password-changed": say`Password changed. You are signed out everywhere else.`,
  "password-set": say`Your new password is set, and you are signed out everywhere. Sign in with the new password.`,
  "sign-in-over": say`This sign-in has expired. Sign in again with your password.`,
  "setup-over": say`This setup has expired, and nothing was turned on. Start again.`,
  "two-factor-off": say`Two-factor authentication is off. You are signed out everywhere else.`,
  "identity-disconnected": say`Disconnected. The account can no longer be used to sign in, and all sessions of this person have ended.`,
  "two-factor-removed": say`Two-factor authentication removed. This person signs in with the password alone, and all their sessions have ended.`,
  ...Object.fromEntries(
    Array.from({ length: RECOVERY_CODES }, (_, left) => [
      recoveryCodesLeft(left),
      say`You have used a recovery code. ${counted(left, "recovery code")} left: make new ones under Your account.`,
    ]),
  ),
  joined: say`Welcome.`,
  "joined-signed-out": say`Accepted. Your password has ended. Ask an operator for a reset link, or sign in at your provider.`,
  connected: say`Connected. You can sign in with it from now on.`,
  disconnected: say`Disconnected. You can no longer sign in with it.`,
  "event-moved": say`Moved.`,
  released: say`It is sent within seconds.`,
  "event-cancelled": say`Cancelled. Nothing was sent, and nothing will be.`,
  "event-stopped": say`Cancelled what was not sent yet. Some of it was already sent: see each channel.`,
  "event-cancel-pending": say`It is being sent right now. If this try fails, there is no other: see each channel in a moment.`,
  "broadcast-made": say`Accepted. Its progress is shown here.`,
  "broadcast-paused": say`Paused. Nothing more of it leaves until somebody resumes it.`,
  "broadcast-resumed": say`Resumed.`,
  "broadcast-cancelled": say`Cancelled. Nothing more of it is sent.`,
  resent: say`Sent again as a new event.`,
  "digest-released": say`The digest is closed: the message is sent in a moment, unless quiet hours delay it.`,
  discarded: say`Discarded.`,
  "user-saved": say`Saved. It applies to every event from now on.`,
  added: say`Added.`,
  "user-disconnected": say`Disconnected. Open pages of this user receive nothing until they are reloaded.`,
  "device-removed": say`Removed. Nothing more is sent to this device.`,
  "all-disconnected": say`Disconnected. Open pages of all users receive nothing until they are reloaded.`,
  "members-changed": say`Saved. It applies from now on.`,
  "topic-deleted": say`Deleted. Its users stay.`,
  "turned-off": say`Turned off. It applies to every message from now on.`,
  "turned-on": say`Turned on. It applies to every message from now on.`,
  forgotten: say`Reset. The category's default applies again.`,
  "endpoint-activated": say`Enabled. It receives messages from now on.`,
  "endpoint-mended": say`Enabled. You can replay the messages that did not arrive here.`,
  "endpoint-deactivated": say`Disabled. It receives no messages.`,
  "test-sent": say`Test message sent. The result is shown here.`,
  "sent-again": say`Sent again, with the same webhook-id.`,
};

/** Returns the name of the notice that says how many recovery codes are left. */
export function recoveryCodesLeft(left: number): string {
  return `recovery-codes-left-${left}`;
}

/** Returns the sentence that a page shows once. The address contains its name, never its text. */
export function noticeOf(done: string | null | undefined): Phrase | undefined {
  return done != null && Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
}
