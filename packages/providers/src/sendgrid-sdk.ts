import client from "@sendgrid/client";
import mail from "@sendgrid/mail";

type SendgridClient = typeof client;
type SendgridMail = typeof mail;

export type SendgridRequest = Parameters<SendgridClient["request"]>[0];
export type SendgridResponse = Awaited<ReturnType<SendgridClient["request"]>>[0];
export type SendgridMailData = Exclude<Parameters<SendgridMail["send"]>[0], readonly unknown[]>;

/** The SDK's classes: its default exports are one instance for the whole process, with one credential. */
export const { Client } = client as unknown as { Client: new () => SendgridClient };
export const { MailService } = mail as unknown as { MailService: new () => SendgridMail };
