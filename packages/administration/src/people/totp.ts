import { generateSecret, generateURI, verifySync } from "otplib";

/** How long a code is shown, as all authenticator apps take it. */
const STEP_SECONDS = 30;

export function newTotpSecret(): string {
  return generateSecret();
}

/** What an authenticator app reads as a QR code. No colon may stand in the issuer. */
export function totpUri(secret: string, email: string, issuer: string): string {
  return generateURI({ issuer, label: email, secret });
}

/** The six digits, as they may be typed: `123 456`. Undefined: it is no code of an authenticator app. */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replaceAll(/[\s-]/g, "");
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

/**
 * The step whose code it is: the one at `now`, the one before or the one after, as clocks differ. Undefined:
 * it is none of these. Compared in constant time.
 */
export function stepOfCode(secret: string, digits: string, now: Date): number | undefined {
  const epoch = Math.floor(now.getTime() / 1000);
  const found = verifySync({ secret, token: digits, epoch, epochTolerance: STEP_SECONDS });
  return found.valid && "timeStep" in found ? found.timeStep : undefined;
}
