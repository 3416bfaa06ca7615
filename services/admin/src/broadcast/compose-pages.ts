import { randomUUID } from "node:crypto";
import { createBroadcast, startTime } from "@belfry/administration/broadcasts/create-broadcast";
import {
  type BroadcastEstimate,
  estimateBroadcast,
} from "@belfry/administration/broadcasts/estimate-broadcast";
import { InvalidInput, invalid } from "@belfry/administration/input-error";
import { listProviders } from "@belfry/administration/providers/providers";
import { writtenTexts } from "@belfry/administration/templates/template-input";
import {
  readTemplate,
  readTemplates,
  type Template,
  type TemplateSummary,
} from "@belfry/administration/templates/templates";
import { listTopics } from "@belfry/administration/users/topics";
import {
  CHANNEL_ROWS,
  type Channel,
  isAddressChannel,
  isChannel,
} from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { bestLocale, canonicalLocale } from "@belfry/contracts/locale";
import { faultsOf } from "@belfry/contracts/problems";
import { TOPIC_KEY } from "@belfry/contracts/topics";
import type { Database } from "@belfry/database/connection";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { templateVariables } from "@belfry/templates/language/template-variables";
import { sql } from "kysely";
import { type Answer, type Faults, json, orFaults, page, redirect } from "../page/answer.ts";
import { fieldMoment, readMoment } from "../page/form-fields.ts";
import { say, type Words } from "../page/language.ts";
import { languageName } from "../page/locale-names.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { CHANNEL_NAMES } from "../page/words.ts";
import {
  previewOf,
  type SentTest,
  sendTest,
  testResult,
} from "../template/template-preview-pages.ts";
import {
  previewInputOf,
  type TemplateValues,
  valuesOfTemplate,
} from "../template/template-values.ts";
import { audienceOf, MISS_WORDS } from "./broadcast-words.ts";

/** The number of topics that the form offers at first. A search finds the others. */
const MOST_TOPICS = 50;
const MOST_FOUND = 20;
/** The variable that holds the attributes of the user. */
const USER = "user";

/** A broadcast's form: texts as they were typed. */
interface Values {
  eventType: string;
  /** Keys of the ticked topics. */
  topics: string[];
  /** Keys of other topics, separated by commas. */
  moreTopics: string;
  /** Ids of users, one on a line. */
  userIds: string;
  exceptUserIds: string;
  /** A JSON object as text. */
  sampleVariables: string;
  channels: Channel[];
  /** Empty if the broadcast is sent at once. */
  sendAt: string;
  /** Empty if each user gets their own language. */
  locale: string;
  /** Id of a provider account; empty if the usual ones are used. */
  provider: string;
}

/** A template with its text in the wanted language; `locale` is empty if that is the default variant. */
interface TextInLanguage extends Template {
  locale: string;
}

/** The data of the page that checks a broadcast. */
interface Checked {
  estimate: BroadcastEstimate;
  /** The test message that was just sent. */
  test?: { channel: Channel; to: string; sent: SentTest };
}

/**
 * Registers the pages for a new broadcast. A person chooses the event type, fills in the form, and checks what the
 * broadcast would do. Only then it can be sent.
 */
export function composePages({ route, db, once }: PageDeps): void {
  const showForm = async (
    { tenant, run }: InTenant,
    values: Values,
    faults: Faults = {},
  ): Promise<Answer> => {
    const templates = await textsOf(db, tenant.id, values.eventType, "");
    const { items: topics, next } = await run(listTopics, { limit: MOST_TOPICS });
    const moment = readMoment(values.sendAt);
    return page("broadcast-new", say`New broadcast`, {
      values: { ...values, sendAt: moment ? fieldMoment(moment) : values.sendAt },
      faults,
      topics,
      moreTopics: next !== undefined,
      channels: templates.map(({ channel }) => channel),
      locales: localesOf(templates),
      providers: (await run(listProviders, {}))
        .filter(({ active, channel }) => active && isAddressChannel(channel))
        .map(({ id, name, channel }) => [id, say`${name} (${CHANNEL_NAMES[channel] ?? channel})`]),
      // A variable `user` of the broadcast would replace everybody's own attributes.
      variables: templateVariables(templates.flatMap(textsOfTemplate)).filter(
        ({ name }) => name !== USER,
      ),
    });
  };

  const showCheck = async ({ tenant }: InTenant, values: Values, { estimate, test }: Checked) => {
    const { topics } = audienceIn(values);
    const previews = [];
    const wanted = estimate.channels.map(({ channel }) => channel);
    for (const template of await textsOf(db, tenant.id, values.eventType, values.locale)) {
      if (!wanted.includes(template.channel)) continue;
      const shown = await previewOf(db, tenant.id, previewValues(template, values));
      const { missing = [] } = ("preview" in shown ? shown.preview : {}) as { missing?: string[] };
      const lacking = template.requiredVariables.filter(
        (name) => missing.includes(name) && !name.startsWith(`${USER}.`),
      );
      previews.push({ channel: template.channel, lacking, ...shown });
    }
    return page("broadcast-check", say`Check and send`, {
      values,
      estimate,
      previews,
      missWords: MISS_WORDS,
      key: randomUUID(),
      audience: audienceOf({ topics: topics ?? null }),
      fields: fieldsOf(values),
      test: test && { ...test, ...testResult(test.sent) },
      language: values.locale === "" ? undefined : languageName(values.locale),
    });
  };

  /**
   * Sends the message of one channel as a test: an email to the signed-in person, others to the recipient in the form.
   */
  const sendOwnTest = async ({ tenant, form, run, person }: InTenant, values: Values) => {
    const templates = await textsOf(db, tenant.id, values.eventType, values.locale);
    const template = templates.find(({ channel }) => channel === form.get("test"));
    if (template === undefined) return undefined;
    const { channel } = template;
    const to = CHANNEL_ROWS[channel].content === "email" ? person.email : (form.get("to") ?? "");
    return { channel, to, sent: await sendTest(run, previewValues(template, values), to) };
  };

  route("GET /tenants/:tenantId/broadcasts/new", async (context) => {
    const { tenant, query } = context;
    const { typed, checked } = await once.take(context);
    if (typeof typed === "string") {
      const values = valuesOf(new URLSearchParams(typed));
      return checked === undefined
        ? await showForm(context, values)
        : await showCheck(context, values, checked as Checked);
    }
    const types = await sendableTypes(db, tenant.id);
    const eventType = query.get("eventType") ?? "";
    const templates = types.get(eventType);
    if (templates === undefined) {
      return page("broadcast-types", say`New broadcast`, { types: [...types] });
    }
    const values = valuesOf(new URLSearchParams({ eventType }));
    return await showForm(context, { ...values, sampleVariables: await samplesOf(db, templates) });
  });

  route("GET /tenants/:tenantId/broadcasts/topics", async ({ tenant, query }) =>
    json({ topics: await findTopics(db, tenant.id, query.get("search") ?? "") }),
  );

  route("POST /tenants/:tenantId/broadcasts/preview", async ({ tenant, form }) => {
    const values = valuesOf(form);
    const templates = await textsOf(db, tenant.id, values.eventType, values.locale);
    const shown = form.get("previewOf");
    const template = templates.find(({ channel }) => channel === shown) ?? templates[0];
    if (template === undefined) return json({ ok: false, faults: [] }, 404);
    return json(await previewOf(db, tenant.id, previewValues(template, values)));
  });

  route("POST /tenants/:tenantId/broadcasts/check", async (context) => {
    const { tenant, form, run, person, base } = context;
    const values = valuesOf(form);
    const typed = new URLSearchParams(fieldsOf(values)).toString();
    const place = `${base}/broadcasts/new`;
    if (form.has("change")) return await once.show(person, place, { typed });
    return await orFaults(
      async () => {
        const { eventType, channels, ...input } = inputOf(values);
        const faults = faultsOf(createBroadcast.input, { ...input, eventType }, "input", "");
        if (faults.length > 0) throw new InvalidInput(faults);
        await startTime(db, tenant.id, input.sendAt);
        const audience = audienceIn(values);
        const estimate = await run(estimateBroadcast, { ...audience, eventType, channels });
        const test = form.has("test") ? await sendOwnTest(context, values) : undefined;
        const at = test === undefined ? place : `${place}#${test.channel}`;
        return await once.show(person, at, { typed, checked: { estimate, test } });
      },
      (faults) => showForm(context, values, besideFields(faults, values)),
    );
  });

  route("POST /tenants/:tenantId/broadcasts", async (context) => {
    const { form, run, base } = context;
    const values = valuesOf(form);
    return await orFaults(
      async () => {
        // The confirmed page contains the key, so a form that is submitted twice creates one broadcast.
        const idempotencyKey = form.get("key") || undefined;
        const { id } = await run(createBroadcast, { ...inputOf(values), idempotencyKey });
        return redirect(`${base}/broadcasts/${id}`, "broadcast-made");
      },
      (faults) => showForm(context, values, besideFields(faults, values)),
    );
  });
}

function valuesOf(form: URLSearchParams): Values {
  const text = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  return {
    eventType: text("eventType").trim(),
    topics: form.getAll("topics"),
    moreTopics: text("moreTopics"),
    userIds: text("userIds"),
    exceptUserIds: text("exceptUserIds"),
    sampleVariables: text("sampleVariables"),
    channels: form.getAll("channels").filter(isChannel),
    sendAt: text("sendAt").trim(),
    locale: text("locale").trim(),
    provider: text("provider").trim(),
  };
}

/** Returns the values as hidden fields of another form. */
function fieldsOf(values: Values): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
}

const parts = (text: string, separator: RegExp) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Returns the audience without its empty fields, so that the act reports what is missing. */
function audienceIn({ topics, moreTopics, userIds, exceptUserIds }: Values) {
  const keys = [...new Set([...topics, ...parts(moreTopics, /[\n,;]/)])];
  const users = parts(userIds, /\n/);
  const excepted = parts(exceptUserIds, /\n/);
  return {
    ...(keys.length > 0 && { topics: keys }),
    ...(users.length > 0 && { userIds: users }),
    ...(excepted.length > 0 && { exceptUserIds: excepted }),
  };
}

/** Returns the input of the act. Throws `InvalidInput` if variables or time cannot be read. */
function inputOf(values: Values) {
  const { eventType, sampleVariables, channels, sendAt, locale, provider } = values;
  const variables = parseVariables(sampleVariables.trim() === "" ? "{}" : sampleVariables);
  if (variables === undefined) throw invalid("variables", "must be a JSON object");
  const moment = readMoment(sendAt);
  if (sendAt !== "" && moment === undefined) throw invalid("sendAt", "must be a date and time");
  return {
    ...audienceIn(values),
    eventType,
    variables,
    channels,
    ...(moment && { sendAt: moment.toISOString() }),
    ...(locale !== "" && { locale }),
    ...(provider !== "" && { provider }),
  };
}

/** Shows faults of the whole input and of single topics at the field for topics. */
function besideFields(faults: Faults, values: Values): Faults {
  const { topics = [] } = audienceIn(values);
  const shown: Record<string, Words> = {};
  for (const [field, words] of Object.entries(faults)) {
    const [, name = field, place] = /^(\w+)\[(\d+)\]/.exec(field) ?? [];
    const key = name === "input" || name === "" ? "topics" : name;
    const of = name === "topics" ? topics[Number(place)] : undefined;
    shown[key] ??= of === undefined ? words : say`${of}: ${words}`;
  }
  return shown;
}

/**
 * Returns the active templates by event type. Types with a sensitive template are left out: they cannot be broadcast.
 */
async function sendableTypes(db: Database, tenantId: string) {
  const own = await readTemplates(db, tenantId);
  const builtIn = await readTemplates(db, PLATFORM);
  const types = new Map<string, TemplateSummary[]>();
  for (const [eventType, templates] of Map.groupBy([...own, ...builtIn], (one) => one.eventType)) {
    const active = templates.filter((one) => one.active);
    if (active.length > 0 && !templates.some((one) => one.sensitive)) types.set(eventType, active);
  }
  return types;
}

/** Returns the published texts of the type's active templates in this language. */
async function textsOf(
  db: Database,
  tenantId: string,
  eventType: string,
  wanted: string,
): Promise<TextInLanguage[]> {
  const templates = (await sendableTypes(db, tenantId)).get(eventType) ?? [];
  const locale = canonicalLocale(wanted);
  return await Promise.all(
    templates.map(async ({ id, tenantId: owner, locales }) => {
      const published = new Set(locales.filter((one) => one.version > 0).map((one) => one.locale));
      const found = (locale && bestLocale(locale, published)) ?? "";
      return { ...(await readTemplate(db, { id, tenantId: owner }, found)), locale: found };
    }),
  );
}

function localesOf(templates: readonly Template[]): [string, string][] {
  const all = new Set(templates.flatMap(({ locales }) => locales.map(({ locale }) => locale)));
  return [...all].sort().map((locale) => [locale, languageName(locale)]);
}

function templateValues(template: TextInLanguage) {
  const texts = { locale: template.locale, text: template, draft: undefined, source: undefined };
  return valuesOfTemplate(template, texts);
}

function textsOfTemplate(template: TextInLanguage): string[] {
  return writtenTexts(previewInputOf(templateValues(template)));
}

/** Returns the values of a preview. It shows the template's sample of `user` in place of the attributes of a reader. */
function previewValues(template: TextInLanguage, values: Values): TemplateValues {
  const { [USER]: user } = parseVariables(template.sampleVariables ?? "{}") ?? {};
  const own = parseVariables(values.sampleVariables.trim() || "{}");
  const sampleVariables =
    own === undefined || user === undefined
      ? values.sampleVariables
      : JSON.stringify({ [USER]: user, ...own });
  // A broadcast's event never joins a digest.
  return { ...templateValues(template), sampleVariables, digestKind: "" };
}

/** Returns the sample values of all channels, with which the form begins. */
async function samplesOf(db: Database, templates: readonly TemplateSummary[]): Promise<string> {
  const samples = await Promise.all(
    templates.map(
      async ({ id, tenantId }) => (await readTemplate(db, { id, tenantId })).sampleVariables,
    ),
  );
  const all = Object.assign({}, ...samples.map((text) => parseVariables(text ?? "{}")));
  delete all[USER];
  return JSON.stringify(all, null, 2);
}

/** Returns the topics whose key begins with a text, in order of key. */
async function findTopics(db: Database, tenantId: string, typed: string) {
  const search = typed.trim();
  if (search !== "" && !TOPIC_KEY.test(search)) return [];
  const { rows } = await sql<{ key: string }>`
    select t.key from topics t
    where t.tenant_id = ${tenantId} and t.key >= ${search} and t.key <= ${`${search}~`} and t.deleted_at is null
    order by t.key limit ${MOST_FOUND}`.execute(db);
  return rows;
}
