import { hasPassword } from "@belfry/administration/people/identities";
import {
  beginTwoFactor,
  recoveryCodesMade,
  renewRecoveryCodes,
  totpUri,
  turnOffTwoFactor,
  turnOnTwoFactor,
  twoFactorOf,
  twoFactorOff,
  twoFactorOn,
  twoFactorSetup,
} from "@belfry/administration/people/two-factor";
import { renderSVG } from "uqr";
import { type Answer, type Faults, orFaults, page, redirect, withStatus } from "../page/answer.ts";
import { say } from "../page/language.ts";
import type { Signed } from "../page/router.ts";
import type { AuthDeps } from "./pending-sign-ins.ts";
import { refusedFactors } from "./sign-in-checks.ts";

const HERE = "/account/two-factor";
/** The white margin of a QR code in modules, as its standard requires: the page itself may be dark. */
const QUIET_ZONE = 4;

/** Registers the pages on which a person turns two-factor authentication on and off and gets recovery codes. */
export function twoFactorPages(deps: AuthDeps): void {
  const { route, db, keys, once, config, oidc } = deps;
  const now = () => new Date(deps.nowMs());
  // The issuer in a TOTP address must not contain a colon.
  const issuer = `Belfry (${new URL(config.baseUrl).hostname.replaceAll(":", " ")})`;

  /** `faults` belong to the form that `of` names. */
  const show = async (
    { person }: Signed,
    more: { faults?: Faults; of?: string; recoveryCodes?: unknown } = {},
  ): Promise<Answer> => {
    const secret = await twoFactorSetup(db, keys, person, now());
    const uri = secret && totpUri(secret, person.email, issuer);
    return page("two-factor", say`Two-factor authentication`, {
      twoFactor: await twoFactorOf(db, person.personId),
      hasPassword: await hasPassword(db, person.personId),
      setup: uri && {
        uri,
        qrCode: renderSVG(uri, { border: QUIET_ZONE }),
        secret: secret?.replaceAll(/(.{4})(?=.)/g, "$1 "),
      },
      oidcName: oidc?.settings.name,
      ...more,
    });
  };

  /** Makes the change if password and code are right; otherwise shows the form with the faults. */
  const withFactors = async (signed: Signed, of: string, change: () => Promise<Answer>) => {
    const refused = await refusedFactors(deps, signed);
    if (refused === undefined) return await change();
    return withStatus(refused.status, await show(signed, { faults: refused.faults, of }));
  };

  route("GET /account/two-factor", async (signed) => show(signed, await once.take(signed)));

  route("POST /account/two-factor/begin", (signed) =>
    withFactors(signed, "begin", () =>
      orFaults(
        async () => {
          await db
            .transaction()
            .execute((transaction) => beginTwoFactor(transaction, keys, signed.person, now()));
          return redirect(HERE);
        },
        (faults) => show(signed, { faults, of: "begin" }),
      ),
    ),
  );

  route("POST /account/two-factor/turn-on", async (signed) => {
    const { person, audited, form } = signed;
    if ((await twoFactorSetup(db, keys, person, now())) === undefined) {
      return redirect(HERE, "setup-over");
    }
    return await orFaults(
      async () => {
        const { recoveryCodes } = await audited(
          (transaction) =>
            turnOnTwoFactor(transaction, keys, person, form.get("code") ?? "", now()),
          (done) => twoFactorOn(person.email, done),
        );
        return await once.show(person, HERE, { recoveryCodes });
      },
      (faults) => show(signed, { faults, of: "turn-on" }),
    );
  });

  route("POST /account/two-factor/recovery-codes", (signed) =>
    withFactors(signed, "recovery-codes", () =>
      orFaults(async () => {
        const { person, audited } = signed;
        const recoveryCodes = await audited(
          (transaction) => renewRecoveryCodes(transaction, person.personId),
          () => recoveryCodesMade(person.email),
        );
        return await once.show(person, HERE, { recoveryCodes });
      }, isOff),
    ),
  );

  route("POST /account/two-factor/turn-off", (signed) =>
    withFactors(signed, "turn-off", () =>
      orFaults(async () => {
        const { person, audited } = signed;
        await audited(
          (transaction) => turnOffTwoFactor(transaction, person),
          (done) => twoFactorOff(person.email, done),
        );
        return redirect("/account", "two-factor-off");
      }, isOff),
    ),
  );
}

/** Shows the page again: two-factor authentication was turned off in another window or by an operator. */
function isOff(): Answer {
  return redirect(HERE);
}
