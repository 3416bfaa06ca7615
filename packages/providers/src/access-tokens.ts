import { storedReason } from "@belfry/contracts/reasons";
import { type Static, Type } from "@sinclair/typebox";
import { baseUrlFault } from "./address-guard.ts";
import type { CallResult, HttpCalls } from "./http-calls.ts";
import { JSON_HEADERS } from "./http-vendor.ts";
import type { ProviderContext } from "./provider.ts";
import { type HttpAnswer, NotAccepted, parseObject, refusal, statusClass } from "./send-outcome.ts";
import { lineField, type SettingsContext, secretField } from "./settings.ts";

/** The settings of an account's client at an OAuth 2.0 authorization server (RFC 6749). */
export const OAUTH_FIELDS = {
  oauthTokenUrl: Type.Optional(
    Type.String({
      title: "OAuth token URL",
      description:
        "Instead of a password, for servers that ask for XOAUTH2. Microsoft: https://login.microsoftonline.com/<directory>/oauth2/v2.0/token. Google: https://oauth2.googleapis.com/token.",
      minLength: 1,
      maxLength: 512,
      destination: true,
    }),
  ),
  oauthClientId: Type.Optional(
    lineField({ title: "OAuth client ID", description: "The application's, at the token URL." }),
  ),
  oauthClientSecret: Type.Optional(
    secretField({
      title: "OAuth client secret",
      description: "The application's.",
      belongsTo: "oauthTokenUrl",
    }),
  ),
  oauthRefreshToken: Type.Optional(
    secretField({
      title: "OAuth refresh token",
      description:
        "Of the mailbox's owner, as Google needs it. Without one the application gets tokens for itself (client credentials), as Microsoft allows it by the permission SMTP.SendAsApp.",
      maxLength: 4096,
      belongsTo: "oauthTokenUrl",
    }),
  ),
  oauthScope: Type.Optional(
    lineField({
      title: "OAuth scope",
      description:
        "Microsoft, with client credentials: https://outlook.office365.com/.default. Google: leave it empty.",
    }),
  ),
};

const OAUTH_SETTINGS = Type.Object(OAUTH_FIELDS);
type OAuthSettings = Static<typeof OAUTH_SETTINGS>;

export interface AccessTokens {
  /** A token that stays valid for at least a minute. Concurrent callers share one request. Rejects with NotAccepted. */
  get(): Promise<string>;
  /** Drops a token that was refused: the next `get` asks for another. */
  forget(token: string): void;
  close(): Promise<void>;
}

/** A token is not used in its last minute, because a login takes time and clocks differ. */
const MARGIN_SECONDS = 60;
/** The validity of a token whose server does not state it. */
const DEFAULT_SECONDS = 300;

/** Returns undefined if the account logs in with a password, or not at all. */
export async function createAccessTokens(
  settings: OAuthSettings,
  context: ProviderContext,
): Promise<AccessTokens | undefined> {
  const { oauthTokenUrl: url } = settings;
  if (url === undefined) return undefined;
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const ask = () => requestToken(calls, url, tokenRequest(settings), context);
  return { ...keepToken(ask, context.now), close: () => calls.close() };
}

interface KeptToken {
  token: string;
  untilMs: number;
}

/** Keeps a token until its time is over. */
export function keepToken(
  ask: () => Promise<KeptToken>,
  now: () => number,
): Pick<AccessTokens, "get" | "forget"> {
  let kept: KeptToken | undefined;
  let asking: Promise<KeptToken> | undefined;
  return {
    async get() {
      if (kept !== undefined && now() < kept.untilMs) return kept.token;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      kept = await asking;
      return kept.token;
    },
    forget(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

/** Calls with a token, and once more with another one if the answer says that the first is no longer valid. */
export async function callWithToken(
  tokens: Pick<AccessTokens, "get" | "forget">,
  call: (token: string) => Promise<CallResult>,
  isStale: (answer: HttpAnswer) => boolean,
): Promise<CallResult> {
  try {
    const token = await tokens.get();
    const result = await call(token);
    if (!result.answered || !isStale(result.answer)) return result;
    tokens.forget(token);
    return await call(await tokens.get());
  } catch (error) {
    if (error instanceof NotAccepted) return { answered: false, outcome: error.outcome };
    throw error;
  }
}

/** Asks an authorization server for an access token. `body` is the form. Rejects with NotAccepted. */
export async function requestToken(
  calls: HttpCalls,
  url: string,
  body: string,
  context: Pick<ProviderContext, "secrets" | "now">,
): Promise<KeptToken> {
  const headers = { ...JSON_HEADERS, "content-type": "application/x-www-form-urlencoded" };
  const result = await calls.post({ url, headers, body });
  if (!result.answered) {
    const { class: outcomeClass, reason } = result.outcome;
    // A token request has no side effect, so one that may have arrived is made again.
    const again = outcomeClass === "ambiguous" ? "transient" : outcomeClass;
    const told = {
      ...result.outcome,
      class: again,
      reason: storedReason("no-token", { why: reason }),
    } as const;
    throw new NotAccepted(told);
  }
  const { answer } = result;
  const { access_token: token, expires_in: seconds } = parseObject(answer.text);
  if (answer.status !== 200 || typeof token !== "string" || !/^[\x21-\x7e]{1,8192}$/.test(token)) {
    // A 400 is about the client or its grant (RFC 6749, 5.2), never about the message.
    const byStatus = statusClass(answer.status);
    const isOurs = byStatus === "permanent" || byStatus === "ambiguous";
    const outcomeClass = isOurs ? "credentials" : byStatus;
    // A successful answer may hold tokens in an unknown form, so its text is not kept.
    const told = answer.status < 300 ? { ...answer, text: "" } : answer;
    throw new NotAccepted(refusal("The OAuth server", outcomeClass, told, context));
  }
  const validSeconds = Number(seconds) > 0 ? Number(seconds) : DEFAULT_SECONDS;
  return { token, untilMs: context.now() + (validSeconds - MARGIN_SECONDS) * 1000 };
}

function tokenRequest(settings: OAuthSettings): string {
  const { oauthClientId = "", oauthClientSecret, oauthRefreshToken, oauthScope } = settings;
  const form = new URLSearchParams({
    grant_type: oauthRefreshToken === undefined ? "client_credentials" : "refresh_token",
    client_id: oauthClientId,
  });
  if (oauthClientSecret !== undefined) form.set("client_secret", oauthClientSecret);
  if (oauthRefreshToken !== undefined) form.set("refresh_token", oauthRefreshToken);
  if (oauthScope !== undefined) form.set("scope", oauthScope);
  return form.toString();
}

/** Returns every fault of the OAuth settings among an account's, each beginning with its field's name. */
export function oauthFaults(
  settings: OAuthSettings & { user?: string; password?: string },
  context: SettingsContext,
): string[] {
  const { oauthTokenUrl, oauthClientId, oauthClientSecret, oauthRefreshToken } = settings;
  const others = [oauthClientId, oauthClientSecret, oauthRefreshToken, settings.oauthScope];
  if (oauthTokenUrl === undefined) {
    return others.some((value) => value !== undefined) ? ["oauthTokenUrl: is missing"] : [];
  }
  const urlFault = baseUrlFault(oauthTokenUrl, context);
  return [
    urlFault === null ? "" : `oauthTokenUrl: ${urlFault}`,
    oauthClientId === undefined ? "oauthClientId: is missing" : "",
    oauthClientSecret === undefined && oauthRefreshToken === undefined
      ? "oauthClientSecret: is missing"
      : "",
    settings.user === undefined ? "user: is missing" : "",
    settings.password === undefined ? "" : "password: give either a password or OAuth",
  ].filter((fault) => fault !== "");
}
