import type { SendOutcome } from "@belfry/contracts/sending";
import { Auth } from "@vonage/auth";
import { Messages, SMS } from "@vonage/messages";
import type { HttpCalls } from "./http-calls.ts";
import { parseObject } from "./http-outcome.ts";
import type { HttpAnswer } from "./post-once.ts";
import { NotAccepted } from "./send-outcome.ts";

export { SMS };

/** What an answer that is no acceptance means. */
type Refused = (answer: HttpAnswer, body: Record<string, unknown>) => SendOutcome;
type SdkRequest = Parameters<Messages["sendRequest"]>[0];
type SdkResponse<T> = Awaited<ReturnType<typeof Messages.prototype.sendRequest<T>>>;

/**
 * The SDK's client with its requests sent by our own connections. Its own transport is the global
 * fetch: it follows redirects with the credentials, has no bound on connections, takes no address
 * guard and returns an empty 200 as a success.
 */
export class GuardedMessages extends Messages {
  readonly #calls: HttpCalls;
  readonly #refused: Refused;

  constructor(
    credentials: ConstructorParameters<typeof Auth>[0],
    baseUrl: string,
    calls: HttpCalls,
    refused: Refused,
  ) {
    super(new Auth(credentials), { apiHost: baseUrl.replace(/\/+$/, "") });
    this.#calls = calls;
    this.#refused = refused;
  }

  override async sendRequest<T>(request: SdkRequest): Promise<SdkResponse<T>> {
    const prepared = await this.prepareRequest(request);
    const result = await this.#calls.post({
      url: prepared.url,
      headers: prepared.headers as Record<string, string>,
      body: this.prepareBody(prepared) ?? "",
    });
    if (!result.answered) throw new NotAccepted(result.outcome);
    const { answer } = result;
    const body = parseObject(answer.text);
    if (answer.status !== 202 || !isMessageId(body.message_uuid)) {
      throw new NotAccepted(this.#refused(answer, body));
    }
    return {
      data: body as T,
      status: answer.status,
      statusText: "Accepted",
      headers: {},
      config: prepared,
      request: prepared,
    };
  }
}

function isMessageId(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value);
}
