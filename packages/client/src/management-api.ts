/**
 * The calls of the management API. Generated from its OpenAPI document, and held true by a test:
 * node test/run.ts --test-update-snapshots test/openapi/client-calls.test.ts
 */

export interface Alerts {
  email: string;
  /** The chat address that is told as well */
  chat: string | null;
  alerts: {
    kind: "provider-paused" | "failure-rate" | "dead-letters" | "cap-reached" | "endpoint-disabled";
    title: string;
    /** When it is sent */
    when: string;
    on: boolean;
  }[];
}

export interface ApiKey {
  id: string;
  /** Its first characters, for people to tell keys apart */
  prefix: string;
  name: string | null;
  /** The calls for which it is taken */
  role: "all" | "trigger" | "read" | "manage" | "provision";
  /** When it was created; ISO 8601, UTC */
  createdAt: string;
  /** When it ends; null: once it is rotated or revoked; ISO 8601, UTC */
  expiresAt: string | null;
  /** When it was last used; ISO 8601, UTC */
  lastUsedAt: string | null;
}

export interface AuditEntry {
  id: string;
  /** When it was done; ISO 8601, UTC */
  at: string;
  personId: string | null;
  /** Name and address, or the command line's account */
  person: string;
  /** The client's */
  address: string;
  /** null: of the platform */
  tenantId: string | null;
  /** null: of the platform, or the tenant is deleted */
  tenantName: string | null;
  action: string;
  /** The changed object, in words */
  target: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface BroadcastEstimate {
  /** Whether everybody was examined; if false, `people` and `reached` are extrapolated */
  isExact: boolean;
  /** People who were looked at one by one: the first by user id */
  lookedAt: number;
  /** Those of them who would get it on at least one channel */
  reachedOfThose: number;
  /** Users it is for; a user in several topics counts once */
  people: number;
  /** Users who would get it on at least one channel */
  reached: number;
  /** The channels that it would go out on */
  channels: {
    channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    /** Users among the examined ones who would get it */
    reached: number;
    /** Reasons why examined users would not get it on this channel */
    missed: Missed[];
  }[];
}

export interface BundleProgress extends Plan {
  /** When the call came; ISO 8601, UTC */
  requestedAt: string;
  /** When the work began; ISO 8601, UTC */
  startedAt: string | null;
  /** When it ended; null: it is under way; ISO 8601, UTC */
  endedAt: string | null;
}

export interface Cancelled {
  /** Belfry's ids of events that have reached nobody and will reach nobody */
  cancelled: string[];
  /** Events that had already been sent in part; the rest was stopped */
  partly: {
    /** Belfry's id */
    eventId: string;
    /** Channels on which nothing has been sent */
    stopped: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
  }[];
  /** Belfry's ids of events with an attempt in progress, which is the last one. Repeat the call to learn its result */
  pending: string[];
  /** Belfry's ids of events of which nothing could be stopped any more */
  tooLate: string[];
  /** The given eventIds that no event has; absent if all were found */
  unknown?: string[];
  /** Present and true if there are more than 1000 events; repeat the call to continue */
  more?: boolean;
}

export interface Category {
  key: string;
  /** Texts by language; the key "" is the default */
  label: Record<string, string>;
  description: Record<string, string>;
  /** Messages are sent even to users who turned it off */
  required: boolean;
  /** false: sent only to users who have turned it on */
  defaultOn: boolean;
  position: number;
  /** Event types in the category */
  eventTypes: string[];
}

export interface Digest {
  id: string;
  eventType: string;
  channel: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
  userId: string;
  recipient: string | null;
  /** Locale of the template's variant; empty: the default */
  locale: string;
  /** The key that separates its events from others; empty: none */
  key: string;
  /** When its first event came; ISO 8601, UTC */
  openedAt: string;
  /** Until when events join it; quiet hours may hold it longer; ISO 8601, UTC */
  windowEndsAt: string;
  /** When the digest was closed; ISO 8601, UTC */
  closedAt: string | null;
  /** Events that the message combines */
  count: number;
  delivery: {
    id: string;
    status:
      | "queued"
      | "sending"
      | "waiting"
      | "accepted"
      | "delivered"
      | "bounced"
      | "complained"
      | "failed"
      | "expired"
      | "skipped"
      | "unknown"
      | "discarded";
    reason: string | null;
    /** Time of the next attempt; null once the delivery has ended; ISO 8601, UTC */
    dueAt: string | null;
  } | null;
  /** Events may join it */
  open: boolean;
}

/** The draft of one variant, which is not in use */
export interface Draft {
  templateId: string;
  tenantId: string;
  /** the template's event type */
  eventType: string;
  /** EMAIL, SMS, PUSH, DEVICE or CHAT */
  channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
  /** Empty: the default variant */
  locale: string;
  content: string;
  subject: string | null;
  title: string | null;
  format: "markdown" | "mjml" | "html" | "text" | null;
  url: string | null;
  /** buttons of PUSH; up to two */
  actions?:
    | {
        /** What it says */
        label: string;
        /** What it opens */
        url: string;
      }[]
    | null;
  /** Settings that publishing applies, as they were given: they are not checked yet */
  settings: {
    /** use it for events; default: true */
    active?: boolean;
    /** one-time codes and the like: content is erased and never shown */
    sensitive?: boolean;
    /** a try without an answer is not repeated: it ends as unknown */
    atMostOnce?: boolean;
    /** of SMS: curly quotes, dashes and the like are sent as plain ones */
    plainCharacters?: boolean;
    /** seconds after the event; a message that is later than that is not sent */
    expiresAfterSeconds?: number | null;
    /** combines several events into one message; null: each event is sent alone */
    digest?: {
      /** how long events are combined into one message, in seconds */
      windowSeconds?: number;
      /** one message at 09:00, by the recipient's clock */
      at?: string;
      /** with --digest-at: the days on which it is sent, such as mon,thu */
      days?: number[];
      /** events with different values of this variable are combined separately */
      key?: string;
      /** each event restarts the window */
      sliding?: boolean;
      /** of a sliding window: its longest duration in seconds */
      maxSeconds?: number;
      /** the first event is sent at once, the later ones together */
      leading?: boolean;
    } | null;
    /** at most `count` messages per user in any `seconds`; the rest are skipped */
    throttle?: {
      /** number of messages */
      count?: number;
      /** length of the time, in seconds */
      seconds?: number;
    } | null;
    /** sent after that time, unless it was read in the inbox */
    afterUnreadSeconds?: number | null;
    /** realtime channel of PUSH; default: the personal one */
    targetChannel?: string | null;
    /** a,b: without one of them nothing is sent on this channel; '' for none; default: as they are */
    requiredVariables?: string[] | null;
    /** of EMAIL: the name beside the sender's address, with {{variables}}; '' for the provider's; default: as it is */
    fromName?: string | null;
    /** of EMAIL: where answers go, with {{variables}}; '' for the provider's; default: as it is */
    replyTo?: string | null;
    /** of EMAIL: who gets a copy that everybody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
    cc?: string[] | null;
    /** of EMAIL: who gets a copy that nobody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
    bcc?: string[] | null;
    /** of DEVICE: an https URL of a picture, with {{variables}}; '' for none; default: as it is */
    image?: string | null;
    /** of DEVICE: values for the app by name, texts with {{variables}}; {} for none; default: as it is */
    data?: Record<string, string> | null;
    /** of DEVICE: a later message with the same key replaces the earlier one, with {{variables}}; '' for none; default: as it is */
    collapseKey?: string | null;
    /** for previews: a JSON object as text */
    sampleVariables?: string | null;
  };
  /** Changes with every save */
  revision: number;
  /** The published version that the draft was begun from */
  basedOnVersion: number;
  /** Version that a translation was made from */
  sourceVersion: number | null;
  savedBy: string | null;
  /** When it was saved; ISO 8601, UTC */
  savedAt: string;
}

export interface Environment {
  tenantId: string;
  /** The tenant's */
  name: string;
  family: string | null;
  environment: string | null;
  /** The tenant whose templates are promoted into it */
  promotesFrom: string | null;
  /** Only a bundle or a promotion changes its templates */
  locked: boolean;
}

export interface Image {
  id: string;
  /** Name of the uploaded file */
  name: string;
  type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  bytes: number;
  /** In pixels */
  width: number;
  height: number;
  /** For a mail or a design: everybody can read it there */
  url: string;
  /** When it was uploaded; ISO 8601, UTC */
  createdAt: string;
}

export interface Import {
  id: string;
  kind: "users" | "members";
  /** Topic of an import of members */
  topic: string | null;
  /** `receiving` while parts of the file come, then `waiting` and `running`; of a tenant one runs at a time */
  state: "receiving" | "waiting" | "running" | "done" | "failed" | "cancelled";
  /** The person who began it */
  person: string;
  /** Parts that have arrived */
  parts: number;
  /** Lines that have arrived, without the heading and empty ones */
  lines: number;
  /** Lines that were processed: the sum of the three fields below */
  processed: number;
  /** Users that were created */
  added: number;
  /** Users that existed, or that an earlier line named */
  alreadyThere: number;
  /** Bad lines; `faults` lists the first ones */
  leftOut: number;
  /** When it was begun; ISO 8601, UTC */
  requestedAt: string;
  /** When its first lines were written; ISO 8601, UTC */
  startedAt: string | null;
  /** When it ended; null: it is open; ISO 8601, UTC */
  endedAt: string | null;
}

export interface InboundMessage {
  id: string;
  /** The kind of the provider that received it */
  provider: string;
  sender: string;
  recipient: string;
  text: string;
  /** When Belfry received it; ISO 8601, UTC */
  receivedAt: string;
}

export interface Layout {
  tenantId: string;
  /** 0: the platform's, untouched */
  version: number;
  /** MJML with {{ $content }} directly in an mj-column; empty: the platform's */
  content: string | null;
  /** https; '' for none */
  logoUrl: string | null;
  /** of buttons and links, #rrggbb; '' for the platform's */
  primaryColor: string | null;
  /** behind the content, #rrggbb */
  backgroundColor: string | null;
  /** of words, #rrggbb */
  textColor: string | null;
  /** below the content, with links as Markdown; '' for none */
  footerText: string | null;
  /** the sender's postal address; '' for none */
  address: string | null;
  /** The text below by language */
  footerTexts: Record<string, string> | null;
  savedBy: string | null;
  /** When it was published; ISO 8601, UTC */
  savedAt: string | null;
}

export interface MailTenant {
  /** null: Belfry sends no mail of its own */
  tenantId: string | null;
  tenantName: string | null;
  cause: "no-tenant" | "inactive" | "no-provider" | "read-by-others" | null;
  /** Why it sends nothing, in words; null if it sends */
  fault: string | null;
}

export interface Missed {
  reason:
    | "no-address"
    | "no-device"
    | "no-provider"
    | "turned-off"
    | "not-turned-on"
    | "suppressed";
  people: number;
}

export interface Operator {
  id: string;
  email: string;
  name: string;
  operator: boolean;
  /** When the account was made; ISO 8601, UTC */
  createdAt: string;
  /** Signing in by password asks for a code */
  twoFactor: boolean;
  /** An account at a sign-in provider is connected */
  connected: boolean;
}

export interface OutboxMessage {
  id: string;
  eventId: string;
  channel: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
  to: string;
  subject: string | null;
  html: string | null;
  text: string;
  /** Segments of a text message */
  segments: number | null;
  /** An email's header fields, except those for addresses and parts */
  headers?: Record<string, string>;
  /** An email's attached files */
  attachments?: {
    name: string;
    type: string;
    bytes: number;
    /** In hex */
    sha256: string;
    /** The id by which the HTML shows the file */
    cid?: string;
  }[];
  /** When the sandbox provider received it; ISO 8601, UTC */
  createdAt: string;
}

export interface Plan {
  /** Identifies this plan: pass it on to apply exactly this plan */
  plan: string;
  /** Paths of what the tenant lacks */
  added: string[];
  changed: string[];
  same: string[];
  /** Paths that the tenant has and the bundle lacks; they stay as they are */
  outdated: string[];
  /** Why it cannot be applied; set for a dry run and for work in the background */
  faults: string[];
  applied: boolean;
  /** of work in the background; `bundle progress` tells how far it is */
  id?: string;
  /** of work in the background */
  state?: "waiting" | "running" | "done" | "failed";
  /** templates that the background compiles */
  total?: number;
  /** how many of them are compiled */
  compiled?: number;
}

export interface Preview {
  /** EMAIL, SMS, PUSH, DEVICE or CHAT */
  channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
  kind: "email" | "text" | "notification" | "chat";
  subject?: string;
  html?: string;
  text?: string;
  /** Segments of a short message */
  segments?: number;
  encoding?: string;
  title?: string;
  body?: string;
  blocks?: Record<string, unknown>[];
  url?: string;
  /** Names that have no value */
  missing: string[];
  warnings?: string[];
}

export interface Provider {
  id: string;
  tenantId: string;
  channel: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
  kind: string;
  /** Unique on the channel; the kind, unless it was named */
  name: string;
  /** Messages are sent through it */
  active: boolean;
  /** Place in the order, from 0; the lowest active provider sends */
  position: number;
  /** Secrets are masked */
  settings: Record<string, unknown>;
  /** Calls, over all replicas; null: no limit of ours */
  maxPerSecond: number | null;
  /** When the vendor accepted the newest test with these settings; ISO 8601, UTC */
  testedAt: string | null;
  /** When it was added; ISO 8601, UTC */
  createdAt: string;
  /** When it was changed; ISO 8601, UTC */
  updatedAt: string;
}

export interface SavedDraft extends Draft {
  warnings: {
    field: string;
    line: number;
    column: number;
    message: string;
  }[];
}

export interface SavedLayout extends Layout {
  /** How many templates, counted by language, were published again with it */
  recompiled: number;
  /** Parts that its mails lack */
  warnings: string[];
}

export interface SavedTemplate extends Template {
  warnings: {
    field: string;
    line: number;
    column: number;
    message: string;
  }[];
}

export interface ShownImport extends Import {
  /** The first 100, without any value of the file */
  faults: {
    line: number;
    field: string;
    message: string;
  }[];
  /** Columns that the first line names and that are not read: at most 50 */
  ignoredColumns: {
    /** Its name in the first line; empty: it has none */
    column: string;
    /** The known column that was probably meant */
    suggestion: string | null;
  }[];
}

export interface Suppression {
  channel: "EMAIL" | "SMS" | "CHAT";
  address: string;
  reason: "bounced" | "complained" | "opted out" | "by hand";
  /** The provider that sent the receipt, or the person who added it */
  source: string | null;
  /** When it was added; ISO 8601, UTC */
  createdAt: string;
}

/** Has the text that is published in the language; no text if nothing is published */
export interface Template extends TemplateSummary {
  content: string;
}

export interface TemplateSummary {
  /** use it for events; default: true */
  active: boolean;
  /** one-time codes and the like: content is erased and never shown */
  sensitive: boolean;
  /** a try without an answer is not repeated: it ends as unknown */
  atMostOnce: boolean;
  /** of SMS: curly quotes, dashes and the like are sent as plain ones */
  plainCharacters: boolean;
  /** seconds after the event; a message that is later than that is not sent */
  expiresAfterSeconds: number | null;
  /** combines several events into one message; null: each event is sent alone */
  digest: {
    /** how long events are combined into one message, in seconds */
    windowSeconds?: number;
    /** one message at 09:00, by the recipient's clock */
    at?: string;
    /** with --digest-at: the days on which it is sent, such as mon,thu */
    days?: number[];
    /** events with different values of this variable are combined separately */
    key?: string;
    /** each event restarts the window */
    sliding?: boolean;
    /** of a sliding window: its longest duration in seconds */
    maxSeconds?: number;
    /** the first event is sent at once, the later ones together */
    leading?: boolean;
  } | null;
  /** at most `count` messages per user in any `seconds`; the rest are skipped */
  throttle: {
    /** number of messages */
    count?: number;
    /** length of the time, in seconds */
    seconds?: number;
  } | null;
  /** sent after that time, unless it was read in the inbox */
  afterUnreadSeconds: number | null;
  /** Realtime channel of a notification; null: the personal channel */
  targetChannel?: string | null;
  requiredVariables: string[];
  /** of EMAIL: the name beside the sender's address, with {{variables}}; '' for the provider's; default: as it is */
  fromName: string | null;
  /** of EMAIL: where answers go, with {{variables}}; '' for the provider's; default: as it is */
  replyTo: string | null;
  /** of EMAIL: who gets a copy that everybody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
  cc: string[] | null;
  /** of EMAIL: who gets a copy that nobody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
  bcc: string[] | null;
  /** of DEVICE: an https URL of a picture, with {{variables}}; '' for none; default: as it is */
  image: string | null;
  /** of DEVICE: values for the app by name, texts with {{variables}}; {} for none; default: as it is */
  data: Record<string, string> | null;
  /** of DEVICE: a later message with the same key replaces the earlier one, with {{variables}}; '' for none; default: as it is */
  collapseKey: string | null;
  /** for previews: a JSON object as text */
  sampleVariables: string | null;
  id: string;
  /** platform for what begins with global. */
  tenantId: string;
  eventType: string;
  /** EMAIL, SMS, PUSH, DEVICE or CHAT */
  channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
  /** Counts what was published in all languages, from 1; 0: nothing is published */
  version: number;
  /** Subject of a mail */
  subject?: string | null;
  /** Format of a mail: the set one, or the derived one */
  format?: "markdown" | "mjml" | "html" | "text" | null;
  /** Title of a notification */
  title?: string | null;
  /** The address that a notification opens */
  url?: string | null;
  /** buttons of PUSH; up to two */
  actions?: {
    /** What it says */
    label: string;
    /** What it opens */
    url: string;
  }[];
  /** The person who saved the published version, if known */
  savedBy: string | null;
  /** Variables that its text names */
  variables: string[];
  /** Whether the default variant has a draft */
  hasDraft: boolean;
  /** Its translations */
  locales: {
    locale: string;
    /** 0: there is only a draft */
    version: number;
    /** The default variant was published again after this one was made from it */
    outdated: boolean;
    draft: boolean;
  }[];
  /** When it was created; ISO 8601, UTC */
  createdAt: string;
  /** When it was last published; ISO 8601, UTC */
  updatedAt: string;
}

export interface TemplateVersion {
  version: number;
  /** Empty: the default variant */
  locale: string;
  subject: string | null;
  title: string | null;
  format: "markdown" | "mjml" | "html" | "text" | null;
  url: string | null;
  /** buttons of PUSH; up to two */
  actions?:
    | {
        /** What it says */
        label: string;
        /** What it opens */
        url: string;
      }[]
    | null;
  createdBy: string | null;
  /** When it was published; ISO 8601, UTC */
  createdAt: string;
}

export interface Tenant extends TenantDefaults {
  id: string;
  name: string;
  active: boolean;
  perMinute: number;
  /** null: no cap */
  dailyCap: number | null;
  /** Empty: all channels */
  deliveryChannels: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
  dedupIncludesVariables: boolean;
  /** Whether attachments may be programs */
  allowExecutables: boolean;
  /** Whether pages may register their browser with a realtime token */
  browserDevices: boolean;
  /** MiB that all attachments of its events may take together */
  maxAttachmentMib: number;
  /** Whether every trigger must be signed */
  webhookSecret: boolean;
  /** Until when the webhook secret before it is taken too; null: it is not; ISO 8601, UTC */
  previousWebhookSecretUntil: string | null;
  /** Days to keep events and their deliveries; null: as the installation */
  eventRetentionDays: number | null;
  /** Days to keep the in-app history; null: as the installation */
  notificationRetentionDays: number | null;
  /** Schemes of deep links that its mails may contain, in lower case and without the colon */
  linkSchemes: string[];
  /** The live ones, newest first */
  apiKeys: ApiKey[];
  /** When it was created; ISO 8601, UTC */
  createdAt: string;
  /** When its settings last changed; ISO 8601, UTC */
  updatedAt: string;
}

export interface TenantDefaults {
  /** How the default variants of its templates write dates, numbers and money */
  defaultLocale: string;
  /** IANA name; null: UTC */
  timezone: string | null;
  /** Of users without their own; null: none */
  quietHours: {
    from: string;
    to: string;
  } | null;
}

/** The input and answer of each call, by its name. */
export interface ManagementCalls {
  /**
   * Show the alerts about all tenants that an operator gets by mail and in a chat
   * Needs a platform key.
   */
  alertListAll: {
    input: {
      /** id or address of an operator */
      person: string;
    };
    data: Alerts;
  };
  /**
   * Show the tenant that sends Belfry's own mail: alerts, invitations, password reset links
   * Needs a platform key.
   */
  alertSender: {
    input: Record<string, never>;
    data: MailTenant;
  };
  /**
   * Choose the alerts about all tenants that an operator gets by mail and in a chat
   * The providers of the tenant that sends Belfry's own mail post to the chat. Needs a platform key.
   */
  alertSetAll: {
    input: {
      /** id or address of an operator */
      person: string;
      /** of which the person is told: provider-paused, failure-rate, dead-letters, cap-reached, endpoint-disabled */
      alerts: (
        | "provider-paused"
        | "failure-rate"
        | "dead-letters"
        | "cap-reached"
        | "endpoint-disabled"
      )[];
      /** chat address that is told as well, as slack:#ops or pagerduty:ops; null: none; default: as it was */
      chat?: string | null;
    };
    data: Alerts;
  };
  /**
   * Choose the tenant that sends Belfry's own mail by its providers, or none
   * Whoever has its messages has the password reset links of everybody. Belfry sends nothing while it has members who are not operators, or API keys for management. Needs a platform key.
   */
  alertSetSender: {
    input: {
      /** the tenant's id */
      tenant: string | null;
    };
    data: MailTenant;
  };
  /**
   * Entries of the audit log, the newest first; `next` is there where there are older ones
   * Needs a platform key.
   */
  auditList: {
    input: {
      /** of one tenant only; default: of all, and of the platform */
      tenant?: string;
      /** in the name or email address of who did it */
      person?: string;
      /** in what was done, as template.save, or in what it was done to */
      object?: string;
      /** then or later, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago */
      since?: string;
      /** before */
      until?: string;
      /** at most so many, 1 to 1000 (default: 50) */
      limit?: number;
      /** those older than a page, by its next */
      before?: string;
    };
    data: {
      entries: AuditEntry[];
      /** Give it as `before` for what is older */
      next?: string;
      /** When the oldest entry that was looked at was written; ISO 8601, UTC */
      searchedTo?: string;
    };
  };
  /**
   * Estimate how many people a broadcast would reach, and why it would not reach the others
   * Looks at the first 10000 people, by user id, as dispatching would: address, provider, preferences, suppression. If there are more, it extrapolates. Quiet hours only delay, and a template's throttle is not counted. Needs a key with the role manage or provision.
   */
  broadcastEstimate: {
    input: {
      /** It is sent to the members of these topics; a member of several gets it once */
      topics?: string[];
      /** Users that get it, instead of topics */
      userIds?: string[];
      /** Users that do not get it */
      exceptUserIds?: string[];
      /** The event type of a template; it must have no sensitive template */
      eventType: string;
      /** Only these channels; an empty array means all */
      channels?: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
    };
    data: BroadcastEstimate;
  };
  /**
   * Publish such files, all or none; parts without a file stay unchanged
   * Contents are compared: the same bundle again changes nothing and makes no version. A large change is compiled in the background: the answer is then 202 with an `id`, and `bundle progress` tells its end. Needs a key with the role manage or provision.
   */
  bundleApply: {
    input: {
      /** say what would change, and change nothing */
      dryRun?: boolean;
      /** texts by path */
      files: Record<string, string>;
      /** of a dry run: refused where the tenant or the files changed since */
      plan?: string;
    };
    data: Plan;
  };
  /**
   * Show the progress of a bundle or promotion that is applied in the background
   * The call that begins one answers 202 with its id. At the end the state is `done`, or `failed` with `faults`: nothing is applied then. It is kept for 30 days after its end. Needs a key with the role manage or provision.
   */
  bundleProgress: {
    input: {
      /** the id in the answer 202 */
      applyId: string;
    };
    data: BundleProgress;
  };
  /**
   * Export what a tenant has published as files: templates, layout and categories
   * A folder for each event type holds a file for each channel and language. layout.mjml, layout.json and categories.json are beside the folders. Needs a key with the role manage or provision.
   */
  bundlePull: {
    input: Record<string, never>;
    data: {
      /** Files by path: a folder for each event type, a file for each channel and language, as in the example */
      files: Record<string, string>;
    };
  };
  /**
   * Set the category of an event type
   * It applies to every event that is dispatched from then on. Needs a key with the role manage or provision.
   */
  categoryAssign: {
    input: {
      /** as the tenant's events name it */
      eventType: string;
      /** the category's key */
      category: string | null;
    };
    data: {
      eventType: string;
      /** null: it belongs to none */
      category: string | null;
    };
  };
  /**
   * Delete a category that has no event types; users' choices for it are kept
   * It is refused while event types belong to it: their messages would reach users who turned them off. Needs a key with the role manage or provision.
   */
  categoryDelete: {
    input: {
      /** 1 to 64 of a-z, 0-9, _ . and - */
      key: string;
    };
    data: Category;
  };
  /**
   * A tenant's categories, each with the event types that belong to it
   * Needs a key with the role manage or provision.
   */
  categoryList: {
    input: Record<string, never>;
    data: Category[];
  };
  /**
   * Move a category to a place among the others; prints all in their order
   * The positions of all categories become 0, 1, 2 and so on. Needs a key with the role manage or provision.
   */
  categoryMove: {
    input: {
      /** 1 to 64 of a-z, 0-9, _ . and - */
      key: string;
      /** 1: the first. Beyond the last: the last */
      place: number;
    };
    data: Category[];
  };
  /**
   * Create a category, or change the given settings of one; applies within 5 s
   * Fields that are left out keep their values. An empty text removes its language. Needs a key with the role manage or provision.
   */
  categoryPut: {
    input: {
      /** 1 to 64 of a-z, 0-9, _ . and - */
      key: string;
      /** how users read it; a new category needs it */
      label?: Record<string, string>;
      /** a description in one sentence */
      description?: Record<string, string>;
      /** sent even if users have turned it off, and at any hour */
      required?: boolean;
      /** off: sent only to users who have turned it on */
      defaultOn?: boolean;
      /** order among the others: the lowest comes first */
      position?: number;
      /** new: refused where the key is taken; known: where it is not */
      only?: "new" | "known";
    };
    data: Category;
  };
  /**
   * Discard dead letters for good; their attempts stay visible
   * Needs a key with the role manage or provision.
   */
  deadDiscard: {
    input: {
      /** say what would be done, and change nothing */
      dryRun?: boolean;
      /** these, and no filter; at most 100 */
      ids?: string[];
      /** EMAIL, SMS, DEVICE or CHAT */
      channel?: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
      /** permanent, policy, credentials, throttled, deferred, transient, ambiguous, untried, expired, unknown, message */
      class?:
        | "permanent"
        | "policy"
        | "credentials"
        | "throttled"
        | "deferred"
        | "transient"
        | "ambiguous"
        | "untried"
        | "expired"
        | "unknown"
        | "message";
      /** its kind, for example sendgrid */
      provider?: string;
      /** ended at or after, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago */
      since?: string;
      /** ended before */
      until?: string;
      /** at most so many in this part; default: 1000 */
      limit?: number;
      /** `next` of the part before */
      after?: string;
    };
    data: {
      dryRun: boolean;
      /** How many were changed; of a dry run, how many would be */
      count: number;
      /** There may be others */
      more: boolean;
      /** Dead letters that ended later were left unchanged; ISO 8601, UTC */
      endedBefore: string;
      /** At most 100 of them */
      ids: string[];
      /** Those that were not changed, at most 100; of a filter only those that it left out on purpose */
      refused: {
        id: string;
        reason: string;
      }[];
      /** Give it as `after` for the next part; absent on the last one */
      next?: string;
    };
  };
  /**
   * Groups by tenant, channel, provider and error class, with counts and examples
   * Needs a key with the role manage or provision.
   */
  deadList: {
    input: {
      /** EMAIL, SMS, DEVICE or CHAT */
      channel?: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
      /** permanent, policy, credentials, throttled, deferred, transient, ambiguous, untried, expired, unknown, message */
      class?:
        | "permanent"
        | "policy"
        | "credentials"
        | "throttled"
        | "deferred"
        | "transient"
        | "ambiguous"
        | "untried"
        | "expired"
        | "unknown"
        | "message";
      /** its kind, for example sendgrid */
      provider?: string;
      /** ended at or after, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago */
      since?: string;
      /** ended before */
      until?: string;
    };
    data: {
      /** null: the message does not say */
      tenantId: string | null;
      channel: "EMAIL" | "SMS" | "DEVICE" | "CHAT" | null;
      provider: string | null;
      class: string;
      count: number;
      /** When the first of them ended; ISO 8601, UTC */
      oldest: string;
      /** When the last of them ended; ISO 8601, UTC */
      newest: string;
      /** The newest, at most 3 */
      examples: {
        id: string;
        eventId: string | null;
        reason: string | null;
        endedAt: string;
      }[];
    }[];
  };
  /**
   * Send dead letters again: a new attempt of the same delivery, never of one that a provider accepted. What expired or is unknown goes only by its ID or its --class.
   * Needs a key with the role provision.
   */
  deadReplay: {
    input: {
      /** say what would be done, and change nothing */
      dryRun?: boolean;
      /** these, and no filter; at most 100 */
      ids?: string[];
      /** EMAIL, SMS, DEVICE or CHAT */
      channel?: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
      /** permanent, policy, credentials, throttled, deferred, transient, ambiguous, untried, expired, unknown, message */
      class?:
        | "permanent"
        | "policy"
        | "credentials"
        | "throttled"
        | "deferred"
        | "transient"
        | "ambiguous"
        | "untried"
        | "expired"
        | "unknown"
        | "message";
      /** its kind, for example sendgrid */
      provider?: string;
      /** ended at or after, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago */
      since?: string;
      /** ended before */
      until?: string;
      /** at most so many in this part; default: 1000 */
      limit?: number;
      /** `next` of the part before */
      after?: string;
    };
    data: {
      dryRun: boolean;
      /** How many were changed; of a dry run, how many would be */
      count: number;
      /** There may be others */
      more: boolean;
      /** Dead letters that ended later were left unchanged; ISO 8601, UTC */
      endedBefore: string;
      /** At most 100 of them */
      ids: string[];
      /** Those that were not changed, at most 100; of a filter only those that it left out on purpose */
      refused: {
        id: string;
        reason: string;
      }[];
      /** Give it as `after` for the next part; absent on the last one */
      next?: string;
    };
  };
  /**
   * One delivery with its attempts and what the provider answered, or one message
   * Needs a key with the role manage or provision.
   */
  deadShow: {
    input: {
      /** as the list has it */
      id: string;
    };
    data: Record<string, unknown>;
  };
  /**
   * A tenant's open digests with their end and number of events, the one that ends next first
   * Needs a key with the role manage or provision.
   */
  digestList: {
    input: {
      /** how many at most; default: 1,000 */
      limit?: number;
    };
    data: Digest[];
  };
  /**
   * Send an open digest now; quiet hours still apply
   * Needs a key with the role provision.
   */
  digestRelease: {
    input: {
      /** the digest's id, as in the list or in an event's report */
      id: string;
    };
    data: {
      id: string;
      eventType: string;
      channel: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
      userId: string;
      recipient: string | null;
      /** Locale of the template's variant; empty: the default */
      locale: string;
      /** The key that separates its events from others; empty: none */
      key: string;
      /** When its first event came; ISO 8601, UTC */
      openedAt: string;
      /** Until when events join it; quiet hours may hold it longer; ISO 8601, UTC */
      windowEndsAt: string;
      /** When the digest was closed; ISO 8601, UTC */
      closedAt: string | null;
      /** Events that the message combines */
      count: number;
      delivery: {
        id: string;
        status:
          | "queued"
          | "sending"
          | "waiting"
          | "accepted"
          | "delivered"
          | "bounced"
          | "complained"
          | "failed"
          | "expired"
          | "skipped"
          | "unknown"
          | "discarded";
        reason: string | null;
        /** Time of the next attempt; null once the delivery has ended; ISO 8601, UTC */
        dueAt: string | null;
      } | null;
      /** Events may join it */
      open: boolean;
      /** The oldest 100 */
      events: {
        eventId: string;
        state: "in" | "alone" | "read" | "cancelled";
        /** When it came; ISO 8601, UTC */
        addedAt: string;
      }[];
    };
  };
  /**
   * One digest, open or not, with the ids of its oldest 100 events
   * Its events include those that are not in the message. Needs a key with the role manage or provision.
   */
  digestShow: {
    input: {
      /** the digest's id, as in the list or in an event's report */
      id: string;
    };
    data: {
      id: string;
      eventType: string;
      channel: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
      userId: string;
      recipient: string | null;
      /** Locale of the template's variant; empty: the default */
      locale: string;
      /** The key that separates its events from others; empty: none */
      key: string;
      /** When its first event came; ISO 8601, UTC */
      openedAt: string;
      /** Until when events join it; quiet hours may hold it longer; ISO 8601, UTC */
      windowEndsAt: string;
      /** When the digest was closed; ISO 8601, UTC */
      closedAt: string | null;
      /** Events that the message combines */
      count: number;
      delivery: {
        id: string;
        status:
          | "queued"
          | "sending"
          | "waiting"
          | "accepted"
          | "delivered"
          | "bounced"
          | "complained"
          | "failed"
          | "expired"
          | "skipped"
          | "unknown"
          | "discarded";
        reason: string | null;
        /** Time of the next attempt; null once the delivery has ended; ISO 8601, UTC */
        dueAt: string | null;
      } | null;
      /** Events may join it */
      open: boolean;
      /** The oldest 100 */
      events: {
        eventId: string;
        state: "in" | "alone" | "read" | "cancelled";
        /** When it came; ISO 8601, UTC */
        addedAt: string;
      }[];
    };
  };
  /**
   * The environments of the tenant's family, its own among them
   * Needs a key with the role manage or provision.
   */
  environmentList: {
    input: Record<string, never>;
    data: Environment[];
  };
  /**
   * Publish in an environment what the environment before it has published
   * A promotion is a bundle from one tenant into the other: all of it, or nothing. A large one is compiled in the background, as `bundle apply` tells. Needs a key with the role manage or provision.
   */
  environmentPromote: {
    input: {
      /** say what would change, and change nothing */
      dryRun?: boolean;
      /** of a dry run: refused where the tenant or the files changed since */
      plan?: string;
    };
    data: Plan;
  };
  /**
   * Make a tenant an environment of a product; fields that are left out keep their values
   * Environments of one family are tenants of one product, such as staging and production. Users, keys, providers and limits are apart. Templates, layout and categories are promoted from one into the other. A locked environment refuses every other change of them. Needs a platform key.
   */
  environmentSet: {
    input: {
      tenantId: string;
      /** what the environments have in common */
      family?: string | null;
      /** which one it is, as staging */
      environment?: string | null;
      /** id of the tenant of the family that is promoted into it */
      promotesFrom?: string | null;
      /** only a bundle or a promotion changes templates */
      locked?: boolean;
    };
    data: Environment;
  };
  /**
   * Cancel what has not been sent yet of one event, by Belfry's id only
   * It does not cancel events that have the same text as their eventId. Needs a key with the role manage or provision.
   */
  eventCancelOne: {
    input: {
      /** Belfry's id of the event */
      id: string;
    };
    data: Cancelled;
  };
  /**
   * Send an event again, as a new one with the same content and today's templates; it counts towards the tenant's limits
   * Needs a key with the role provision.
   */
  eventResend: {
    input: {
      /** Belfry's id of the event */
      id: string;
      /** send it on these channels only; default: on all channels of the event */
      channels?: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
    };
    data: {
      tenantId: string;
      id: string;
      /** Belfry's id of the new event */
      newEvent: string;
    };
  };
  /**
   * Events and users by what a customer gives: an address, a phone number, an id of the user, the event, a message or a trace
   * Users are found by the beginning of their id or address as well, such as `ann` or `ann@exa`. Events need the whole value, since the search stores keyed hashes instead of values. Needs a key with the role manage or provision.
   */
  eventSearch: {
    input: {
      /** A value that the customer gave */
      search: string;
      /** how many at most; default: 50 */
      limit?: number;
    };
    data: {
      /** Newest first */
      events: {
        tenantId: string;
        userId: string;
        /** Belfry's id */
        id: string;
        eventType: string;
        /** The tenant's eventId */
        reference: string | null;
        /** When it was stored; ISO 8601, UTC */
        acceptedAt: string;
        /** When it was dispatched; ISO 8601, UTC */
        dispatchedAt: string | null;
        /** When it was refused; ISO 8601, UTC */
        refusedAt: string | null;
        /** Channels that dispatching left out, with the reasons */
        outcome: Record<string, unknown> | null;
        deliveries: {
          channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
          status: string;
          reason: string | null;
        }[];
        /** It is in the inbox */
        pushed: boolean;
        /** Kinds of value that the text matched */
        by: (
          | "event id"
          | "own event id"
          | "user id"
          | "email address"
          | "phone number"
          | "chat address"
          | "trace id"
          | "message id"
        )[];
      }[];
      /** There are more than these */
      more: boolean;
      /** Search terms are off (SEARCH_TERMS): events are found by ids only */
      onlyIds: boolean;
      users: {
        tenantId: string;
        userId: string;
        /** Address in the directory */
        email: string | null;
      }[];
    };
  };
  /**
   * Delete an image: mails that show it have a gap from then on
   * Needs a key with the role manage or provision.
   */
  imageDelete: {
    input: {
      /** as in the list */
      id: string;
    };
    data: Image;
  };
  /**
   * The images of mails and the design, the newest first
   * Needs a key with the role manage or provision.
   */
  imageList: {
    input: Record<string, never>;
    data: Image[];
  };
  /**
   * Store a PNG, JPEG, GIF or WebP file for mails and the design
   * At most 2 MiB and 4096 pixels a side; a tenant has at most 200, together 100 MiB. The same file again is the same image. Needs a key with the role manage or provision.
   */
  imageUpload: {
    input: {
      /** the name by which people find it */
      name: string;
      /** the file in base64 */
      data: string;
    };
    data: Image;
  };
  /**
   * Send the next part of a file
   * Parts come one after the other; a file may be cut at any place. The part that came last may be sent again. A file that is too large is refused, and its import cancelled. Needs a key with the role manage or provision.
   */
  importAdd: {
    input: {
      /** the import's id */
      importId: string;
      /** the number of this part; the first part came with the start of the import */
      part: number;
      /** the text of a CSV file, or a part of it: at most 500000 characters */
      file: string;
      /** further parts of the file follow */
      more?: boolean;
    };
    data: ShownImport;
  };
  /**
   * Stop an import; the lines that were imported stay
   * Needs a key with the role manage or provision.
   */
  importCancel: {
    input: {
      /** the import's id */
      importId: string;
    };
    data: ShownImport;
  };
  /**
   * A tenant's imports, the newest first
   * Needs a key with the role manage or provision.
   */
  importList: {
    input: {
      /** at most so many; default: 20 */
      limit?: number;
      /** `next` of the page before */
      after?: string;
    };
    data: {
      items: Import[];
      /** Pass it as `after` to get the next page; absent on the last page */
      next?: string;
    };
    pages: "items";
  };
  /**
   * Show the progress of an import, and the faults of its lines
   * Needs a key with the role manage or provision.
   */
  importShow: {
    input: {
      /** the import's id */
      importId: string;
    };
    data: ShownImport;
  };
  /**
   * Import a CSV file of users, or of a topic's members, in the background
   * `users`: the first line names the columns: userId, and any of email, phone, chat, locale, timezone and quietHours (as 22:00-06:00). An empty field says that there is none; a column that the file has not stays as it is. `members`: the users of the column userId are added to the topic, or, by their addresses in the directory, those of the column email. A file may have 1000000 lines and 128 MiB: send a longer text in parts. Bad lines are left out and told. It is kept for 30 days after its end. Needs a key with the role manage or provision.
   */
  importStart: {
    input: {
      /** users or members */
      kind: "users" | "members";
      /** of members: the topic, which is made where there is none */
      topic?: string;
      /** the text of a CSV file, or a part of it: at most 500000 characters */
      file: string;
      /** further parts of the file follow */
      more?: boolean;
    };
    data: ShownImport;
  };
  /**
   * Render a sample mail in a layout, without saving it
   * Fields that are left out have the platform's values. Needs a key with the role manage or provision.
   */
  layoutPreview: {
    input: {
      /** MJML with {{ $content }} directly in an mj-column; empty: the platform's */
      content?: string | null;
      /** https; '' for none */
      logoUrl?: string | null;
      /** of buttons and links, #rrggbb; '' for the platform's */
      primaryColor?: string | null;
      /** behind the content, #rrggbb */
      backgroundColor?: string | null;
      /** of words, #rrggbb */
      textColor?: string | null;
      /** below the content, with links as Markdown; '' for none */
      footerText?: string | null;
      /** the sender's postal address; '' for none */
      address?: string | null;
      /** shown below the content, by language, for other languages than the default */
      footerTexts?: Record<string, string>;
    };
    data: {
      html: string;
      /** Parts that its mails lack */
      warnings: string[];
    };
  };
  /**
   * Change the given settings, and republish every mail in Markdown with them; live within 5 s
   * Fields that are left out keep their values. If one mail does not compile with it, the whole change is refused. Needs a key with the role manage or provision.
   */
  layoutPut: {
    input: {
      /** MJML with {{ $content }} directly in an mj-column; empty: the platform's */
      content?: string | null;
      /** https; '' for none */
      logoUrl?: string | null;
      /** of buttons and links, #rrggbb; '' for the platform's */
      primaryColor?: string | null;
      /** behind the content, #rrggbb */
      backgroundColor?: string | null;
      /** of words, #rrggbb */
      textColor?: string | null;
      /** below the content, with links as Markdown; '' for none */
      footerText?: string | null;
      /** the sender's postal address; '' for none */
      address?: string | null;
      /** shown below the content, by language, for other languages than the default */
      footerTexts?: Record<string, string>;
      /** the version that the editor began with, 0: none; refused over another */
      basedOnVersion?: number;
    };
    data: SavedLayout;
  };
  /**
   * Reset the layout to the platform's, with nothing of the tenant but its name
   * Needs a key with the role manage or provision.
   */
  layoutRemove: {
    input: Record<string, never>;
    data: SavedLayout;
  };
  /**
   * Publish an older version again, as the newest
   * Needs a key with the role manage or provision.
   */
  layoutRestore: {
    input: {
      /** its number */
      version: number;
    };
    data: SavedLayout;
  };
  /**
   * The live layout, or one of its versions
   * Needs a key with the role manage or provision.
   */
  layoutShow: {
    input: {
      /** its number; default: the newest */
      version?: number;
    };
    data: Layout;
  };
  /**
   * All its versions, newest first
   * Needs a key with the role manage or provision.
   */
  layoutVersions: {
    input: Record<string, never>;
    data: Layout[];
  };
  /**
   * Disconnect a person of any tenant, or an operator, from their account at the provider of OpenID Connect; all their sessions end, and who has no password needs a reset link
   * Needs a platform key.
   */
  operatorDisconnectIdentity: {
    input: {
      /** the person's id or address */
      person: string;
    };
    data: {
      email: string;
      disconnected: {
        issuer: string;
        email: string | null;
      }[];
      sessionsEnded: number;
    };
  };
  /**
   * Create a link that makes a person an operator; it is printed only now and works once
   * Needs a platform key.
   */
  operatorInvite: {
    input: {
      /** for this person alone, for a week; without it for whoever holds the link, for a day, and only while there is no operator */
      email?: string;
    };
    data: {
      /** The link; answered this once */
      link: string;
      email: string | null;
      role: "operator" | "owner" | "editor" | "viewer";
      /** When the link stops working; ISO 8601, UTC */
      expiresAt: string;
      /** Belfry has sent the link by mail, too */
      mailed: boolean;
    };
  };
  /**
   * List operators
   * Needs a platform key.
   */
  operatorList: {
    input: Record<string, never>;
    data: Operator[];
  };
  /**
   * Remove a person's rights as an operator; the last operator keeps them
   * Needs a platform key.
   */
  operatorRemove: {
    input: {
      /** of the person, as `operator list` shows it */
      person: string;
    };
    data: {
      id: string;
      email: string;
      removed: true;
    };
  };
  /**
   * Remove two-factor authentication from a person of any tenant, or an operator, who has lost the authenticator app; all their sessions end
   * Needs a platform key.
   */
  operatorRemoveTotp: {
    input: {
      /** the person's id or address */
      person: string;
    };
    data: {
      email: string;
      removed: true;
      sessionsEnded: number;
    };
  };
  /**
   * Create a link with which a person of any tenant, or an operator, sets a new password; it is printed only now, works once, for an hour, and ends the one before
   * Needs a platform key.
   */
  operatorResetLink: {
    input: {
      /** the person's id or address */
      person: string;
    };
    data: {
      /** The link; answered this once */
      link: string;
      email: string;
      /** When the link stops working; ISO 8601, UTC */
      expiresAt: string;
      /** Belfry has sent the link by mail, too */
      mailed: boolean;
    };
  };
  /**
   * Withdraw an operator's invitation: its link stops working
   * Needs a platform key.
   */
  operatorWithdraw: {
    input: {
      /** whom it invited, or its id */
      invitation: string;
    };
    data: {
      email: string | null;
      withdrawn: true;
    };
  };
  /**
   * A tenant's sandbox messages, newest first
   * Needs a key with the role manage or provision.
   */
  outboxList: {
    input: {
      /** of one event only, by Belfry's id */
      eventId?: string;
      /** at most so many; default: 200 */
      limit?: number;
      /** `next` of the page before */
      after?: string;
    };
    data: {
      items: OutboxMessage[];
      /** Pass it as `after` to get the next page; absent on the last page */
      next?: string;
    };
    pages: "items";
  };
  /**
   * One sandbox message
   * Needs a key with the role manage or provision.
   */
  outboxShow: {
    input: {
      /** the message's id */
      id: string;
    };
    data: OutboxMessage;
  };
  /**
   * Activate a provider: messages are sent through it
   * A test of its settings must have been accepted, unless `untested` is given. Needs a key with the role provision.
   */
  providerActivate: {
    input: {
      /** the account's id, as in the list */
      id: string;
      /** although no test of its settings was accepted */
      untested?: boolean;
    };
    data: Provider;
  };
  /**
   * Deactivate a provider: nothing more is sent through it
   * Needs a key with the role provision.
   */
  providerDeactivate: {
    input: {
      /** the account's id, as in the list */
      id: string;
    };
    data: Provider;
  };
  /**
   * Delete a provider with its settings; prints the deleted provider
   * Messages that it sent keep their attempts. Needs a key with the role provision.
   */
  providerDelete: {
    input: {
      /** the account's id, as in the list */
      id: string;
    };
    data: Provider;
  };
  /**
   * A tenant's providers in the order of use, secrets masked
   * Needs a key with the role manage or provision.
   */
  providerList: {
    input: Record<string, never>;
    data: Provider[];
  };
  /**
   * Make a provider the first one; an inactive one must have passed a test
   * Needs a key with the role provision.
   */
  providerMakeFirst: {
    input: {
      /** the account's id, as in the list */
      id: string;
    };
    data: Provider;
  };
  /**
   * Move a provider one place up; prints its channel's providers in their order
   * Needs a key with the role provision.
   */
  providerMoveUp: {
    input: {
      /** the account's id, as in the list */
      id: string;
    };
    data: Provider[];
  };
  /**
   * Check the settings and store them encrypted; a new provider becomes the first
   * Needs a key with the role provision.
   */
  providerPut: {
    input: {
      /** EMAIL, SMS, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "DEVICE" | "CHAT";
      /** name of the account; default: its kind */
      name: string;
      /** as sandbox, sendgrid, vonage */
      kind: string;
      /** a JSON object, by the kind's own schema */
      settings: Record<string, unknown>;
      /** gives this account the name; default: the one that has it */
      id?: string;
      /** from 0: the order in which they are used */
      position?: number;
      /** calls, over all replicas; or none */
      maxPerSecond?: number | null;
      /** send through it; default: as it was, and a new one is not active */
      active?: boolean;
      /** activate it although no test of these settings was accepted */
      untested?: boolean;
      /** secrets that are left out stay as stored; refused where they would go to another server */
      keepSecrets?: boolean;
      /** new: refused where the name is taken */
      only?: "new";
    };
    data: Provider;
  };
  /**
   * Rename a provider; its settings and history stay
   * Needs a key with the role provision.
   */
  providerRename: {
    input: {
      /** the account's id, as in the list */
      id: string;
      /** that no other on the channel has */
      newName: string;
    };
    data: Provider;
  };
  /**
   * One provider, by its id or by the flags, secrets masked
   * Needs a key with the role manage or provision.
   */
  providerShow: {
    input: {
      /** the account's id, as in the list */
      id: string;
    };
    data: Provider;
  };
  /**
   * Send a test message through a provider, active or not; prints the vendor's answer and stores whether it was accepted
   * Needs a key with the role provision.
   */
  providerTest: {
    input: {
      /** the account's id, as in the list */
      id: string;
      /** an email address, a number such as +12025550123, a chat address, or (of devices) a user's id */
      to: string;
    };
    data: {
      providerId: string;
      kind: string;
      name: string;
      class:
        | "accepted"
        | "permanent"
        | "policy"
        | "credentials"
        | "throttled"
        | "deferred"
        | "transient"
        | "ambiguous";
      reason: string;
      /** The vendor's, when it accepted the message */
      messageId: string | null;
      vendorStatus: string | null;
      /** Its first KB */
      vendorAnswer: string | null;
      retryAfterSeconds: number | null;
    };
  };
  /**
   * Make every client load its history again, for use after a restore
   * A restored database assigns offsets again that clients have already seen. With a new epoch, each client forgets its position at its next reconnect and loads its history again. Needs a platform key.
   */
  realtimeNewEpoch: {
    input: Record<string, never>;
    data: {
      epoch: string;
    };
  };
  /**
   * A tenant's inbound text messages, newest first
   * People's answers to text messages, except keywords such as STOP. Needs a key with the role manage or provision.
   */
  smsInboundList: {
    input: {
      /** of one sender only: a phone number such as +12025550123 */
      number?: string;
      /** at most so many; default: 200 */
      limit?: number;
      /** `next` of the page before */
      after?: string;
    };
    data: {
      items: InboundMessage[];
      /** Pass it as `after` to get the next page; absent on the last page */
      next?: string;
    };
    pages: "items";
  };
  /**
   * Suppress addresses: nothing more is sent to them
   * Needs a key with the role manage or provision.
   */
  suppressionAdd: {
    input: {
      /** EMAIL or SMS or CHAT */
      channel: "EMAIL" | "SMS" | "CHAT";
      /** Email addresses, in any case; or phone numbers, as +12025550123. At most 10000 */
      addresses: string[];
    };
    data: {
      added: number;
      alreadyThere: number;
    };
  };
  /**
   * Suppress the addresses of a file: one per line, or a CSV column that is found by its heading; a bad line refuses the whole file
   * The whole file is read before anything is written, a thousand addresses a transaction. After a failure in between, import it again. Needs a key with the role manage or provision.
   */
  suppressionImport: {
    input: {
      /** EMAIL or SMS or CHAT */
      channel: "EMAIL" | "SMS" | "CHAT";
      /** one address a line, or a CSV */
      file: string;
      /** leave bad lines out, name them, and take the others */
      leaveOutBad?: boolean;
      /** into how many shares the rows are divided, 1 to 100; default: 1 */
      parts?: number;
      /** the number of the share to write; each call reads the whole file; default: 1 */
      part?: number;
    };
    data: {
      /** Lines without the heading and empty ones */
      lines: number;
      /** Addresses that were not suppressed before */
      added: number;
      /** These were suppressed before: they keep their reason and time */
      alreadyThere: number;
      /** Addresses that more than one line named */
      repeated: number;
      /** Bad lines */
      leftOut: number;
      /** Faults of bad lines, each with its number: at most 50, and how many more */
      faults: string[];
      /** Columns that the first line names and that are not read: at most 50 */
      ignoredColumns: {
        /** Its name in the first line; empty: it has none */
        column: string;
        /** The known column that was probably meant */
        suggestion: string | null;
      }[];
    };
  };
  /**
   * A tenant's suppressed addresses, each with the reason
   * Needs a key with the role manage or provision.
   */
  suppressionList: {
    input: {
      /** EMAIL or SMS or CHAT */
      channel?: "EMAIL" | "SMS" | "CHAT";
      /** those that begin so; email addresses in any case */
      search?: string;
      /** at most so many; default: 100 */
      limit?: number;
      /** `next` of the page before */
      after?: string;
    };
    data: {
      items: Suppression[];
      /** Pass it as `after` to get the next page; absent on the last page */
      next?: string;
    };
    pages: "items";
  };
  /**
   * Lift the suppression of addresses: messages are sent to them again
   * The provider may still suppress them in its own list. Needs a key with the role manage or provision.
   */
  suppressionRemove: {
    input: {
      /** EMAIL or SMS or CHAT */
      channel: "EMAIL" | "SMS" | "CHAT";
      /** Email addresses, in any case; or phone numbers, as +12025550123. At most 10000 */
      addresses: string[];
    };
    data: {
      removed: number;
      notThere: number;
    };
  };
  /**
   * Use it for events from now on
   * Needs a key with the role manage or provision.
   */
  templateActivate: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    };
    data: Template;
  };
  /**
   * Mark a translation as up to date with the default text
   * Needs a key with the role manage or provision.
   */
  templateConfirm: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
    };
    data: Template;
  };
  /**
   * Copy a template to another event type, channel or tenant, in all languages, as drafts
   * What is being written where there is a draft, else what is published. Where the other template has drafts already nothing is changed. Needs a key with the role manage or provision.
   */
  templateCopy: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** event type of the copy */
      toEventType: string;
      /** channel of the copy, with the same parts; default: the same channel */
      toChannel?: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** tenant that gets the copy, for operators only; default: the same tenant */
      toTenant?: string;
    };
    data: Template;
  };
  /**
   * Create drafts of an event type's templates, empty or from an example
   * Needs a key with the role manage or provision.
   */
  templateCreate: {
    input: {
      /** as the tenant's events name it */
      eventType: string;
      /** on which, as EMAIL,SMS,PUSH,DEVICE,CHAT */
      channels: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
      /** one of welcome, verify-address, one-time-code, password-reset, receipt, order-on-its-way, payment-failed, comment-digest */
      starter?:
        | "welcome"
        | "verify-address"
        | "one-time-code"
        | "password-reset"
        | "receipt"
        | "order-on-its-way"
        | "payment-failed"
        | "comment-digest";
    };
    data: Template[];
  };
  /**
   * Ignore it when events are dispatched
   * Needs a key with the role manage or provision.
   */
  templateDeactivate: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    };
    data: Template;
  };
  /**
   * Delete a template with all its versions; prints the deleted template
   * What was sent with them can no longer be shown. Of a translation the versions stay, and its recipients get the default variant. Needs a key with the role manage or provision.
   */
  templateDelete: {
    input: {
      /** only this translation: its recipients get the default */
      locale?: string;
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    };
    data: Template;
  };
  /**
   * Discard the draft; prints its last text
   * A template that was never published is deleted with its last draft. Needs a key with the role manage or provision.
   */
  templateDraftDiscard: {
    input: {
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** the draft's that was last seen, 0: none yet; refused where another is there */
      revision?: number;
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    };
    data: Draft;
  };
  /**
   * Save as a draft, which is not in use; faults are reported when it is published
   * Needs a key with the role manage or provision.
   */
  templateDraftPut: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** Markdown, MJML, HTML or text with {{variables}} */
      content: string;
      /** of EMAIL; may hold {{variables}} */
      subject?: string;
      /** of EMAIL; default: as it is, and of a new one found out (never markdown) */
      format?: "markdown" | "mjml" | "html" | "text";
      /** of PUSH or DEVICE; may hold {{variables}} */
      title?: string;
      /** what PUSH, DEVICE or CHAT opens: https or, in a page, a path; may hold {{variables}} */
      url?: string;
      /** buttons of PUSH; up to two */
      actions?: {
        /** What it says */
        label: string;
        /** What it opens */
        url: string;
      }[];
      /** the version in force that the editor began with, 0: none; refused over another */
      basedOnVersion?: number;
      /** of a translation: the version of the default that it is made from; default: the current one */
      sourceVersion?: number;
      /** one-time codes and the like: content is erased and never shown */
      sensitive?: boolean;
      /** a try without an answer is not repeated: it ends as unknown */
      atMostOnce?: boolean;
      /** of SMS: curly quotes, dashes and the like are sent as plain ones */
      plainCharacters?: boolean;
      /** seconds after the event; a message that is later than that is not sent */
      expiresAfterSeconds?: number | null;
      /** combines several events into one message; null: each event is sent alone */
      digest?: {
        /** how long events are combined into one message, in seconds */
        windowSeconds?: number;
        /** one message at 09:00, by the recipient's clock */
        at?: string;
        /** with --digest-at: the days on which it is sent, such as mon,thu */
        days?: number[];
        /** events with different values of this variable are combined separately */
        key?: string;
        /** each event restarts the window */
        sliding?: boolean;
        /** of a sliding window: its longest duration in seconds */
        maxSeconds?: number;
        /** the first event is sent at once, the later ones together */
        leading?: boolean;
      } | null;
      /** at most `count` messages per user in any `seconds`; the rest are skipped */
      throttle?: {
        /** number of messages */
        count?: number;
        /** length of the time, in seconds */
        seconds?: number;
      } | null;
      /** sent after that time, unless it was read in the inbox */
      afterUnreadSeconds?: number | null;
      /** realtime channel of PUSH; default: the personal one */
      targetChannel?: string | null;
      /** a,b: without one of them nothing is sent on this channel; '' for none; default: as they are */
      requiredVariables?: string[] | null;
      /** of EMAIL: the name beside the sender's address, with {{variables}}; '' for the provider's; default: as it is */
      fromName?: string | null;
      /** of EMAIL: where answers go, with {{variables}}; '' for the provider's; default: as it is */
      replyTo?: string | null;
      /** of EMAIL: who gets a copy that everybody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
      cc?: string[] | null;
      /** of EMAIL: who gets a copy that nobody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
      bcc?: string[] | null;
      /** of DEVICE: an https URL of a picture, with {{variables}}; '' for none; default: as it is */
      image?: string | null;
      /** of DEVICE: values for the app by name, texts with {{variables}}; {} for none; default: as it is */
      data?: Record<string, string> | null;
      /** of DEVICE: a later message with the same key replaces the earlier one, with {{variables}}; '' for none; default: as it is */
      collapseKey?: string | null;
      /** for previews: a JSON object as text */
      sampleVariables?: string | null;
      /** the draft's that was last seen, 0: none yet; refused where another is there */
      revision?: number;
      /** one save of many as a person types: the audit log tells of the first */
      autosave?: boolean;
    };
    data: SavedDraft;
  };
  /**
   * The draft of a template, with its text
   * Needs a key with the role manage or provision.
   */
  templateDraftShow: {
    input: {
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    };
    data: Draft;
  };
  /**
   * Write what is published into a directory: a folder an event type, a file a language
   * It contains no drafts. Needs a key with the role manage or provision.
   */
  templateExport: {
    input: Record<string, never>;
    data: {
      /** Files by path: a folder for each event type, a file for each channel and language, as in the example */
      files: Record<string, string>;
    };
  };
  /**
   * Publish such a directory; everything is checked first, and unchanged templates stay as they are
   * A template that has no file stays as it is. All files are published together, or none. Needs a key with the role manage or provision.
   */
  templateImport: {
    input: {
      /** check it, and change nothing */
      dryRun?: boolean;
      /** Files by path: a folder for each event type, a file for each channel and language, as in the example */
      files: Record<string, string>;
    };
    data: {
      /** Of another text, or with other settings, which make no version */
      published?: string[];
      /** The same as they are */
      unchanged?: string[];
      /** Of a dry run: all */
      checked?: string[];
      /** Of a dry run: those of which nothing is published */
      added?: string[];
      /** Of a dry run: those that differ from what is published */
      changed?: string[];
      /** Of a dry run */
      same?: string[];
      /** Of each file with a warning: its path and the warning; left out: none */
      warnings?: string[];
    };
  };
  /**
   * A tenant's templates, or the platform's
   * Needs a key with the role manage or provision.
   */
  templateList: {
    input: Record<string, never>;
    data: TemplateSummary[];
  };
  /**
   * Render a saved template, or with --content-file one that is not saved
   * The flags of its text go with --content-file. Of a template with a digest it shows the events of $items in the variables, else three alike. Needs a key with the role manage or provision.
   */
  templatePreview: {
    input: {
      /** the template's event type */
      eventType?: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** of EMAIL; may hold {{variables}} */
      subject?: string;
      /** of EMAIL; default: as it is, and of a new one found out (never markdown) */
      format?: "markdown" | "mjml" | "html" | "text";
      /** of PUSH or DEVICE; may hold {{variables}} */
      title?: string;
      /** what PUSH, DEVICE or CHAT opens: https or, in a page, a path; may hold {{variables}} */
      url?: string;
      /** buttons of PUSH; up to two */
      actions?: {
        /** What it says */
        label: string;
        /** What it opens */
        url: string;
      }[];
      /** Markdown, MJML, HTML or text with {{variables}} */
      content?: string;
      /** of SMS: curly quotes, dashes and the like are sent as plain ones */
      plainCharacters?: boolean;
      /** combines several events into one message; null: each event is sent alone */
      digest?: {
        /** how long events are combined into one message, in seconds */
        windowSeconds?: number;
        /** one message at 09:00, by the recipient's clock */
        at?: string;
        /** with --digest-at: the days on which it is sent, such as mon,thu */
        days?: number[];
        /** events with different values of this variable are combined separately */
        key?: string;
        /** each event restarts the window */
        sliding?: boolean;
        /** of a sliding window: its longest duration in seconds */
        maxSeconds?: number;
        /** the first event is sent at once, the later ones together */
        leading?: boolean;
      } | null;
      /** values for its tags; default: none. In $items those of a digest's events */
      variables?: Record<string, unknown>;
    };
    data: Preview;
  };
  /**
   * Publish a draft, live within 5 s; refused if another version was published since
   * Needs a key with the role manage or provision.
   */
  templatePublish: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** the draft's that was last seen, 0: none yet; refused where another is there */
      revision?: number;
      /** publish over this version, though the draft began with another */
      basedOnVersion?: number;
      /** of a translation: the version of the default that it says the same as */
      sourceVersion?: number;
    };
    data: SavedTemplate;
  };
  /**
   * Check, compile and publish: live within 5 s; a new text is a new version
   * Of --digest-…, --throttle and --after-unread-seconds what is left out stays; of --sensitive and the like a translation (--locale) changes what it names alone. Needs a key with the role manage or provision.
   */
  templatePut: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** Markdown, MJML, HTML or text with {{variables}} */
      content: string;
      /** of EMAIL; may hold {{variables}} */
      subject?: string;
      /** of EMAIL; default: as it is, and of a new one found out (never markdown) */
      format?: "markdown" | "mjml" | "html" | "text";
      /** of PUSH or DEVICE; may hold {{variables}} */
      title?: string;
      /** what PUSH, DEVICE or CHAT opens: https or, in a page, a path; may hold {{variables}} */
      url?: string;
      /** buttons of PUSH; up to two */
      actions?: {
        /** What it says */
        label: string;
        /** What it opens */
        url: string;
      }[];
      /** the version in force that the editor began with, 0: none; refused over another */
      basedOnVersion?: number;
      /** of a translation: the version of the default that it is made from; default: the current one */
      sourceVersion?: number;
      /** use it for events; default: true */
      active?: boolean;
      /** one-time codes and the like: content is erased and never shown */
      sensitive?: boolean;
      /** a try without an answer is not repeated: it ends as unknown */
      atMostOnce?: boolean;
      /** of SMS: curly quotes, dashes and the like are sent as plain ones */
      plainCharacters?: boolean;
      /** seconds after the event; a message that is later than that is not sent */
      expiresAfterSeconds?: number | null;
      /** combines several events into one message; null: each event is sent alone */
      digest?: {
        /** how long events are combined into one message, in seconds */
        windowSeconds?: number;
        /** one message at 09:00, by the recipient's clock */
        at?: string;
        /** with --digest-at: the days on which it is sent, such as mon,thu */
        days?: number[];
        /** events with different values of this variable are combined separately */
        key?: string;
        /** each event restarts the window */
        sliding?: boolean;
        /** of a sliding window: its longest duration in seconds */
        maxSeconds?: number;
        /** the first event is sent at once, the later ones together */
        leading?: boolean;
      } | null;
      /** at most `count` messages per user in any `seconds`; the rest are skipped */
      throttle?: {
        /** number of messages */
        count?: number;
        /** length of the time, in seconds */
        seconds?: number;
      } | null;
      /** sent after that time, unless it was read in the inbox */
      afterUnreadSeconds?: number | null;
      /** realtime channel of PUSH; default: the personal one */
      targetChannel?: string | null;
      /** a,b: without one of them nothing is sent on this channel; '' for none; default: as they are */
      requiredVariables?: string[] | null;
      /** of EMAIL: the name beside the sender's address, with {{variables}}; '' for the provider's; default: as it is */
      fromName?: string | null;
      /** of EMAIL: where answers go, with {{variables}}; '' for the provider's; default: as it is */
      replyTo?: string | null;
      /** of EMAIL: who gets a copy that everybody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
      cc?: string[] | null;
      /** of EMAIL: who gets a copy that nobody sees, as a@example.com,b@example.com; '' for nobody; default: as it is */
      bcc?: string[] | null;
      /** of DEVICE: an https URL of a picture, with {{variables}}; '' for none; default: as it is */
      image?: string | null;
      /** of DEVICE: values for the app by name, texts with {{variables}}; {} for none; default: as it is */
      data?: Record<string, string> | null;
      /** of DEVICE: a later message with the same key replaces the earlier one, with {{variables}}; '' for none; default: as it is */
      collapseKey?: string | null;
      /** for previews: a JSON object as text */
      sampleVariables?: string | null;
    };
    data: SavedTemplate;
  };
  /**
   * Publish an older version again, in its language, as the newest
   * Settings for all languages stay, and so does the active flag. Needs a key with the role manage or provision.
   */
  templateRestore: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** its number */
      version: number;
    };
    data: SavedTemplate;
  };
  /**
   * One template with what is published of it, by its id or by the three flags
   * Needs a key with the role manage or provision.
   */
  templateShow: {
    input: {
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    };
    data: Template;
  };
  /**
   * Send a published template to one person, as a test: through the provider that would send it, or into an inbox. It counts towards the tenant's limits, and few are allowed in 15 minutes
   * With content, this text is sent instead of what is published. Needs a key with the role provision.
   */
  templateTest: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** a language of it, as de or de-AT; default: the variant without one */
      locale?: string;
      /** of EMAIL; may hold {{variables}} */
      subject?: string;
      /** of EMAIL; default: as it is, and of a new one found out (never markdown) */
      format?: "markdown" | "mjml" | "html" | "text";
      /** of PUSH or DEVICE; may hold {{variables}} */
      title?: string;
      /** what PUSH, DEVICE or CHAT opens: https or, in a page, a path; may hold {{variables}} */
      url?: string;
      /** buttons of PUSH; up to two */
      actions?: {
        /** What it says */
        label: string;
        /** What it opens */
        url: string;
      }[];
      /** Markdown, MJML, HTML or text with {{variables}} */
      content?: string;
      /** of SMS: curly quotes, dashes and the like are sent as plain ones */
      plainCharacters?: boolean;
      /** combines several events into one message; null: each event is sent alone */
      digest?: {
        /** how long events are combined into one message, in seconds */
        windowSeconds?: number;
        /** one message at 09:00, by the recipient's clock */
        at?: string;
        /** with --digest-at: the days on which it is sent, such as mon,thu */
        days?: number[];
        /** events with different values of this variable are combined separately */
        key?: string;
        /** each event restarts the window */
        sliding?: boolean;
        /** of a sliding window: its longest duration in seconds */
        maxSeconds?: number;
        /** the first event is sent at once, the later ones together */
        leading?: boolean;
      } | null;
      /** realtime channel of PUSH; default: the personal one */
      targetChannel?: string | null;
      /** values for its tags; default: none. In $items those of a digest's events */
      variables?: Record<string, unknown>;
      /** an email address, a number such as +12025550123, a chat address such as slack:C024BE91L, or (PUSH, DEVICE) a user's id */
      to: string;
    };
    data: {
      tenantId: string;
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** In whose inbox it is */
      userId?: string;
      /** false: it is shown when the page is reloaded */
      published?: boolean;
      /** The provider that got it */
      providerId?: string;
      kind?: string;
      /** accepted, or how it was refused */
      class?: string;
      reason?: string;
      /** The vendor's */
      messageId?: string | null;
      vendorStatus?: number | null;
      vendorAnswer?: string | null;
      retryAfterSeconds?: number | null;
    };
  };
  /**
   * List its published versions in all languages, newest first, without the contents
   * Needs a key with the role manage or provision.
   */
  templateVersions: {
    input: {
      /** the template's event type */
      eventType: string;
      /** EMAIL, SMS, PUSH, DEVICE or CHAT */
      channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    };
    data: TemplateVersion[];
  };
  /**
   * Activate a tenant again; messages that were skipped stay skipped
   * Needs a platform key.
   */
  tenantActivate: {
    input: {
      /** the tenant's id */
      id: string;
    };
    data: Tenant;
  };
  /**
   * Create a tenant; prints its API key, only now
   * Without limits given: 600 a minute, 100000 a day, all channels. Needs a platform key.
   */
  tenantCreate: {
    input: {
      /** its name, 1 to 255 characters */
      name: string;
      /** what people call its API key */
      keyName?: string;
      /** triggers admitted in any 60 s */
      perMinute?: number;
      /** events accepted per UTC day */
      dailyCap?: number | null;
      /** channels it may use, as EMAIL,CHAT; empty: all */
      deliveryChannels?: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
      /** variables count for the automatic dedup key; they do not by default */
      dedupIncludesVariables?: boolean;
      /** programs may be uploaded as attachments of its mails; they may not by default */
      allowExecutables?: boolean;
      /** pages may register their browser for device push with a realtime token; they may not by default */
      browserDevices?: boolean;
      /** MiB that all attachments of its events may take together; default: 5120 */
      maxAttachmentMib?: number;
      /** keep events and their deliveries so many days, 1 to 3650; default: as the installation */
      eventRetentionDays?: number | null;
      /** the same for the in-app history */
      notificationRetentionDays?: number | null;
      /** how templates without a language write dates, numbers and money, as en or de-AT */
      defaultLocale?: string;
      /** IANA name, as Europe/Berlin, for dates; none: UTC */
      timezone?: string | null;
      /** as 22:00-06:00: of users without their own, by the clock of their zone */
      quietHours?: {
        from: string;
        to: string;
      } | null;
      /** schemes of deep links that its mails may lead to, as myapp,shop */
      linkSchemes?: string[];
      /** one line of text with which every trigger must be signed */
      webhookSecret?: string;
    };
    data: {
      /** Its API key; answered this once */
      apiKey: string;
      id: string;
      name: string;
      active: boolean;
      perMinute: number;
      /** null: no cap */
      dailyCap: number | null;
      /** Empty: all channels */
      deliveryChannels: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
      dedupIncludesVariables: boolean;
      /** Whether attachments may be programs */
      allowExecutables: boolean;
      /** Whether pages may register their browser with a realtime token */
      browserDevices: boolean;
      /** MiB that all attachments of its events may take together */
      maxAttachmentMib: number;
      /** Whether every trigger must be signed */
      webhookSecret: boolean;
      /** Until when the webhook secret before it is taken too; null: it is not; ISO 8601, UTC */
      previousWebhookSecretUntil: string | null;
      /** Days to keep events and their deliveries; null: as the installation */
      eventRetentionDays: number | null;
      /** Days to keep the in-app history; null: as the installation */
      notificationRetentionDays: number | null;
      /** How the default variants of its templates write dates, numbers and money */
      defaultLocale: string;
      /** IANA name; null: UTC */
      timezone: string | null;
      /** Of users without their own; null: none */
      quietHours: {
        from: string;
        to: string;
      } | null;
      /** Schemes of deep links that its mails may contain, in lower case and without the colon */
      linkSchemes: string[];
      /** The live ones, newest first */
      apiKeys: ApiKey[];
      /** When it was created; ISO 8601, UTC */
      createdAt: string;
      /** When its settings last changed; ISO 8601, UTC */
      updatedAt: string;
    };
  };
  /**
   * Deactivate a tenant: its calls are answered 401, and its waiting messages are skipped
   * Needs a platform key.
   */
  tenantDeactivate: {
    input: {
      /** the tenant's id */
      id: string;
    };
    data: Tenant;
  };
  /**
   * Set the tenant's language, time zone and quiet hours; applies within 5 s
   * Fields that are left out keep their values. Needs a key with the role provision.
   */
  tenantDefaults: {
    input: {
      /** how templates without a language write dates, numbers and money, as en or de-AT */
      defaultLocale?: string;
      /** IANA name, as Europe/Berlin, for dates; none: UTC */
      timezone?: string | null;
      /** as 22:00-06:00: of users without their own, by the clock of their zone */
      quietHours?: {
        from: string;
        to: string;
      } | null;
    };
    data: TenantDefaults;
  };
  /**
   * All tenants, oldest first
   * Needs a platform key.
   */
  tenantList: {
    input: Record<string, never>;
    data: Tenant[];
  };
  /**
   * Deactivate a tenant at once and delete it in the background; cannot be undone
   * A repeated request changes nothing. Needs a platform key.
   */
  tenantRequestDeletion: {
    input: {
      /** the exact name of the tenant */
      typed: string;
      /** the tenant's id */
      id: string;
    };
    data: {
      id: string;
      name: string;
    };
  };
  /**
   * One tenant with its live API keys (their prefixes and names)
   * Needs a platform key.
   */
  tenantShow: {
    input: {
      /** the tenant's id */
      id: string;
    };
    data: Tenant;
  };
  /**
   * The progress of a tenant's deletion; it can be read after the tenant is gone
   * Needs a platform key.
   */
  tenantShowDeletion: {
    input: {
      /** the tenant's id */
      id: string;
    };
    data: {
      tenantId: string;
      name: string;
      /** The person who requested it */
      person: string;
      /** When it was requested; ISO 8601, UTC */
      requestedAt: string;
      /** When it began; ISO 8601, UTC */
      startedAt: string | null;
      /** When everything was deleted; ISO 8601, UTC */
      endedAt: string | null;
      /** So far */
      deleted: {
        events?: number;
        deliveries?: number;
        notifications?: number;
        outboxMessages?: number;
      };
    };
  };
  /**
   * Change the given settings; applies within 5 s
   * What is left out stays as it is. A webhook secret takes the place of the one before at once. Needs a platform key.
   */
  tenantUpdate: {
    input: {
      /** the tenant's id */
      id: string;
      /** its name, 1 to 255 characters */
      name?: string;
      /** triggers admitted in any 60 s */
      perMinute?: number;
      /** events accepted per UTC day */
      dailyCap?: number | null;
      /** channels it may use, as EMAIL,CHAT; empty: all */
      deliveryChannels?: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
      /** variables count for the automatic dedup key; they do not by default */
      dedupIncludesVariables?: boolean;
      /** programs may be uploaded as attachments of its mails; they may not by default */
      allowExecutables?: boolean;
      /** pages may register their browser for device push with a realtime token; they may not by default */
      browserDevices?: boolean;
      /** MiB that all attachments of its events may take together; default: 5120 */
      maxAttachmentMib?: number;
      /** keep events and their deliveries so many days, 1 to 3650; default: as the installation */
      eventRetentionDays?: number | null;
      /** the same for the in-app history */
      notificationRetentionDays?: number | null;
      /** how templates without a language write dates, numbers and money, as en or de-AT */
      defaultLocale?: string;
      /** IANA name, as Europe/Berlin, for dates; none: UTC */
      timezone?: string | null;
      /** as 22:00-06:00: of users without their own, by the clock of their zone */
      quietHours?: {
        from: string;
        to: string;
      } | null;
      /** schemes of deep links that its mails may lead to, as myapp,shop */
      linkSchemes?: string[];
      /** one line of text with which every trigger must be signed */
      webhookSecret?: string | null;
    };
    data: Tenant;
  };
  /**
   * Find a tenant's users by the beginning of their id or email address, in upper or lower case
   * `ann` finds `anna@example.com` and the user `ann-1`. The user of this very id comes first, then the others by their ids. Every character stands for itself, `%` and `_` too. Users that events alone name are found by their id. `event search` finds a phone number, by its end. Needs a key with the role manage or provision.
   */
  userFind: {
    input: {
      /** the beginning of the id or the address */
      search: string;
      /** at most so many, 1 to 1000; default: 50 */
      limit?: number;
    };
    data: {
      users: {
        userId: string;
        /** Address in the directory */
        email: string | null;
        /** Number in the directory */
        phone: string | null;
        /** Whether the tenant has stored the user; if false, only events name it */
        isNamed: boolean;
        /** When its newest event was accepted; null: none is known */
        lastEventAt: string | null;
      }[];
      /** There are more: search with more of the beginning */
      more: boolean;
    };
  };
  /**
   * Import a CSV file of users who unsubscribed elsewhere; a bad line refuses the whole file
   * The whole file is read before anything is written, a thousand cells a transaction. After a failure in between, import it again: what is off stays as it is. Needs a key with the role manage or provision.
   */
  userImport: {
    input: {
      /** columns user, category (a key or *), channel (or *), or a heading that names them */
      file: string;
      /** into how many shares the rows are divided, 1 to 100; default: 1 */
      parts?: number;
      /** the number of the share to write; each call reads the whole file; default: 1 */
      part?: number;
    };
    data: {
      /** Lines without the heading and empty ones */
      lines: number;
      /** Cells that this import turned off */
      turnedOff: number;
      /** These were off before: they keep their source and time */
      alreadyOff: number;
      /** Columns that the first line names and that are not read: at most 50 */
      ignoredColumns: {
        /** Its name in the first line; empty: it has none */
        column: string;
        /** The known column that was probably meant */
        suggestion: string | null;
      }[];
    };
  };
  /**
   * List a tenant's users by id, including users that only events name; `next` is set if there are more
   * Needs a key with the role manage or provision.
   */
  userList: {
    input: {
      /** those after a page, by its next */
      after?: string;
      /** at most so many, 1 to 1000; default: 50 */
      limit?: number;
    };
    data: {
      users: {
        userId: string;
        /** Address in the directory */
        email: string | null;
        /** Number in the directory */
        phone: string | null;
        /** Whether the tenant has stored the user; if false, only events name it */
        isNamed: boolean;
        /** When its newest event was accepted; null: none is known */
        lastEventAt: string | null;
      }[];
      /** Give it as `after` for the next page */
      next?: string;
    };
    pages: "users";
  };
  /**
   * Turn a category on a channel on or off for a user, or clear the choice
   * Needs a key with the role manage or provision.
   */
  userPreferenceSet: {
    input: {
      /** The user's id in your own system */
      userId: string;
      /** The key of a category, or * for all of them */
      category: string;
      /** *, EMAIL, SMS, PUSH, DEVICE, CHAT */
      channel: "*" | "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      /** default or null deletes the choice, so that the category's default applies */
      enabled: boolean | null;
    };
    data: {
      userId: string;
      /** The user's choices. A cell that is not listed has the default of its category */
      preferences: {
        /** A key, or * */
        category: string;
        channel: "*" | "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
        enabled: boolean;
        /** The place where the user made the choice */
        source: "api" | "preference page" | "unsubscribe link" | "inbox" | "import" | "by hand";
        /** When; ISO 8601, UTC */
        at: string;
      }[];
      /** All categories of the tenant, in their order */
      categories: {
        key: string;
        /** Texts by language; "" is the default */
        label: Record<string, string>;
        /** Texts by language; "" is the default */
        description: Record<string, string>;
        /** Messages are sent even to users who turned it off */
        required: boolean;
        /** false: messages are sent only to users who turned it on */
        defaultOn: boolean;
      }[];
    };
  };
}

/** The method and path of a call. Input fields that are neither in the path nor in the query are its JSON body. */
export interface ManagementRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below /api/v1/manage, with fields in braces. */
  path: string;
  query?: readonly string[];
  /** Of a list in pages: the field of the data that has them. */
  pages?: string;
}

export const MANAGEMENT_ROUTES: Readonly<Record<keyof ManagementCalls, ManagementRoute>> = {
  alertListAll: { method: "GET", path: "/people/{person}/alerts" },
  alertSender: { method: "GET", path: "/mail-tenant" },
  alertSetAll: { method: "PUT", path: "/people/{person}/alerts" },
  alertSetSender: { method: "PUT", path: "/mail-tenant" },
  auditList: {
    method: "GET",
    path: "/audit",
    query: ["tenant", "person", "object", "since", "until", "limit", "before"],
  },
  broadcastEstimate: { method: "POST", path: "/broadcast-estimates" },
  bundleApply: { method: "POST", path: "/bundle", query: ["dryRun"] },
  bundleProgress: { method: "GET", path: "/bundle/applies/{applyId}" },
  bundlePull: { method: "GET", path: "/bundle" },
  categoryAssign: { method: "PUT", path: "/event-types/{eventType}/category" },
  categoryDelete: { method: "DELETE", path: "/categories/{key}" },
  categoryList: { method: "GET", path: "/categories" },
  categoryMove: { method: "POST", path: "/categories/{key}/move" },
  categoryPut: { method: "PUT", path: "/categories/{key}" },
  deadDiscard: { method: "POST", path: "/dead-letters/discard", query: ["dryRun"] },
  deadList: {
    method: "GET",
    path: "/dead-letters",
    query: ["channel", "class", "provider", "since", "until"],
  },
  deadReplay: { method: "POST", path: "/dead-letters/replay", query: ["dryRun"] },
  deadShow: { method: "GET", path: "/dead-letters/{id}" },
  digestList: { method: "GET", path: "/digests", query: ["limit"] },
  digestRelease: { method: "POST", path: "/digests/{id}/release" },
  digestShow: { method: "GET", path: "/digests/{id}" },
  environmentList: { method: "GET", path: "/environments" },
  environmentPromote: { method: "POST", path: "/environment/promotion", query: ["dryRun"] },
  environmentSet: { method: "PUT", path: "/tenants/{tenantId}/environment" },
  eventCancelOne: { method: "POST", path: "/events/{id}/cancel" },
  eventResend: { method: "POST", path: "/events/{id}/resend" },
  eventSearch: { method: "GET", path: "/search", query: ["search", "limit"] },
  imageDelete: { method: "DELETE", path: "/images/{id}" },
  imageList: { method: "GET", path: "/images" },
  imageUpload: { method: "POST", path: "/images" },
  importAdd: { method: "POST", path: "/imports/{importId}/parts" },
  importCancel: { method: "POST", path: "/imports/{importId}/cancel" },
  importList: { method: "GET", path: "/imports", query: ["limit", "after"], pages: "items" },
  importShow: { method: "GET", path: "/imports/{importId}" },
  importStart: { method: "POST", path: "/imports" },
  layoutPreview: { method: "POST", path: "/layout/preview" },
  layoutPut: { method: "PUT", path: "/layout" },
  layoutRemove: { method: "DELETE", path: "/layout" },
  layoutRestore: { method: "POST", path: "/layout/versions/{version}/restore" },
  layoutShow: { method: "GET", path: "/layout", query: ["version"] },
  layoutVersions: { method: "GET", path: "/layout/versions" },
  operatorDisconnectIdentity: { method: "POST", path: "/people/{person}/disconnect-identity" },
  operatorInvite: { method: "POST", path: "/operators/invitations" },
  operatorList: { method: "GET", path: "/operators" },
  operatorRemove: { method: "DELETE", path: "/operators/{person}" },
  operatorRemoveTotp: { method: "POST", path: "/people/{person}/remove-two-factor" },
  operatorResetLink: { method: "POST", path: "/people/{person}/reset-link" },
  operatorWithdraw: { method: "DELETE", path: "/operators/invitations/{invitation}" },
  outboxList: {
    method: "GET",
    path: "/outbox",
    query: ["eventId", "limit", "after"],
    pages: "items",
  },
  outboxShow: { method: "GET", path: "/outbox/{id}" },
  providerActivate: { method: "POST", path: "/providers/{id}/activate" },
  providerDeactivate: { method: "POST", path: "/providers/{id}/deactivate" },
  providerDelete: { method: "DELETE", path: "/providers/{id}" },
  providerList: { method: "GET", path: "/providers" },
  providerMakeFirst: { method: "POST", path: "/providers/{id}/make-first" },
  providerMoveUp: { method: "POST", path: "/providers/{id}/move-up" },
  providerPut: { method: "PUT", path: "/providers/{channel}/{name}" },
  providerRename: { method: "POST", path: "/providers/{id}/rename" },
  providerShow: { method: "GET", path: "/providers/{id}" },
  providerTest: { method: "POST", path: "/providers/{id}/test" },
  realtimeNewEpoch: { method: "POST", path: "/realtime-epoch" },
  smsInboundList: {
    method: "GET",
    path: "/inbound-messages",
    query: ["number", "limit", "after"],
    pages: "items",
  },
  suppressionAdd: { method: "POST", path: "/suppressions" },
  suppressionImport: { method: "POST", path: "/suppressions/import" },
  suppressionList: {
    method: "GET",
    path: "/suppressions",
    query: ["channel", "search", "limit", "after"],
    pages: "items",
  },
  suppressionRemove: { method: "POST", path: "/suppressions/remove" },
  templateActivate: { method: "POST", path: "/templates/{eventType}/{channel}/activate" },
  templateConfirm: { method: "POST", path: "/templates/{eventType}/{channel}/confirm" },
  templateCopy: { method: "POST", path: "/templates/{eventType}/{channel}/copy" },
  templateCreate: { method: "POST", path: "/templates" },
  templateDeactivate: { method: "POST", path: "/templates/{eventType}/{channel}/deactivate" },
  templateDelete: { method: "DELETE", path: "/templates/{eventType}/{channel}", query: ["locale"] },
  templateDraftDiscard: {
    method: "DELETE",
    path: "/templates/{eventType}/{channel}/draft",
    query: ["locale", "revision"],
  },
  templateDraftPut: { method: "PUT", path: "/templates/{eventType}/{channel}/draft" },
  templateDraftShow: {
    method: "GET",
    path: "/templates/{eventType}/{channel}/draft",
    query: ["locale"],
  },
  templateExport: { method: "GET", path: "/template-files" },
  templateImport: { method: "PUT", path: "/template-files", query: ["dryRun"] },
  templateList: { method: "GET", path: "/templates" },
  templatePreview: { method: "POST", path: "/template-previews" },
  templatePublish: { method: "POST", path: "/templates/{eventType}/{channel}/publish" },
  templatePut: { method: "PUT", path: "/templates/{eventType}/{channel}" },
  templateRestore: {
    method: "POST",
    path: "/templates/{eventType}/{channel}/versions/{version}/restore",
  },
  templateShow: { method: "GET", path: "/templates/{eventType}/{channel}", query: ["locale"] },
  templateTest: { method: "POST", path: "/templates/{eventType}/{channel}/test" },
  templateVersions: { method: "GET", path: "/templates/{eventType}/{channel}/versions" },
  tenantActivate: { method: "POST", path: "/tenants/{id}/activate" },
  tenantCreate: { method: "POST", path: "/tenants" },
  tenantDeactivate: { method: "POST", path: "/tenants/{id}/deactivate" },
  tenantDefaults: { method: "PATCH", path: "/defaults" },
  tenantList: { method: "GET", path: "/tenants" },
  tenantRequestDeletion: { method: "DELETE", path: "/tenants/{id}", query: ["typed"] },
  tenantShow: { method: "GET", path: "/tenants/{id}" },
  tenantShowDeletion: { method: "GET", path: "/tenants/{id}/deletion" },
  tenantUpdate: { method: "PATCH", path: "/tenants/{id}" },
  userFind: { method: "GET", path: "/users/find", query: ["search", "limit"] },
  userImport: { method: "POST", path: "/users/import-unsubscribes" },
  userList: { method: "GET", path: "/users", query: ["after", "limit"], pages: "users" },
  userPreferenceSet: { method: "PUT", path: "/users/{userId}/preferences/{category}/{channel}" },
};
