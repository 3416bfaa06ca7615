import { storedReason } from "@belfry/contracts/reasons";
import type { HttpCalls } from "./http-calls.ts";
import { parseObject, refusal, statusClass } from "./http-outcome.ts";
import type { ProviderContext } from "./provider.ts";
import { NotAccepted } from "./send-outcome.ts";

/** An account's client at an OAuth 2.0 authorization server (RFC 6749). */
export interface TokenClient {
  tokenUrl: string;
  clientId: string;
  clientSecret?: string | undefined;
  /** Of a person who has agreed once; without it the client gets tokens for itself (client credentials). */
  refreshToken?: string | undefined;
  scope?: string | undefined;
}

export interface AccessTokens {
  /** One that is valid for a while yet; callers of a moment share one request. Rejects with NotAccepted. */
  get(): Promise<string>;
  /** It was refused: the next `get` asks for another. */
  forget(token: string): void;
}

/** A token is not used in its last minute: a login takes its time, and clocks differ. */
const MARGIN_SECONDS = 60;
/** Of a token whose server does not say how long it is valid. */
const DEFAULT_SECONDS = 300;

export function createAccessTokens(
  client: TokenClient,
  calls: HttpCalls,
  context: Pick<ProviderContext, "secrets" | "now">,
): AccessTokens {
  let kept: { token: string; untilMs: number } | undefined;
  let asking: Promise<string> | undefined;

  const ask = async () => {
    const result = await calls.post({
      url: client.tokenUrl,
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": "belfry",
      },
      body: tokenRequest(client),
    });
    if (!result.answered) {
      const { class: outcomeClass, reason } = result.outcome;
      // A request for a token that may have arrived has no effect: it is made again.
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
    if (
      answer.status !== 200 ||
      typeof token !== "string" ||
      !/^[\x21-\x7e]{1,8192}$/.test(token)
    ) {
      // A 400 is about the client or its grant (RFC 6749, 5.2), never about the message.
      const byStatus = statusClass(answer.status);
      const isOurs = byStatus === "permanent" || byStatus === "ambiguous";
      const outcomeClass = isOurs ? "credentials" : byStatus;
      // An answer of success may hold tokens, in whatever form.
      const told = answer.status < 300 ? { ...answer, text: "" } : answer;
      throw new NotAccepted(refusal("The OAuth server", outcomeClass, told, context));
    }
    const validSeconds = Number(seconds) > 0 ? Number(seconds) : DEFAULT_SECONDS;
    kept = { token, untilMs: context.now() + (validSeconds - MARGIN_SECONDS) * 1000 };
    return token;
  };

  return {
    async get() {
      if (kept !== undefined && context.now() < kept.untilMs) return kept.token;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return await asking;
    },
    forget(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

function tokenRequest({ clientId, clientSecret, refreshToken, scope }: TokenClient): string {
  const form = new URLSearchParams({
    grant_type: refreshToken === undefined ? "client_credentials" : "refresh_token",
    client_id: clientId,
  });
  if (clientSecret !== undefined) form.set("client_secret", clientSecret);
  if (refreshToken !== undefined) form.set("refresh_token", refreshToken);
  if (scope !== undefined) form.set("scope", scope);
  return form.toString();
}
