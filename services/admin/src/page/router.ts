import {
  type Act,
  type Access as ActAccess,
  type ActServices,
  COMPILED_AT_ONCE,
  type Given,
  runAct,
} from "@belfry/administration/act";
import { type Actor, type AuditNote, audited } from "@belfry/administration/audited";
import { NotFound } from "@belfry/administration/input-error";
import { listMemberships } from "@belfry/administration/people/person-rows";
import type { SessionHolder } from "@belfry/administration/people/sessions";
import { type Lock, readLock, tenantById } from "@belfry/administration/tenants/tenant-rows";
import { PLATFORM, TENANT_ID } from "@belfry/contracts/identifiers";
import { MAX_IMAGE_BYTES } from "@belfry/contracts/images";
import { boundedForm, textFields } from "@belfry/contracts/parse-form";
import type { Database } from "@belfry/database/connection";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  ACCESS,
  type Access,
  isOfBundle,
  isOfPlatform,
  mayDo,
  type Role,
  type RouteKey,
} from "./access.ts";
import type { Answer } from "./answer.ts";
import { type Cookies, FORM_TOKEN, isFormToken, isFromOurPages } from "./cookies.ts";
import { MAX_FORM_FIELDS } from "./form-fields.ts";

/** The size limit of forms that guests may send: an address, a name, a password twice. */
const MAX_GUEST_BODY_BYTES = 16 * 1024;

/** The only form with a file. 64 KiB are for its other fields. */
const UPLOAD: RouteKey = "POST /tenants/:tenantId/images";
const MAX_UPLOAD_BYTES = MAX_IMAGE_BYTES + 64 * 1024;

/** A request, as handlers of pages for everybody get it. */
export interface Guest {
  person: SessionHolder | undefined;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  form: URLSearchParams;
  /** The client's IP address. */
  address: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface Signed extends Guest {
  person: SessionHolder;
  /** The person as the audit log names them. */
  actor: Actor;
  /** The function `audited` of administration, with this person as the actor. */
  audited<T>(
    change: (transaction: Database) => Promise<T>,
    note: (result: T) => AuditNote | undefined,
  ): Promise<T>;
  /**
   * Runs an act as this person: in the tenant of the page's path, or else on the platform. Throws what `runAct` throws.
   */
  run<I extends TObject, O extends TSchema>(
    act: Act<I, O>,
    input: Given<Static<I>>,
  ): Promise<Static<O>>;
}

/** The tenant of a page, for the navigation. */
export interface PlaceInTenant {
  /** The tenant, or `platform` for pages that the platform has, too. */
  tenant: Membership;
  /** The person's role; `viewer` if there is a `lock`. */
  role: Role;
  /** `/tenants/<id>`. */
  base: string;
  /** Set if the tenant is a locked environment and the page shows content of bundles. */
  lock?: Lock;
}

export interface InTenant extends Signed, PlaceInTenant {
  may(access: ActAccess): boolean;
}

type ContextOf<A extends Access, K extends string> = A extends "anyone"
  ? Guest
  : K extends `${string}/:tenantId${string}`
    ? InTenant
    : Signed;

export type Route = <K extends RouteKey>(
  key: K,
  handler: (context: ContextOf<(typeof ACCESS)[K], K>) => Promise<Answer>,
) => void;

interface RouterDeps {
  db: Database;
  services: ActServices;
  cookies: Cookies;
  write(answer: Answer, context: Guest, inTenant: PlaceInTenant | undefined): Promise<void>;
}

/** Returns a function that registers routes with the access in the table. */
export function createRoute(app: FastifyInstance, deps: RouterDeps): Route {
  const contexts = new WeakMap<FastifyRequest, Guest | Signed | InTenant>();
  return (key, handler) => {
    const access: Access = ACCESS[key];
    const judge = async (request: FastifyRequest, reply: FastifyReply) =>
      admitted(key, access, await guestOf(request, reply, deps), deps);
    const [method, url] = key.split(" ") as ["GET" | "POST", string];
    app.route({
      method,
      url,
      ...(access === "anyone" && { bodyLimit: MAX_GUEST_BODY_BYTES }),
      ...(key === UPLOAD && { bodyLimit: MAX_UPLOAD_BYTES }),
      // Runs before the body is read, so that we store no body of a client who may not send it.
      onRequest: async (request, reply) => {
        contexts.set(request, await judge(request, reply));
      },
      handler: async (request, reply) => {
        // Checked again after the body, because the session or the rights may have ended while it was sent.
        const known = method === "GET" ? contexts.get(request) : undefined;
        const context = known ?? (await judge(request, reply));
        if (method === "POST") requireOwnForm(context, deps);
        const answer = await handler(context as Parameters<typeof handler>[0]);
        // A form must redirect to the page with the result, so that a reload does not submit it again.
        if (method === "POST" && answer.kind === "page" && answer.status < 400) {
          throw new Error(`${key} answers what it has done with a page`);
        }
        const inTenant = "tenant" in context ? (context as InTenant) : undefined;
        await deps.write(answer, context, inTenant);
        return reply;
      },
    });
  };
}

async function guestOf(request: FastifyRequest, reply: FastifyReply, deps: RouterDeps) {
  return {
    person: await deps.cookies.holder(request),
    params: request.params as Record<string, string>,
    // The query begins at the first question mark. Later question marks belong to a value.
    query: boundedForm(/\?.*/s.exec(request.url)?.[0] ?? "", MAX_FORM_FIELDS),
    form: formOf(request),
    address: request.ip,
    request,
    reply,
  };
}

/** Returns the text fields of a form. */
function formOf({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof FormData) return new URLSearchParams(textFields(body));
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** Returns the context of the handler if the access allows the request. Throws `Refusal` or `NotFound`. */
async function admitted(key: RouteKey, access: Access, guest: Guest, deps: RouterDeps) {
  if (access === "anyone") return guest;
  const { person } = guest;
  if (person === undefined) throw new Refusal("sign-in");
  const actor = actorOf(person, guest.address);
  const runIn =
    (tenantId: string, may: (access: ActAccess) => boolean): Signed["run"] =>
    (act, input) =>
      runAct(
        act,
        {
          db: deps.db,
          tenantId,
          actor,
          services: deps.services,
          may,
          compileAtOnce: COMPILED_AT_ONCE,
        },
        input,
      );
  const signed: Signed = {
    ...guest,
    person,
    actor,
    audited: (change, note) => audited(deps.db, actor, change, note),
    run: runIn("", ({ scope }) => scope === "platform" && person.operator),
  };
  const { tenantId } = guest.params;
  if (tenantId === undefined) {
    if (access === "operator" && !person.operator) throw new Refusal("forbidden");
    return signed;
  }
  if (tenantId === PLATFORM && !isOfPlatform(key)) throw notThere();
  const found = await membershipOf(deps.db, person, tenantId);
  if (found === undefined) throw notThere();
  const place = { tenant: found.tenant, role: found.role, base: `/tenants/${tenantId}` };
  if (access !== "person" && !mayDo(found.role, access)) {
    throw new Refusal("forbidden", { ...place, needed: access });
  }
  guest.request.logFields = { tenantId };
  const may = ({ person: least }: ActAccess) => mayDo(found.role, least);
  const inTenant = { ...signed, ...place, may, run: runIn(tenantId, may) };
  const lock = isOfBundle(key) ? await readLock(deps.db, tenantId) : undefined;
  if (lock === undefined) return inTenant;
  if (access !== "viewer") throw new Refusal("forbidden", { ...place, needed: access, lock });
  return { ...inTenant, role: "viewer" as const, lock };
}

/** Returns a signed-in person as the actor of the audit log. */
export function actorOf({ personId, name, email }: SessionHolder, address: string) {
  return { personId, person: `${name} <${email}>`, email, address };
}

function requireOwnForm(guest: Guest, deps: RouterDeps): void {
  const { request, form, person } = guest;
  const given = form.get(FORM_TOKEN);
  const cookie = deps.cookies.secretOf(request, person !== undefined);
  if (!isFromOurPages(request.headers) || !isFormToken(given, cookie)) throw new Refusal("forged");
}

/** The same answer for pages that do not exist and for other people's tenants, so that nobody learns of those. */
function notThere(): NotFound {
  return new NotFound("path", "there is nothing here");
}

interface Membership {
  id: string;
  name: string;
  active: boolean;
}

/** Returns the tenant and the person's role there; undefined if they have none. */
async function membershipOf(
  db: Database,
  person: SessionHolder,
  tenantId: string,
): Promise<{ tenant: Membership; role: Role } | undefined> {
  if (person.operator) {
    if (tenantId === PLATFORM) {
      return { tenant: { id: PLATFORM, name: "Platform", active: true }, role: "operator" };
    }
    const tenant = TENANT_ID.test(tenantId) ? await tenantById(db, tenantId) : undefined;
    return tenant === undefined ? undefined : { tenant, role: "operator" };
  }
  const all = await listMemberships(db, person.personId);
  const found = all.find((one) => one.tenantId === tenantId);
  if (found === undefined) return undefined;
  const { tenantName: name, tenantActive: active, role } = found;
  return { tenant: { id: tenantId, name, active }, role };
}

/** Why a request was refused. */
type RefusalReason = "sign-in" | "forbidden" | "forged";

/** The tenant with the person's role there, and the access that the page needs. */
export interface RefusedRole extends PlaceInTenant {
  needed: Access;
}

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: RefusalReason;
  readonly of: RefusedRole | undefined;

  constructor(reason: RefusalReason, of?: RefusedRole) {
    super(reason);
    this.reason = reason;
    this.of = of;
  }
}
