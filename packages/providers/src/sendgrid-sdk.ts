import client from "@sendgrid/client";
import helpers from "@sendgrid/helpers";
import mail from "@sendgrid/mail";
import type { HttpCalls } from "./http-calls.ts";
import { NotAccepted } from "./send-outcome.ts";

type SendgridClient = typeof client;
type SendgridMail = typeof mail;

type SendgridRequest = Parameters<SendgridClient["request"]>[0];
export type SendgridResponse = Awaited<ReturnType<SendgridClient["request"]>>[0];
export type SendgridMailData = Exclude<Parameters<SendgridMail["send"]>[0], readonly unknown[]>;

/** The SDK's classes: its default exports are one instance for the whole process, with one credential. */
const { Client } = client as unknown as { Client: new () => SendgridClient };
export const { MailService } = mail as unknown as { MailService: new () => SendgridMail };
const { Mail } = helpers.classes;

/** A mail for `MailService`. The SDK copies what a mail is made of by way of JSON, but not what is added: the parts. */
export function sendgridMail(
  data: Omit<SendgridMailData, "content">,
  parts: readonly { type: string; value: string }[],
): SendgridMailData {
  const made = new Mail(data as SendgridMailData);
  for (const part of parts) made.addContent(part);
  return made as unknown as SendgridMailData;
}

/**
 * The SDK's client with its requests sent by our own connections: axios cannot say whether a request
 * had left when it failed, and would need the address guard a second time.
 */
export class GuardedClient extends Client {
  readonly #calls: HttpCalls;
  readonly #baseUrl: string;

  constructor(apiKey: string, baseUrl: string, calls: HttpCalls) {
    super();
    this.#calls = calls;
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    // Not setApiKey: it writes to the console about keys of another form.
    this.setDefaultHeader("Authorization", `Bearer ${apiKey}`);
  }

  override async request(data: SendgridRequest): Promise<[SendgridResponse, string]> {
    // MailService hands over the mail's header fields as those of the request, too.
    const prepared = this.createRequest({ ...data, headers: {} }) as SendgridRequest & {
      data: unknown;
    };
    const result = await this.#calls.post({
      url: this.#baseUrl + prepared.url,
      headers: prepared.headers as Record<string, string>,
      body: JSON.stringify(prepared.data),
    });
    if (!result.answered) throw new NotAccepted(result.outcome);
    const { status, headers, text } = result.answer;
    // The SDK's type wants an object for a body that the vendor leaves empty.
    return [{ statusCode: status, headers, body: text } as unknown as SendgridResponse, text];
  }
}
