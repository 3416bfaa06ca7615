/**
 * The tables as Kysely sees them. Generated from the database and column-types.ts, and held true by a test:
 * node test/run.ts --test-update-snapshots packages/database/test/current-schema.test.ts
 */
import type {
  AddressChannel,
  Channel,
  ProviderChannel,
  SentChannel,
} from "@belfry/contracts/channels";
import type {
  DeliveryStatus,
  DigestSettings,
  EventOutcome,
  ThrottleSettings,
} from "@belfry/contracts/delivery";
import type { DeviceKind } from "@belfry/contracts/devices";
import type { Envelope } from "@belfry/contracts/envelope";
import type { IgnoredColumn } from "@belfry/contracts/imports";
import type { PushAction } from "@belfry/contracts/notification";
import type { PreferenceChannel } from "@belfry/contracts/preferences";
import type { OutboxAttachment, OutcomeClass } from "@belfry/contracts/sending";
import type { WebhookMessageType, WebhookType } from "@belfry/contracts/webhook-payload";
import type { ColumnType, Generated, GeneratedAlways } from "kysely";

type CreatedAt = ColumnType<Date, Date | undefined, never>;
/** Written as JSON text. */
type Json<T> = ColumnType<T, string | Extract<T, null>, string | Extract<T, null>>;

export interface Schema {
  activity_buckets: {
    tenant_id: string;
    starts_at: Date;
    /** ALL: the events themselves */
    channel: string;
    accepted: Generated<number>;
    sent: Generated<number>;
    failed: Generated<number>;
    skipped: Generated<number>;
    pending: Generated<number>;
    /** from acceptance to the provider: how many up to each bound of activity-buckets.ts */
    latencies: Generated<number[]>;
  };

  activity_sums: {
    /** 'platform': all tenants together */
    tenant_id: string;
    bar_seconds: number;
    starts_at: Date;
    grouped_by: string;
    /** of the group: see GROUPINGS in activity-sums.ts; '*': all smaller ones */
    name: string;
    accepted: Generated<number>;
    /** taken by the provider and not come back; delivered and read are among them */
    sent: Generated<number>;
    delivered: Generated<number>;
    failed: Generated<number>;
    skipped: Generated<number>;
    waiting: Generated<number>;
    read: Generated<number>;
    /** seconds to the provider: how many up to each bound of activity-sums.ts */
    latencies: Generated<number[]>;
  };

  alert_chats: {
    /** the tenant whose providers reach the address, a blank, and the address */
    reader: string;
    tenant_id: string;
    kind: string;
    sent_at: Date;
    ended_at: Date | null;
    event_id: string | null;
    sender_id: Generated<string>;
  };

  alert_choices: {
    person_id: string;
    /** null: of all tenants, as an operator */
    tenant_id: string | null;
    kinds: string[];
    /** the chat address that is told as well; null: none */
    chat: string | null;
  };

  alert_mails: {
    person_id: string;
    tenant_id: string;
    kind: string;
    sent_at: Date;
    /** when the person was told that the trouble has ended; null: it goes on, or an email about its end is due */
    ended_at: Date | null;
    /** the event that told it; null: one of an earlier version */
    event_id: string | null;
  };

  alerts: {
    tenant_id: string;
    kind: string;
    /** id of the provider or endpoint; empty: the tenant itself */
    subject: string;
    began_at: Date;
  };

  api_keys: {
    id: string;
    tenant_id: string;
    sha256: Buffer;
    prefix: string;
    /** what its owner calls it */
    name: string | null;
    /** the calls for which it is taken */
    role: Generated<"all" | "trigger" | "read" | "manage" | "provision">;
    created_at: CreatedAt;
    expires_at: Date | null;
    last_used_at: Date | null;
  };

  applied_functions: {
    file: string;
    hash: string;
    version: string;
  };

  attachment_chunks: {
    attachment_id: string;
    /** from 0; each but the last has 256 KiB */
    n: number;
    data: Buffer;
  };

  attachment_sums: {
    tenant_id: string;
    /** of all attachments of the tenant; of one that is being uploaded: at most */
    bytes: string;
  };

  attachments: {
    id: string;
    tenant_id: string;
    name: string;
    type: string;
    /** until it is complete: at most */
    bytes: number;
    /** of all its bytes; null: it is not complete */
    sha256: Buffer | null;
    /** all its rows of attachment_chunks are there */
    complete: Generated<boolean>;
    /** an event names it, and it is deleted with the last such event; else after 24 hours */
    named: Generated<boolean>;
    created_at: Date;
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

  audit_log: {
    id: string;
    at: Generated<Date>;
    person_id: string | null;
    person: string;
    address: string;
    tenant_id: string | null;
    action: string;
    target: string;
    /** secrets masked; null: there was nothing */
    before: Json<Record<string, unknown> | null>;
    after: Json<Record<string, unknown> | null>;
  };

  broadcast_chunks: {
    broadcast_id: string;
    number: number;
    event_ids: string[];
    counts: Json<Record<string, number>>;
    /** an event of it has not ended on every channel */
    is_open: Generated<boolean>;
    /** a cancel has looked at its events */
    is_cancelled: Generated<boolean>;
    /** when it is counted next; null: its counts are final */
    count_at: Date | null;
    created_at: Date;
  };

  broadcast_people: {
    broadcast_id: string;
    user_id: string;
    is_excepted: boolean;
  };

  broadcasts: {
    id: string;
    tenant_id: string;
    state: Generated<"scheduled" | "running" | "paused" | "cancelling" | "cancelled" | "done">;
    /** why it is paused; null: it is not, or a person paused it */
    reason: string | null;
    event_type: string;
    /** whose members it is for; null: for the people in broadcast_people */
    topics: string[] | null;
    /** requested channels: the sum of their bits in channels.ts; null: all */
    channels: number | null;
    locale: string | null;
    /** through which alone provider_channel goes, also when it is gone; null: as the tenant's others */
    provider_id: string | null;
    provider_channel: string | null;
    /** JSON, of all its events: they hold a reference, see broadcast-variables.ts */
    variables: string | null;
    trace_id: string;
    idempotency_key: string | null;
    send_at: Date | null;
    /** when it is looked at next; null: only a person moves it on */
    next_at: Date | null;
    /** the last user id that it has passed, in the order of "C" */
    reached: Generated<string>;
    /** it has passed everybody */
    is_expanded: Generated<boolean>;
    /** people, as counted when it was made; exact once it is expanded */
    total: number;
    /** its events */
    expanded: Generated<number>;
    chunks: Generated<number>;
    /** sums of the counts of its chunks */
    counts: Json<Record<string, number>>;
    /** since then nothing of it is expanded, dispatched or claimed */
    cancel_asked_at: Date | null;
    created_at: CreatedAt;
    started_at: Date | null;
    /** when webhooks were last told of its progress, or it was made */
    told_at: Generated<Date>;
    ended_at: Date | null;
    /** SHA-256 of what was asked: another request with the same key is refused; null: stored before this column existed */
    request: Buffer | null;
  };

  bundle_applies: {
    id: string;
    tenant_id: string;
    kind: "bundle" | "promotion";
    state: Generated<"waiting" | "running" | "done" | "failed">;
    person_id: string | null;
    person: string;
    address: string;
    may_share_sensitive: boolean;
    dry_run: boolean;
    /** the plan that the caller named: another one is refused; null: none was named */
    wanted_plan: string | null;
    /** JSON: the texts by path; null: of a promotion, or it has ended */
    files: string | null;
    /** JSON: the answer to the call; at the end also what was applied, or why not */
    plan: string;
    /** templates to compile */
    total: number;
    compiled: Generated<number>;
    /** the process that claimed it last; only that one may end it */
    worker: string | null;
    tries: Generated<number>;
    /** when it may be claimed; while somebody works on it: when the claim runs out unless it is renewed */
    due_at: Generated<Date>;
    requested_at: Generated<Date>;
    started_at: Date | null;
    ended_at: Date | null;
  };

  categories: {
    tenant_id: string;
    key: string;
    label: Json<Record<string, string>>;
    description: Json<Record<string, string>>;
    /** sent whatever a user has turned off */
    required: Generated<boolean>;
    /** false: sent only to users who have turned it on */
    default_on: Generated<boolean>;
    position: Generated<number>;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
  };

  configuration_version: {
    only_row: Generated<boolean>;
    version: Generated<string>;
    /** of tenants without days of their own: EVENT_RETENTION_DAYS of the dispatcher that started last */
    event_retention_days: Generated<number>;
    /** the same of NOTIFICATION_RETENTION_DAYS */
    notification_retention_days: Generated<number>;
    /** whose provider sends Belfry's own mail; null: none is sent */
    mail_tenant_id: string | null;
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

  dedup_keys: {
    tenant_id: string;
    /** SHA-256; its last bit says whether the tenant named it (1) or it was made from the event (0) */
    key: Buffer;
    event_id: string;
    event_type: string;
    tenant_name: string;
    accepted_at: Date;
  };

  deliveries: {
    id: string;
    /** of a digest: the id in digests; of a status webhook: the id in webhook_messages. No event has these */
    event_id: string;
    tenant_id: string;
    /** no check: every update would run it; dispatching writes what templates hold */
    channel: SentChannel;
    status: Generated<DeliveryStatus>;
    reason: string | null;
    /** the address of the channel that its event had, or its user then */
    recipient: string | null;
    /** null: of a status webhook */
    template_version_id: string | null;
    provider_id: string | null;
    /** rows in attempts */
    attempts: Generated<number>;
    /** place in the retry schedule: throttled attempts do not count */
    retries: Generated<number>;
    /** when it may be released; null once settled */
    due_at: Date | null;
    /** on its way to a sender since; null while it rests */
    released_at: Date | null;
    claimed_until: Date | null;
    expires_at: Date | null;
    message_id: string | null;
    missing: string[] | null;
    created_at: CreatedAt;
    settled_at: Date | null;
    /** true: skipped once its notification is read; null: sent anyway */
    unless_read: boolean | null;
    /** of a status webhook at rest: the endpoint whose pause it waits out, in place of due_at; null: it rests until due_at */
    held_for: string | null;
    /** a cancel came during a try: it is not tried again; of a digest: so its items say (digest_items) */
    cancel_asked_at: Date | null;
    /** what its message lacks besides variables, in words: links that lead nowhere */
    warnings: string[] | null;
    /** that of its event: it leaves after the tenant's others */
    broadcast_id: string | null;
  };

  device_sends: {
    delivery_id: string;
    device_id: string;
    kind: string;
    provider_id: string | null;
    state: Generated<
      "waiting" | "sending" | "accepted" | "failed" | "gone" | "skipped" | "unknown"
    >;
    reason: string | null;
    vendor_status: string | null;
    tried_at: Date | null;
  };

  devices: {
    id: string;
    tenant_id: string;
    user_id: string;
    /** chosen by the tenant, unique among the devices of a user */
    device_id: string;
    kind: DeviceKind;
    /** compact JWE of the target as JSON, owner device:<tenant>:<id> */
    token: string;
    /** SHA-256 of the endpoint or token, base64url */
    token_hash: string;
    name: string | null;
    /** when it was last registered */
    registered_at: Generated<Date>;
    /** when it last accepted a message, to the day; null: never */
    seen_at: Date | null;
    /** when it is deleted unless its browser registers it again; null: never */
    ends_at: Date | null;
  };

  digest_items: {
    digest_id: string;
    event_id: string;
    added_at: Date;
    /** alone: the leading one, sent by itself; read: in the inbox, before the digest left */
    state: Generated<"in" | "alone" | "read" | "cancelled">;
    /** a cancel came while the digest was being sent: the event is left out of any further try */
    cancel_asked_at: Date | null;
  };

  digests: {
    id: string;
    tenant_id: string;
    event_type: string;
    channel: ProviderChannel;
    user_id: string;
    recipient: string | null;
    /** of the template's variant: empty is the default one */
    locale: string;
    /** value of the variable that the template's digest names; empty: none */
    key: string;
    opened_at: Date;
    /** without quiet hours; moves with each event of a sliding one */
    window_ends_at: Date;
    /** nothing joins it any more */
    closed_at: Date | null;
    /** that have joined it, whatever has become of them since */
    events: Generated<number>;
  };

  erasures: {
    id: string;
    tenant_id: string;
    /** SHA-256 of tenant and user id, as the audit log names who was erased */
    user_hash: Buffer;
    user_id: string | null;
    state: Generated<"waiting" | "running" | "done">;
    requested_at: Generated<Date>;
    due_at: Generated<Date>;
    started_at: Date | null;
    /** what a process that died has begun is begun again after this */
    claimed_until: Date | null;
    ended_at: Date | null;
    /** rows, by table */
    deleted: Json<Record<string, number> | null>;
  };

  event_attachments: {
    event_id: string;
    position: number;
    attachment_id: string;
    /** by which the mail shows it inline; null: it is only attached */
    cid: string | null;
  };

  event_type_categories: {
    tenant_id: string;
    event_type: string;
    category: string;
  };

  events: {
    id: string;
    tenant_id: string;
    event_type: string;
    user_id: string;
    /** the eventId of the tenant: shown, not unique */
    reference: string | null;
    recipient_email: string | null;
    recipient_phone: string | null;
    /** requested channels: the sum of their bits in channels.ts; null: all */
    channels: number | null;
    variables: string | null;
    trace_id: string;
    accepted_at: Date;
    dispatched_at: Date | null;
    refused_at: Date | null;
    /** {"skipped": {CHANNEL: reason}, "failed": {CHANNEL: reason}, "missing": {CHANNEL: [name]}, "warnings": {CHANNEL: [words]}, "linksLeftOut": {CHANNEL: [words]}, "waits": {CHANNEL: reason}} */
    outcome: Json<EventOutcome | null>;
    /** of the trigger, canonical BCP 47; null: none was named */
    locale: string | null;
    /** when it was to be sent; null: at once */
    send_at: Date | null;
    /** when it left scheduled_events: its place in the order of its user */
    released_at: Date | null;
    /** of the tenant, not unique */
    cancel_key: string | null;
    /** a cancel has looked at it, whatever it could stop */
    cancel_asked_at: Date | null;
    /** nothing of it has reached anybody, and nothing will */
    cancelled_at: Date | null;
    /** W3C trace context (traceparent) that its spans belong to; null: not sampled */
    trace_parent: string | null;
    /** of its mail, as the trigger said: {"fromName", "replyTo", "cc": [address], "bcc": [address]}; null: nothing */
    envelope: Json<Envelope | null>;
    /** which has made it; null: a trigger */
    broadcast_id: string | null;
    recipient_chat: string | null;
  };

  expiry_cursors: {
    table_name: string;
    /** empty: every tenant without a row of its own */
    tenant_id: string;
    next_id: string;
    walked_at: Generated<Date>;
  };

  images: {
    id: string;
    tenant_id: string;
    name: string;
    type: string;
    bytes: number;
    width: number;
    height: number;
    /** of data: the same picture is stored once in a tenant */
    sha256: Buffer;
    data: Buffer;
    created_at: CreatedAt;
  };

  import_chunks: {
    import_id: string;
    number: number;
    /** JSON: [line, field, …] of each record, the fields that are read in the order of the file; [line, null, fault] of a bad one */
    records: string;
  };

  imports: {
    id: string;
    tenant_id: string;
    kind: "users" | "members";
    topic: string | null;
    state: Generated<"receiving" | "waiting" | "running" | "done" | "failed" | "cancelled">;
    person_id: string | null;
    person: string;
    address: string;
    /** parts of the file that have come: the next one must be this plus 1 */
    parts: Generated<number>;
    /** JSON: where the reader of the CSV is between two parts; null before the first, and once all have come */
    reader: string | null;
    /** of the file, in its order; empty text: not read; null: its first line has not come */
    columns: string[] | null;
    /** stored of the file so far, in chunks or already worked off */
    bytes: Generated<string>;
    lines: Generated<number>;
    processed: Generated<number>;
    added: Generated<number>;
    already_there: Generated<number>;
    left_out: Generated<number>;
    /** the first faults, each {line, field, message}, without any value of the file */
    faults: Json<{ line: number; field: string; message: string }[]>;
    tries: Generated<number>;
    requested_at: Generated<Date>;
    /** when it is to be worked on; while parts come: when it is given up */
    due_at: Generated<Date>;
    started_at: Date | null;
    ended_at: Date | null;
    /** columns of the file that are not read, each {column, suggestion}: the first ones */
    ignored_columns: Json<IgnoredColumn[]>;
  };

  inbound_messages: {
    id: string;
    tenant_id: string;
    provider_kind: string;
    vendor_id: string;
    sender: string | null;
    recipient: string | null;
    /** null: it was a keyword */
    text: string | null;
    received_at: Generated<Date>;
  };

  invitations: {
    id: string;
    sha256: Buffer;
    tenant_id: string | null;
    role: "operator" | "owner" | "editor" | "viewer";
    /** null: whoever holds the link of the first operator */
    email: string | null;
    invited_by: string | null;
    created_at: CreatedAt;
    expires_at: Date;
    accepted_at: Date | null;
    /** an operator or the command line made the link; false: a tenant's owner */
    by_operator: Generated<boolean>;
  };

  layouts: {
    tenant_id: string;
    version: number;
    /** MJML with {{ $content }}; null: the platform's */
    content: string | null;
    logo_url: string | null;
    primary_color: string | null;
    background_color: string | null;
    text_color: string | null;
    footer_text: string | null;
    address: string | null;
    created_by: string | null;
    created_at: CreatedAt;
    /** by language, in place of footer_text; null: none */
    footer_texts: Json<Record<string, string> | null>;
  };

  memberships: {
    person_id: string;
    tenant_id: string;
    role: "owner" | "editor" | "viewer";
    /** a group of the provider gave it, and takes it away; else a person did */
    by_oidc: Generated<boolean>;
    created_at: CreatedAt;
  };

  message_tries: {
    stream: string;
    sequence: string;
    begun: number;
    begun_at: Date;
  };

  notifications: {
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
    /** where it leads, judged when it was rendered: https or a path */
    url: string | null;
    /** JSON, at most two of {label, url}; null: none */
    actions: string | null;
    /** null: not archived; what is archived is read, and not snoozed */
    archived_at: Date | null;
    /** until then it is in no inbox and not counted; from then on it is listed by this time */
    snoozed_until: Date | null;
    /** when its user deleted it: its texts and links are gone; the row tells that it was there */
    deleted_at: Date | null;
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
    created_at: CreatedAt;
    /** of a mail that can be unsubscribed from: {name: value} */
    headers: Json<Record<string, string> | null>;
    /** of a mail: [{"name", "type", "bytes", "sha256", "cid"}]; null: none */
    attachments: Json<OutboxAttachment[] | null>;
  };

  password_resets: {
    sha256: Buffer;
    person_id: string;
    /** null: the command line */
    made_by: string | null;
    /** whoever made it may do so as an owner of this tenant; null: as an operator */
    by_owner_of: string | null;
    created_at: Generated<Date>;
    expires_at: Date;
  };

  people: {
    id: string;
    email: string;
    name: string;
    /** scrypt, with its costs and salt; null: signs in by OpenID Connect alone */
    password: string | null;
    operator: Generated<boolean>;
    /** grows with each change of what signing in asks for: one begun before leads nowhere */
    sign_in_epoch: Generated<number>;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
    /** an operator, the command line or the provider of OpenID Connect gave the person the way in; false: a tenant's owner may have, and knows it */
    sign_in_trusted: Generated<boolean>;
    /** of the Admin UI; null: as the browser asks */
    language: string | null;
  };

  person_identities: {
    issuer: string;
    subject: string;
    person_id: string;
    /** the person connected it, signed in; else its address led to the person */
    by_hand: boolean;
    /** as the provider last said it: to be shown, it decides nothing */
    email: string | null;
    created_at: CreatedAt;
    last_used_at: Generated<Date>;
  };

  person_totp: {
    person_id: string;
    /** compact JWE */
    secret: string;
    session_id: string | null;
    created_at: CreatedAt;
    confirmed_at: Date | null;
    /** of 30 s since 1970: a code of it, or of one before, was used already */
    last_step: Generated<number>;
  };

  platform_keys: {
    id: string;
    sha256: Buffer;
    prefix: string;
    name: string;
    created_at: CreatedAt;
    last_used_at: Date | null;
  };

  preferences: {
    tenant_id: string;
    user_id: string;
    /** a key of categories, of one that is gone too; *: of all, and of event types without one */
    category: string;
    /** *: all */
    channel: PreferenceChannel;
    enabled: boolean;
    source: "api" | "preference page" | "unsubscribe link" | "inbox" | "import" | "by hand";
    at: Generated<Date>;
  };

  provider_broadcasts: {
    provider_id: string;
    /** the broadcast of which a delivery left last: the next one has its turn */
    turn_of: string | null;
    /** deliveries of broadcasts that left and had not ended at the last look */
    outstanding: Generated<string[]>;
    /** calls a second that ended a delivery: each counts less the older it is */
    taken: Generated<number>;
    looked_at: Date;
    /** when a look last found a delivery that a call had ended */
    taken_at: Date | null;
  };

  provider_circuits: {
    provider_id: string;
    class: OutcomeClass;
    reason: string;
    /** openings in a row: each doubles the wait */
    failures: number;
    opened_at: Date;
    open_until: Date;
    probe_until: Date | null;
  };

  provider_sends: {
    provider_id: string;
    next_at: Date;
  };

  providers: {
    id: string;
    tenant_id: string;
    channel: ProviderChannel;
    kind: string;
    name: string;
    position: Generated<number>;
    active: Generated<boolean>;
    /** compact JWE of the JSON settings */
    settings: string;
    masked_settings: Json<Record<string, unknown>>;
    max_per_second: number | null;
    /** when the vendor last accepted a test message with these settings; null: never */
    tested_at: Date | null;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
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
    /** realtime_slot: the first two bytes of a hash of tenant and user */
    slot: Buffer;
    resets: string;
  };

  reason_words: {
    code: string;
    words: string;
  };

  receipts: {
    tenant_id: string;
    provider_kind: string;
    /** the id by which the same event is known when it comes again */
    vendor_event: string;
    delivery_id: string;
    kind: "deferred" | "accepted" | "delivered" | "bounced" | "complained" | "opted out";
    reason: string | null;
    vendor_status: string | null;
    /** by the clock of the provider */
    occurred_at: Date | null;
    received_at: Generated<Date>;
    /** of whom the vendor tells, where it is not the recipient: somebody in cc or bcc */
    address: string | null;
  };

  recipients: {
    tenant_id: string;
    user_id: string;
    email: string | null;
    phone: string | null;
    /** canonical BCP 47 */
    locale: string | null;
    /** an IANA name; null: the zone of the tenant */
    timezone: string | null;
    /** null: the quiet hours of the tenant */
    quiet_from: string | null;
    quiet_to: string | null;
    /** false: the tenant does not name it, the user has only said something */
    named: Generated<boolean>;
    /** in which something is off in preferences, * among them; kept by functions/off-categories.sql */
    off_categories: Generated<string[]>;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
    /** a JSON object that templates read as user; null: none */
    attributes: string | null;
    chat: string | null;
  };

  reconciliations: {
    hour: Date;
    what: "events" | "deliveries";
    count: string;
  };

  recovery_codes: {
    person_id: string;
    sha256: Buffer;
  };

  repeated_calls: {
    /** a tenant's id, or that of a platform key */
    caller: string;
    key: string;
    /** SHA-256 of method, address and body */
    request: Buffer;
    /** encrypted; null: the call is under way, or its process ended without an answer */
    answer: string | null;
    created_at: CreatedAt;
  };

  scheduled_events: {
    event_id: string;
    tenant_id: string;
    send_at: Date;
    user_key: string | null;
    trace_id: string;
    /** as in undispatched_events, which it goes into */
    acknowledged: Generated<boolean>;
  };

  search_key: {
    id: string;
    /** compact JWE of 32 bytes in base64 */
    secret: string;
    created_at: CreatedAt;
  };

  search_steps: {
    table_name: string;
    after_id: string;
    until_id: string;
    /** of the ids between, a hash that is another when a row is added */
    seen: string;
    looks: Generated<number>;
    look_at: Date;
  };

  search_terms: {
    /** keyed: 8 bytes of the value, 8 of it and the tenant; see search-term-hash.ts */
    hash: string;
    event_id: string;
  };

  search_users: {
    tenant_id: string;
    user_id: string;
    /** of the user's id, in search_terms */
    hash: string;
  };

  search_waiting: {
    delivery_id: string;
    look_at: Date;
  };

  search_walks: {
    table_name: "events" | "deliveries";
    /** up to it, every row is in search_terms */
    next_id: string;
  };

  sensitive_events: {
    event_id: string;
  };

  sessions: {
    id: string;
    person_id: string;
    sha256: Buffer;
    address: string;
    user_agent: string;
    created_at: CreatedAt;
    last_seen_at: Generated<Date>;
    expires_at: Date;
  };

  shown_once: {
    id: string;
    session_id: string;
    /** encrypted JSON, for minutes: it ends before keys are retired */
    content: string;
    expires_at: Date;
  };

  sign_in_tries: {
    /** SHA-256 of what is counted: no address and no account stands here */
    key: Buffer;
    count: number;
    ends_at: Date;
  };

  suppressions: {
    tenant_id: string;
    channel: AddressChannel;
    /** as the events name it, its ASCII letters in lower case; or E.164 */
    address: string;
    reason: "bounced" | "complained" | "opted out" | "by hand";
    /** whose receipt it was, or who added it */
    source: string | null;
    created_at: CreatedAt;
  };

  template_drafts: {
    template_id: string;
    locale: Generated<string>;
    content: string;
    subject: string | null;
    title: string | null;
    format: "markdown" | "mjml" | "html" | "text" | null;
    url: string | null;
    actions: Json<PushAction[] | null>;
    /** what publishing it sets on the template */
    settings: Json<Record<string, unknown>>;
    /** of the variant, where it began; 0: none was published */
    based_on_version: number;
    /** of a translation: the version of the default variant that it is made from */
    source_version: number | null;
    /** another with each save, and of no other draft */
    revision: GeneratedAlways<number>;
    saved_by: string | null;
    saved_at: Generated<Date>;
  };

  template_variants: {
    template_id: string;
    /** BCP 47, canonical; empty: the default variant */
    locale: Generated<string>;
    current_version_id: string;
    /** of a translation: the version of the default variant that it was made from */
    source_version: number | null;
  };

  template_versions: {
    id: GeneratedAlways<string>;
    template_id: string;
    version: number;
    /** empty: the default variant */
    locale: Generated<string>;
    content: string;
    subject: string | null;
    title: string | null;
    /** null: found out from the text */
    format: "markdown" | "mjml" | "html" | "text" | null;
    url: string | null;
    /** [{"label": text, "url": text}] of a push; null: none */
    actions: Json<PushAction[] | null>;
    compiled: Json<unknown>;
    created_at: CreatedAt;
    created_by: string | null;
  };

  templates: {
    id: string;
    tenant_id: string;
    event_type: string;
    channel: Channel;
    active: Generated<boolean>;
    target_channel: string | null;
    sensitive: Generated<boolean>;
    /** what was accepted by then stays hidden: it was sensitive; null: it never was, or still is */
    sensitive_until: Date | null;
    at_most_once: Generated<boolean>;
    expires_after_seconds: number | null;
    /** JSON text, for previews */
    sample_variables: string | null;
    /** without one of them nothing is sent on the channel; null: none */
    required_variables: string[] | null;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
    /** {"windowSeconds": n} or {"at": "HH:MM", "days": [1..7]}, with key, sliding, maxSeconds, leading; null: each event is sent by itself */
    digest: Json<DigestSettings | null>;
    /** {"count": n, "seconds": n}: so many a user in any such time; null: no bound */
    throttle: Json<ThrottleSettings | null>;
    /** sent after that time, unless it was read in the inbox; null: at once */
    after_unread_seconds: number | null;
    /** of short messages: curly quotes, dashes and the like are sent as the plain characters of GSM-7 */
    plain_characters: Generated<boolean>;
    /** like reply_to, cc and bcc: what its mails say, unless the trigger does; in the template language */
    from_name: string | null;
    /** in the template language */
    reply_to: string | null;
    cc: string[] | null;
    bcc: string[] | null;
    /** of a device push, like data and collapse_key: in the template language */
    image: string | null;
    data: Json<Record<string, string> | null>;
    collapse_key: string | null;
    /** a published text or a setting reads user, or has read it */
    reads_user: Generated<boolean>;
  };

  tenant_deletions: {
    tenant_id: string;
    name: string;
    person_id: string | null;
    /** who asked for it, as the audit log is to name it; address: from where */
    person: string;
    address: string;
    requested_at: Generated<Date>;
    /** when it is begun, or begun again where its process has died */
    due_at: Generated<Date>;
    started_at: Date | null;
    ended_at: Date | null;
    /** rows so far, by kind */
    deleted: Json<Record<string, number>>;
  };

  tenant_limits: {
    tenant_id: string;
    /** admitted requests of the last 61 seconds; second s is at s % 61 + 1 */
    ring: Generated<number[]>;
    ring_second: Generated<string>;
    ring_total: Generated<number>;
    day: Generated<string>;
    day_total: Generated<number>;
  };

  tenants: {
    id: string;
    name: string;
    active: Generated<boolean>;
    per_minute: number;
    daily_cap: number | null;
    delivery_channels: Generated<Channel[]>;
    dedup_includes_variables: Generated<boolean>;
    /** compact JWE */
    webhook_secret: string | null;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
    /** null: that of configuration_version */
    event_retention_days: number | null;
    /** null: that of configuration_version */
    notification_retention_days: number | null;
    /** compact JWE; taken until its time: machines change one by one */
    previous_webhook_secret: string | null;
    previous_webhook_secret_until: Date | null;
    /** of the templates' default variants: how they write dates, numbers and money */
    default_locale: Generated<string>;
    /** IANA name; null: UTC */
    timezone: string | null;
    /** of users without quiet hours of their own; null: none */
    quiet_from: string | null;
    quiet_to: string | null;
    /** set with the first row of recipients, never unset: without it nobody looks there */
    uses_recipients: Generated<boolean>;
    /** the same of categories and preferences */
    uses_preferences: Generated<boolean>;
    /** the same of webhooks */
    uses_webhooks: Generated<boolean>;
    /** to within a second; null: never. By it a claim knows that a young event may have been turned off since its dispatch */
    preferences_changed_at: Date | null;
    /** schemes that links of its mails may have besides those of everybody */
    link_schemes: Generated<string[]>;
    /** what the tenants that are environments of one product have in common */
    family: string | null;
    /** which of the family it is, as staging */
    environment: string | null;
    /** the tenant whose templates are promoted into it */
    promotes_from: string | null;
    /** what a bundle holds is changed by a promotion or a bundle alone */
    locked: Generated<boolean>;
    /** programs may be uploaded as attachments */
    allow_executables: Generated<boolean>;
    /** what its attachments may take together, in MiB */
    max_attachment_mib: Generated<number>;
    /** a user has, or had, a device */
    uses_devices: Generated<boolean>;
    /** whether browsers may register themselves, with a realtime token */
    browser_devices: Generated<boolean>;
  };

  throttles: {
    tenant_id: string;
    user_id: string;
    event_type: string;
    channel: ProviderChannel;
    times: Date[];
    /** nothing of it counts any more */
    ends_at: Date;
  };

  topic_members: {
    tenant_id: string;
    topic: string;
    user_id: string;
  };

  topics: {
    tenant_id: string;
    key: string;
    members: Generated<string>;
    created_at: CreatedAt;
    /** the topic is gone for everybody; the dispatcher deletes its members, then this row */
    deleted_at: Date | null;
  };

  undispatched_events: {
    event_id: string;
    published_at: Date;
    /** a replay published it again and was answered 200: it can no longer be refused */
    acknowledged: Generated<boolean>;
    /** user_key(tenant, user); null: takes no part in the order */
    user_key: string | null;
    accepted_at: Date | null;
  };

  unlinked_attachments: {
    tenant_id: string;
    attachment_id: string;
  };

  webhook_messages: {
    /** the webhook-id, unless resend_of is */
    id: string;
    webhook_id: string;
    tenant_id: string;
    type: WebhookMessageType;
    /** of an event or a digest that it tells of, and may outlive; null: of none */
    event_id: string | null;
    /** whom it tells of: an erasure finds it by this; null: nobody, a person tests the endpoint */
    user_id: string | null;
    /** the JSON that is posted: ids, no content and no address */
    payload: string;
    /** the message that a person has sent again with this one */
    resend_of: string | null;
    created_at: CreatedAt;
  };

  webhooks: {
    id: string;
    tenant_id: string;
    url: string;
    /** empty: all */
    types: Generated<WebhookType[]>;
    description: string | null;
    /** compact JWE of whsec_… */
    secret: string;
    /** compact JWE of the one before; signs beside the new one until its time */
    previous_secret: string | null;
    previous_secret_until: Date | null;
    active: Generated<boolean>;
    disabled_at: Date | null;
    /** null, with a time: a person did it */
    disabled_reason: string | null;
    /** nothing has reached it since; null: the last try did */
    failing_since: Date | null;
    /** in a row, without those of calls that had begun before a pause */
    failures: Generated<number>;
    /** not called until then, and then once; null: called */
    paused_until: Date | null;
    /** this once is under way: the pause goes on for the length of a lease */
    probing: Generated<boolean>;
    created_at: CreatedAt;
    updated_at: Generated<Date>;
  };
}
