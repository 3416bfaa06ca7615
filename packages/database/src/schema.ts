import type { Channel, ProviderChannel, SentChannel } from "@belfry/contracts/channels";
import type {
  DeliveryStatus,
  DigestItemState,
  DigestSettings,
  ThrottleSettings,
} from "@belfry/contracts/delivery";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { PreferenceChannel, PreferenceSource } from "@belfry/contracts/preferences";
import type { OutcomeClass, ReceiptKind, SuppressionReason } from "@belfry/contracts/sending";
import type { ErasureState } from "@belfry/contracts/users";
import type { WebhookMessageType, WebhookType } from "@belfry/contracts/webhook-payload";
import type { ColumnType, Generated, GeneratedAlways } from "kysely";

type CreatedAt = ColumnType<Date, Date | undefined, never>;
type UpdatedAt = ColumnType<Date, Date | undefined, Date>;

/** What a person may do in a tenant. */
export type TenantRole = "owner" | "editor" | "viewer";

/** Of a mail. */
export type StoredFormat = "markdown" | "mjml" | "html" | "text";

/** An action of a push, as its template has it. */
export interface StoredAction {
  label: string;
  url: string;
}

/** What the dispatcher left on an event for the channels that became no delivery. */
export interface EventOutcome {
  skipped?: Partial<Record<Channel, string>>;
  failed?: Partial<Record<Channel, string>>;
  /** Variables that a template named and the event did not have. */
  missing?: Partial<Record<Channel, string[]>>;
  /** What else could not be written as a template says, in words. */
  warnings?: Partial<Record<Channel, string[]>>;
  /** Links of a template that are not shown, in words with the reason. */
  linksLeftOut?: Partial<Record<Channel, string[]>>;
  /** Why it did not leave at once, and until when. */
  waits?: Partial<Record<Channel, string>>;
}

/** The tables as Kysely sees them; a test compares this file with the database. */
export interface Schema {
  tenants: {
    id: string;
    name: string;
    active: Generated<boolean>;
    per_minute: number;
    daily_cap: number | null;
    delivery_channels: Generated<Channel[]>;
    dedup_includes_variables: Generated<boolean>;
    /** Compact JWE, see secrets.ts. */
    webhook_secret: string | null;
    previous_webhook_secret: string | null;
    previous_webhook_secret_until: Date | null;
    created_at: CreatedAt;
    updated_at: UpdatedAt;
    /** null: the installation's. */
    event_retention_days: number | null;
    /** null: the installation's. */
    notification_retention_days: number | null;
    /** Of the default variants of its templates. */
    default_locale: Generated<string>;
    /** IANA name; null: UTC. */
    timezone: string | null;
    /** As 22:00:00. */
    quiet_from: string | null;
    quiet_to: string | null;
    uses_recipients: Generated<boolean>;
    uses_preferences: Generated<boolean>;
    uses_webhooks: Generated<boolean>;
    /** To within a second. */
    preferences_changed_at: Date | null;
    /** Schemes that links of its mails may have besides those of everybody. */
    link_schemes: Generated<string[]>;
    /** What the tenants that are environments of one product have in common. */
    family: string | null;
    environment: string | null;
    promotes_from: string | null;
    /** Only a bundle or a promotion changes what a bundle holds. */
    locked: Generated<boolean>;
  };

  tenant_limits: {
    tenant_id: string;
    ring: Generated<number[]>;
    /** int8 comes as text. */
    ring_second: Generated<string>;
    ring_total: Generated<number>;
    day: Generated<string>;
    day_total: Generated<number>;
  };

  repeated_calls: {
    /** A tenant's id, or that of a platform key. */
    caller: string;
    /** The Idempotency-Key. */
    key: string;
    /** SHA-256 of method, address and body. */
    request: Buffer;
    /** Encrypted; null: the call is under way, or its process ended without an answer. */
    answer: string | null;
    created_at: CreatedAt;
  };
  platform_keys: {
    id: string;
    /** Of the whole key. */
    sha256: Buffer;
    prefix: string;
    name: string;
    created_at: CreatedAt;
    last_used_at: Date | null;
  };
  api_keys: {
    id: string;
    tenant_id: string;
    sha256: Buffer;
    prefix: string;
    /** What its owner calls it. */
    name: string | null;
    role: Generated<KeyRole>;
    created_at: CreatedAt;
    expires_at: Date | null;
    last_used_at: Date | null;
  };

  /** What is set here holds for all languages. */
  templates: {
    id: string;
    /** `platform` owns the `global.*` templates. */
    tenant_id: string;
    event_type: string;
    channel: Channel;
    active: Generated<boolean>;
    target_channel: string | null;
    sensitive: Generated<boolean>;
    /** What was accepted by then stays hidden; null: it never was sensitive, or still is. */
    sensitive_until: Date | null;
    at_most_once: Generated<boolean>;
    expires_after_seconds: number | null;
    /** JSON text. */
    sample_variables: string | null;
    /** null: none. */
    required_variables: string[] | null;
    created_at: CreatedAt;
    updated_at: UpdatedAt;
    digest: ColumnType<DigestSettings | null, string | null, string | null>;
    throttle: ColumnType<ThrottleSettings | null, string | null, string | null>;
    after_unread_seconds: number | null;
    /** Of short messages: typographic characters are sent as plain ones. */
    plain_characters: Generated<boolean>;
  };

  /** What was published, counted per template over all its languages. */
  template_versions: {
    id: GeneratedAlways<string>;
    template_id: string;
    version: number;
    /** Empty: the default variant. */
    locale: Generated<string>;
    content: string;
    subject: string | null;
    title: string | null;
    /** Of a mail; null: found out from the text. */
    format: StoredFormat | null;
    url: string | null;
    /** Written as JSON text. */
    actions: ColumnType<StoredAction[] | null, string | null, string | null>;
    /** CompiledTemplate of @belfry/templates; written as JSON text. */
    compiled: ColumnType<unknown, string, string>;
    created_at: CreatedAt;
    created_by: string | null;
  };

  /** What is in force. */
  template_variants: {
    template_id: string;
    /** BCP 47, canonical; empty: the default variant. */
    locale: Generated<string>;
    current_version_id: string;
    /** Of a translation: the version of the default variant that it was made from. */
    source_version: number | null;
  };

  /** What is being written, in force nowhere. */
  template_drafts: {
    template_id: string;
    locale: Generated<string>;
    content: string;
    subject: string | null;
    title: string | null;
    /** Of a mail; null: found out from the text. */
    format: StoredFormat | null;
    url: string | null;
    /** Written as JSON text. */
    actions: ColumnType<StoredAction[] | null, string | null, string | null>;
    /** What publishing it sets on the template; written as JSON text. */
    settings: ColumnType<Record<string, unknown>, string, string>;
    /** Of the variant, where it began; 0: none was published. */
    based_on_version: number;
    /** Of a translation: the version of the default variant that it is made from. */
    source_version: number | null;
    /** Another with each save, and of no other draft. */
    revision: GeneratedAlways<number>;
    saved_by: string | null;
    saved_at: UpdatedAt;
  };

  /** What stands around a mail in Markdown; the newest version of a tenant is in force. */
  layouts: {
    tenant_id: string;
    version: number;
    /** MJML with `{{ $content }}`; null: the platform's. */
    content: string | null;
    logo_url: string | null;
    /** `#rrggbb`, as the other colours. */
    primary_color: string | null;
    background_color: string | null;
    text_color: string | null;
    footer_text: string | null;
    address: string | null;
    created_by: string | null;
    created_at: CreatedAt;
  };

  providers: {
    id: string;
    tenant_id: string;
    channel: ProviderChannel;
    kind: string;
    name: string;
    position: Generated<number>;
    active: Generated<boolean>;
    /** Compact JWE of the JSON settings. */
    settings: string;
    masked_settings: ColumnType<Record<string, unknown>, string, string>;
    max_per_second: number | null;
    /** When the vendor last accepted a test message with these settings; null: never. */
    tested_at: Date | null;
    created_at: CreatedAt;
    updated_at: UpdatedAt;
  };

  provider_circuits: {
    provider_id: string;
    class: OutcomeClass;
    reason: string;
    failures: number;
    opened_at: Date;
    open_until: Date;
    probe_until: Date | null;
  };

  provider_sends: {
    provider_id: string;
    next_at: Date;
  };

  recipients: {
    tenant_id: string;
    user_id: string;
    email: string | null;
    phone: string | null;
    locale: string | null;
    timezone: string | null;
    quiet_from: string | null;
    quiet_to: string | null;
    named: Generated<boolean>;
    off_categories: Generated<string[]>;
    created_at: CreatedAt;
    updated_at: UpdatedAt;
  };

  inbound_messages: {
    id: string;
    tenant_id: string;
    provider_kind: string;
    vendor_id: string;
    /** Of a keyword, as text and recipient: null. */
    sender: string | null;
    recipient: string | null;
    text: string | null;
    received_at: CreatedAt;
  };

  categories: {
    tenant_id: string;
    key: string;
    /** By language; "" is there always. */
    label: ColumnType<Record<string, string>, string, string>;
    description: ColumnType<Record<string, string>, string, string>;
    required: Generated<boolean>;
    default_on: Generated<boolean>;
    position: Generated<number>;
    created_at: CreatedAt;
    updated_at: UpdatedAt;
  };

  event_type_categories: {
    tenant_id: string;
    event_type: string;
    category: string;
  };

  preferences: {
    tenant_id: string;
    user_id: string;
    /** A key, or * for all. */
    category: string;
    channel: PreferenceChannel;
    enabled: boolean;
    source: PreferenceSource;
    at: Generated<Date>;
  };

  erasures: {
    id: string;
    tenant_id: string;
    user_hash: Buffer;
    /** null once it is done. */
    user_id: string | null;
    state: Generated<ErasureState>;
    requested_at: Generated<Date>;
    due_at: Generated<Date>;
    started_at: Date | null;
    claimed_until: Date | null;
    ended_at: Date | null;
    deleted: ColumnType<Record<string, number> | null, string | null, string | null>;
  };

  tenant_deletions: {
    tenant_id: string;
    name: string;
    person_id: string | null;
    person: string;
    address: string;
    requested_at: Generated<Date>;
    due_at: Generated<Date>;
    started_at: Date | null;
    ended_at: Date | null;
    deleted: ColumnType<Record<string, number>, string, string>;
  };

  configuration_version: {
    only_row: Generated<boolean>;
    version: Generated<string>;
    /** Of tenants without days of their own. */
    event_retention_days: Generated<number>;
    notification_retention_days: Generated<number>;
  };

  events: {
    id: string;
    tenant_id: string;
    event_type: string;
    user_id: string;
    /** The tenant's own `eventId`. */
    reference: string | null;
    recipient_email: string | null;
    recipient_phone: string | null;
    /** Requested channels as a mask (channelMask); null means all. */
    channels: number | null;
    /** JSON text, as parsed by the dispatcher. */
    variables: string | null;
    trace_id: string;
    accepted_at: Date;
    dispatched_at: Date | null;
    refused_at: Date | null;
    outcome: ColumnType<EventOutcome | null, string | null, string | null>;
    /** Canonical BCP 47. */
    locale: string | null;
    send_at: Date | null;
    /** When it left scheduled_events. */
    released_at: Date | null;
    cancel_key: string | null;
    cancel_asked_at: Date | null;
    /** Nothing of it has reached anybody, and nothing will. */
    cancelled_at: Date | null;
  };

  /** Accepted for later, and not due yet. */
  scheduled_events: {
    event_id: string;
    tenant_id: string;
    send_at: Date;
    user_key: string | null;
    trace_id: string;
    /** A replay was answered 200: it can no longer be refused. */
    acknowledged: Generated<boolean>;
  };

  undispatched_events: {
    event_id: string;
    published_at: Date;
    /** A replay of it was answered 200: it can no longer be refused. */
    acknowledged: Generated<boolean>;
    /** The tenant and its user, hashed; null: takes no part in the order of the user's events. */
    user_key: string | null;
    accepted_at: Date | null;
  };

  dedup_keys: {
    tenant_id: string;
    key: Buffer;
    event_id: string;
    event_type: string;
    tenant_name: string;
    accepted_at: Date;
  };

  deliveries: {
    id: string;
    /** Of a digest or a webhook's message: its id. */
    event_id: string;
    tenant_id: string;
    channel: SentChannel;
    status: Generated<DeliveryStatus>;
    reason: string | null;
    recipient: string | null;
    /** null: of a webhook's message. */
    template_version_id: string | null;
    provider_id: string | null;
    attempts: Generated<number>;
    /** Place in the retry schedule. */
    retries: Generated<number>;
    due_at: Date | null;
    released_at: Date | null;
    claimed_until: Date | null;
    expires_at: Date | null;
    message_id: string | null;
    missing: string[] | null;
    created_at: CreatedAt;
    settled_at: Date | null;
    /** What its message lacks besides variables, in words. */
    warnings: string[] | null;
    /** true: skipped once its notification is read. */
    unless_read: boolean | null;
    /** The paused endpoint that a status webhook waits for; its `due_at` is null meanwhile. */
    held_for: string | null;
    /** A cancel came during a try: it is the last one. */
    cancel_asked_at: Date | null;
  };

  webhooks: {
    id: string;
    tenant_id: string;
    url: string;
    /** Empty: all. */
    types: Generated<WebhookType[]>;
    description: string | null;
    /** Compact JWE, see secrets.ts. */
    secret: string;
    previous_secret: string | null;
    previous_secret_until: Date | null;
    active: Generated<boolean>;
    disabled_at: Date | null;
    /** null with a time: a person did it. */
    disabled_reason: string | null;
    failing_since: Date | null;
    /** In a row. */
    failures: Generated<number>;
    paused_until: Date | null;
    /** A call finds out whether it is back. */
    probing: Generated<boolean>;
    created_at: CreatedAt;
    updated_at: UpdatedAt;
  };

  webhook_messages: {
    id: string;
    webhook_id: string;
    tenant_id: string;
    type: WebhookMessageType;
    /** Of an event or a digest. */
    event_id: string | null;
    /** null: of a test. */
    user_id: string | null;
    payload: string;
    resend_of: string | null;
    created_at: CreatedAt;
  };

  digests: {
    id: string;
    tenant_id: string;
    event_type: string;
    channel: ProviderChannel;
    user_id: string;
    recipient: string | null;
    /** Of the template's variant; empty: the default one. */
    locale: string;
    key: string;
    opened_at: Date;
    window_ends_at: Date;
    /** Nothing joins it any more. */
    closed_at: Date | null;
    /** That have joined it, whatever has become of them since. */
    events: Generated<number>;
  };

  digest_items: {
    digest_id: string;
    event_id: string;
    added_at: Date;
    state: Generated<DigestItemState>;
    /** A cancel came while the digest was being sent. */
    cancel_asked_at: Date | null;
  };

  throttles: {
    tenant_id: string;
    user_id: string;
    event_type: string;
    channel: ProviderChannel;
    times: Date[];
    ends_at: Date;
  };

  attempts: {
    delivery_id: string;
    number: number;
    provider_id: string | null;
    provider_kind: string;
    started_at: Date;
    ended_at: Date | null;
    class: OutcomeClass | null;
    reason: string | null;
    vendor_status: string | null;
    vendor_answer: string | null;
    message_id: string | null;
    next_at: Date | null;
  };

  notifications: {
    /** The id of the event. */
    id: string;
    tenant_id: string;
    user_id: string;
    event_type: string;
    title: string;
    body: string;
    channel_name: string;
    channel_offset: string;
    created_at: Date;
    read_at: Date | null;
    url: string | null;
    /** JSON text of `PushAction[]`. */
    actions: string | null;
  };

  realtime_channels: {
    tenant_id: string;
    user_id: string;
    channel_name: string;
    top_offset: string;
  };

  realtime_epoch: {
    only_row: Generated<boolean>;
    epoch: string;
  };

  realtime_resets: {
    /** Two bytes of a hash of tenant and user. */
    slot: Buffer;
    /** int8 comes as text. */
    resets: string;
  };

  outbox: {
    id: string;
    tenant_id: string;
    event_id: string;
    delivery_id: string;
    channel: ProviderChannel;
    recipient: string;
    subject: string | null;
    html: string | null;
    text: string;
    segments: number | null;
    headers: ColumnType<Record<string, string> | null, string | null, never>;
    created_at: CreatedAt;
  };

  dead_messages: {
    id: string;
    stream: string;
    subject: string;
    data: Buffer;
    deliveries: number;
    reason: string;
    created_at: CreatedAt;
  };

  reason_words: {
    code: string;
    words: string;
  };
  receipts: {
    tenant_id: string;
    provider_kind: string;
    /** By which the same event is known when it comes again. */
    vendor_event: string;
    delivery_id: string;
    kind: ReceiptKind;
    reason: string | null;
    vendor_status: string | null;
    /** By the provider's clock. */
    occurred_at: Date | null;
    received_at: CreatedAt;
  };

  suppressions: {
    tenant_id: string;
    channel: ProviderChannel;
    /** As the events name it, ASCII letters in lower case; or E.164. */
    address: string;
    reason: SuppressionReason;
    source: string | null;
    created_at: CreatedAt;
  };

  people: {
    id: string;
    /** In lower case. */
    email: string;
    name: string;
    /** scrypt, with its costs and salt; null: signs in by OpenID Connect alone. */
    password: string | null;
    operator: Generated<boolean>;
    /** False: a tenant's owner may have made the way in, and may know it. */
    sign_in_trusted: Generated<boolean>;
    /** Grows with each change of what signing in asks for. */
    sign_in_epoch: Generated<number>;
    created_at: CreatedAt;
    updated_at: UpdatedAt;
  };

  memberships: {
    person_id: string;
    tenant_id: string;
    role: TenantRole;
    /** A group of the provider gave it, and takes it away; else a person did. */
    by_oidc: Generated<boolean>;
    created_at: CreatedAt;
  };

  person_identities: {
    issuer: string;
    subject: string;
    person_id: string;
    /** The person connected it, signed in; else its address led to the person. */
    by_hand: boolean;
    /** As the provider last said it. */
    email: string | null;
    created_at: CreatedAt;
    last_used_at: Generated<Date>;
  };

  sessions: {
    id: string;
    person_id: string;
    /** Of the cookie's token. */
    sha256: Buffer;
    address: string;
    user_agent: string;
    created_at: CreatedAt;
    last_seen_at: UpdatedAt;
    expires_at: Date;
  };

  person_totp: {
    person_id: string;
    /** Compact JWE. */
    secret: string;
    /** That sets it up; null: confirmed. */
    session_id: string | null;
    created_at: CreatedAt;
    confirmed_at: Date | null;
    /** Of 30 s since 1970: a code of it, or of one before, was used already. */
    last_step: Generated<number>;
  };

  recovery_codes: {
    person_id: string;
    sha256: Buffer;
  };

  shown_once: {
    id: string;
    session_id: string;
    /** Encrypted JSON. */
    content: string;
    expires_at: Date;
  };

  password_resets: {
    sha256: Buffer;
    person_id: string;
    /** null: the command line. */
    made_by: string | null;
    /** null: as an operator. */
    by_owner_of: string | null;
    created_at: UpdatedAt;
    expires_at: Date;
  };

  invitations: {
    id: string;
    /** Of the link's token. */
    sha256: Buffer;
    /** null: an operator's. */
    tenant_id: string | null;
    role: TenantRole | "operator";
    /** null: whoever holds the link of the first operator. */
    email: string | null;
    invited_by: string | null;
    /** False: a tenant's owner made the link. */
    by_operator: Generated<boolean>;
    created_at: CreatedAt;
    expires_at: Date;
    accepted_at: Date | null;
  };

  audit_log: {
    id: string;
    at: CreatedAt;
    person_id: string | null;
    person: string;
    address: string;
    tenant_id: string | null;
    action: string;
    target: string;
    /** Secrets masked; written as JSON text. */
    before: ColumnType<Record<string, unknown> | null, string | null, never>;
    after: ColumnType<Record<string, unknown> | null, string | null, never>;
  };

  activity_sums: {
    /** `platform`: all tenants together. */
    tenant_id: string;
    bar_seconds: number;
    starts_at: Date;
    grouped_by: string;
    name: string;
    accepted: Generated<number>;
    sent: Generated<number>;
    delivered: Generated<number>;
    failed: Generated<number>;
    skipped: Generated<number>;
    waiting: Generated<number>;
    read: Generated<number>;
    latencies: Generated<number[]>;
  };

  /** Written by the version before alone: the next one drops it. */
  activity_buckets: {
    tenant_id: string;
    starts_at: Date;
    /** ALL: the events themselves. */
    channel: string;
    accepted: Generated<number>;
    sent: Generated<number>;
    failed: Generated<number>;
    skipped: Generated<number>;
    pending: Generated<number>;
    latencies: Generated<number[]>;
  };

  expiry_cursors: {
    table_name: string;
    /** Empty: every tenant without a row of its own. */
    tenant_id: string;
    /** Of its rows none is left with an id up to this one. */
    next_id: string;
    walked_at: Generated<Date>;
  };

  reconciliations: {
    hour: Date;
    what: string;
    count: string;
  };

  sensitive_events: {
    event_id: string;
  };

  /** Tries of NATS messages that began and have not ended. */
  message_tries: {
    stream: string;
    sequence: string;
    begun: number;
    begun_at: Date;
  };

  sign_in_tries: {
    /** SHA-256 of what is counted. */
    key: Buffer;
    count: number;
    ends_at: Date;
  };

  search_key: {
    id: string;
    /** Compact JWE. */
    secret: string;
    created_at: CreatedAt;
  };

  search_terms: {
    /** Keyed: 8 bytes of the value, 8 of it and the tenant. */
    hash: string;
    event_id: string;
  };

  search_users: {
    tenant_id: string;
    user_id: string;
    hash: string;
  };

  search_walks: {
    table_name: string;
    next_id: string;
  };

  search_steps: {
    table_name: string;
    after_id: string;
    until_id: string;
    seen: string;
    looks: Generated<number>;
    look_at: Date;
  };

  search_waiting: {
    delivery_id: string;
    look_at: Date;
  };
}
