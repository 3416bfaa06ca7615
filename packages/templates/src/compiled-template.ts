/**
 * A checked template, as plain JSON: what is stored with a template version and rendered from.
 * Every text still holds its tags as `{{name}}`.
 */
export type CompiledTemplate =
  | {
      channel: "EMAIL";
      format: "mjml" | "html" | "text";
      subject: string;
      html: string;
      text: string;
      variables: string[];
    }
  | { channel: "SMS"; text: string; variables: string[] }
  | { channel: "PUSH"; title: string; body: string; variables: string[] };
