/**
 * The yardstick of the email benchmark: the vendor's own library in a bare loop, with one mail's worth of
 * the same content again and again. As many calls at a time as the sender has.
 */
import mail from "@sendgrid/mail";

/** The body of a mail as the vendor got it. */
interface MailBody {
  personalizations: { to: { email: string }[]; custom_args: Record<string, string> }[];
  from: { email: string };
  subject: string;
  content: [{ type: string; value: string }];
}

export interface MailsAsked {
  type: "send";
  count: number;
  body: string;
}

// biome-ignore lint/style/noProcessEnv: the benchmark's own process has no configuration schema
const { VENDOR_URL = "", AT_A_TIME } = process.env;

mail.setApiKey("SG.bench");
(mail as unknown as { client: SendgridClient }).client.setDefaultRequest("baseUrl", VENDOR_URL);

interface SendgridClient {
  setDefaultRequest(key: string, value: string): void;
}

process.on("message", async ({ count, body }: MailsAsked) => {
  const { personalizations, from, subject, content } = JSON.parse(body) as MailBody;
  const [{ to, custom_args: customArgs } = { to: [], custom_args: {} }] = personalizations;
  let begun = 0;
  const work = async () => {
    while (begun < count) {
      begun += 1;
      await mail.send({ personalizations: [{ to, customArgs }], from, subject, content });
    }
  };
  await Promise.all(Array.from({ length: Number(AT_A_TIME) }, work));
  process.send?.({ type: "sent" });
});
process.on("disconnect", () => process.exit());
process.on("SIGTERM", () => process.exit());
process.send?.({ type: "ready" });
