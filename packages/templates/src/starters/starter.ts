/** A set of templates to begin with: one message in each channel, ready to be saved and sent. */
export interface Starter {
  /** Also what an address of a page may name it by. */
  key: string;
  label: string;
  /** One sentence: what it is for. */
  description: string;
  /** A name for the event type, if the tenant has none yet. */
  eventType: string;
  /** Whether it holds a code or a link that gives access. */
  sensitive: boolean;
  /** The variables without which it says nothing; it reads well without any of the others. */
  requiredVariables: readonly string[];
  /** Values that show it as a recipient would see it; plain JSON. */
  sampleVariables: Readonly<Record<string, unknown>>;
  /** The content is Markdown. */
  email: { subject: string; content: string };
  text: { content: string };
  notification: { title: string; content: string; url?: string };
}
