import { emailAddress } from "./email-address.ts";
import { PHONE } from "./identifiers.ts";

/** A field of the trigger's payload that says where a message goes. */
export type AddressField = "recipientEmail" | "recipientPhone";

export interface AddressRow {
  field: AddressField;
  /** Of the table of events. */
  column: string;
  label: string;
  /** As in "must be …". */
  form: string;
  placeholder: string;
  /** What files of other senders call it, the most usual first; without blanks and punctuation. */
  headings: readonly string[];
  /** As events are stored; undefined: it is none. */
  read(text: string): string | undefined;
}

export const ADDRESSES: Readonly<Record<AddressField, AddressRow>> = {
  recipientEmail: {
    field: "recipientEmail",
    column: "recipient_email",
    label: "Email address",
    form: "an email address",
    placeholder: "",
    headings: ["email", "emailaddress", "mail", "mailaddress", "recipientemail", "emailadresse"],
    read: emailAddress,
  },
  recipientPhone: {
    field: "recipientPhone",
    column: "recipient_phone",
    label: "Phone number",
    form: "a phone number such as +12025550123",
    placeholder: "+12025550123",
    headings: [
      "phone",
      "phonenumber",
      "mobile",
      "mobilenumber",
      "msisdn",
      "number",
      "telefon",
      "to",
    ],
    read: (text) => (PHONE.test(text) ? text : undefined),
  },
};
