import { type Static, Type } from "@sinclair/typebox";
import { field, success, time } from "./fields.ts";
import { textFault, UUID, UUID_FORM } from "./identifiers.ts";

/** The path to upload files for mails. The trigger's `email.attachments` names an uploaded file. */
export const ATTACHMENTS_PATH = "/api/v1/attachments";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The maximum of bytes of one file. */
export const MAX_ATTACHMENT_BYTES = 10 * MIB;
/** Bytes of one row of `attachment_chunks`; the last may be shorter. */
export const ATTACHMENT_CHUNK_BYTES = 256 * KIB;
/** The maximum of files of one event. */
export const MAX_ATTACHMENTS = 10;
export const MAX_ATTACHMENT_BYTES_OF_EVENT = 20 * MIB;
/** The maximum of bytes and of files of a tenant that no event has named yet. */
export const MAX_UNNAMED_BYTES = 1024 * MIB;
export const MAX_UNNAMED = 10_000;
/** How long a file is kept if no event names it. `attachments.sql` has the same number. */
export const UNNAMED_HOURS = 24;

const FILE_NAME_HEADER = "X-File-Name";
export const FILE_NAME = FILE_NAME_HEADER.toLowerCase();
const NOT_ENCODED = "must be percent-encoded UTF-8, such as M%C3%BCller.pdf";
const MAX_TYPE_CHARACTERS = 255;

/** Reads a file's name from the header. Returns the name, or the fault with the header's name. */
export function fileNameOf(
  header: unknown,
  allowExecutables: boolean,
): { name: string } | { fault: string } {
  const fault = (words: string) => ({ fault: `${FILE_NAME_HEADER} ${words}` });
  if (typeof header !== "string" || header === "") return fault("is missing");
  // Node decodes each byte of a header as one character.
  if (/[^\x20-\x7e]/.test(header)) return fault(NOT_ENCODED);
  let name: string;
  try {
    name = decodeURIComponent(header);
  } catch {
    return fault(NOT_ENCODED);
  }
  const wrong = fileNameFault(name);
  if (wrong !== undefined) return fault(wrong);
  if (!allowExecutables && hasExecutableName(name)) {
    return fault(`must not end in .${extensionOf(name)}: ${EXECUTABLE}`);
  }
  return { name };
}

const EXECUTABLE =
  "mail servers refuse programs, and this tenant's settings do not allow them (allowExecutables)";

/** Characters that change the direction of text: with them, `gpj.exe` would look like `exe.jpg`. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

function fileNameFault(name: string): string | undefined {
  const fault = textFault(name);
  if (fault !== undefined) return fault;
  if (/[/\\]/.test(name)) return "must be a name without a path";
  if (/^[.\s]*$/.test(name)) return "must not be only dots and spaces";
  if (TURNS.test(name)) return "must not contain characters that turn the direction of text";
  return undefined;
}

/** Extensions that Outlook and Gmail reject, because such files run when they are opened. */
const EXECUTABLE_EXTENSIONS = new Set(
  [
    "ade adp apk app application appref-ms appx appxbundle asp aspx bas bat cab cer chm cmd cnt com cpl crt csh",
    "der diagcab diagcfg diagpkg dll dmg ex ex_ exe fxp gadget grp hlp hpj hta htc img inf ins iso isp its jar",
    "jnlp job js jse ksh lib library-ms lnk mad maf mag mam maq mar mas mat mau mav maw mcf mda mdb mde mdt mdw",
    "mdz msc msh msh1 msh1xml msh2 msh2xml mshxml msi msix msixbundle msp mst msu nsh ops osd pcd pif pkg pl plg",
    "prf prg printerexport ps1 ps1xml ps2 ps2xml psc1 psc2 psd1 psdm1 pst py pyc pyo pyw pyz pyzw reg scf scr sct",
    "settingcontent-ms shb shs sys theme udl url vb vbe vbp vbs vhd vhdx vsmacros vsw vxd webpnp website ws wsb",
    "wsc wsf wsh xbap xll xnk",
  ].flatMap((line) => line.split(" ")),
);
const EXECUTABLE_TYPES = new Set([
  "application/bat",
  "application/ecmascript",
  "application/hta",
  "application/java-archive",
  "application/javascript",
  "application/vnd.android.package-archive",
  "application/vnd.microsoft.portable-executable",
  "application/x-bat",
  "application/x-csh",
  "application/x-dosexec",
  "application/x-executable",
  "application/x-javascript",
  "application/x-mach-binary",
  "application/x-ms-installer",
  "application/x-msdos-program",
  "application/x-msdownload",
  "application/x-msi",
  "application/x-sh",
  "application/x-sharedlib",
  "text/ecmascript",
  "text/javascript",
  "text/vbscript",
]);

/** Returns the extension. Ignores dots and spaces at the end of the name, as Windows does. */
function extensionOf(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end -= 1;
  const plain = name.slice(0, end);
  return plain.slice(plain.lastIndexOf(".") + 1).toLowerCase();
}

function hasExecutableName(name: string): boolean {
  return name.includes(".") && EXECUTABLE_EXTENSIONS.has(extensionOf(name));
}

const TOKEN = /^[A-Za-z0-9!#$&^_.+-]{1,64}$/;
/** Matches a parameter's value without its quotes, if it needs no escapes. */
const PARAMETER_VALUE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,128}$/;

/** Returns a file's type in the form for mails and vendors, or the fault, which is the whole message of a 415. */
export function fileTypeOf(
  header: unknown,
  allowExecutables: boolean,
): { type: string } | { fault: string } {
  const none = { fault: "Content-Type must be that of the file, as application/pdf" };
  if (typeof header !== "string" || header.length > MAX_TYPE_CHARACTERS) return none;
  const [media = "", ...parameters] = header.split(";").map((part) => part.trim());
  const type = media.toLowerCase();
  const [main = "", sub = "", ...rest] = type.split("/");
  if (rest.length > 0 || !TOKEN.test(main) || !TOKEN.test(sub)) return none;
  if (main === "multipart" || type === "application/x-www-form-urlencoded") return none;
  // Parts of these types must not be encoded as base64 (RFC 2046, 5.2).
  if (main === "message") return { fault: "Content-Type must not be one of message/…" };
  if (!allowExecutables && EXECUTABLE_TYPES.has(type)) {
    return { fault: `Content-Type must not be ${type}: ${EXECUTABLE}` };
  }
  const written: string[] = [type];
  for (const parameter of parameters) {
    if (parameter === "") continue;
    const at = parameter.indexOf("=");
    const name = parameter.slice(0, at).trim().toLowerCase();
    const given = parameter.slice(at + 1).trim();
    const value = /^".*"$/.test(given) ? given.slice(1, -1) : given;
    if (at < 1 || !TOKEN.test(name) || !PARAMETER_VALUE.test(value)) return none;
    // The file's name has its own header.
    if (name === "name") continue;
    written.push(`${name}=${TOKEN.test(value) ? value : `"${value}"`}`);
  }
  return { type: written.join("; ") };
}

/** A file as events refer to it and mails contain it. */
export interface MailAttachment {
  id: string;
  name: string;
  /** With its parameters, such as `text/calendar; method=REQUEST`. */
  type: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  /** The id in the mail's HTML: `<img src="cid:logo">`. Absent if the file is not shown inline. */
  cid?: string;
}

/** Ids that need no escapes in `cid:` URLs and Content-ID headers (RFC 2392). */
const CID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const CID_FAULT = "must be 1 to 64 letters, digits, dots, dashes and underscores";

export type NamedAttachment = string | { id: string; cid?: string };

const ID_PATTERN = `^${UUID_FORM}$`;

/** Returns the type of a trigger's `email.attachments`. */
export function attachmentsField() {
  return field<NamedAttachment[]>(
    {
      type: "array",
      maxItems: MAX_ATTACHMENTS,
      items: {
        anyOf: [
          { type: "string", pattern: ID_PATTERN },
          {
            type: "object",
            required: ["id"],
            properties: {
              id: { type: "string", pattern: ID_PATTERN },
              cid: { type: "string", pattern: CID.source },
            },
          },
        ],
      },
      description: `Files of \`POST ${ATTACHMENTS_PATH}\`: at most ${MAX_ATTACHMENTS}, together at most 20 MiB and your provider's limit. With \`cid\`, the mail's HTML shows the file as \`<img src="cid:…">\``,
      examples: [["0198c0de-0000-7000-8000-000000000001"]],
    },
    attachmentsFault,
  );
}

function attachmentsFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be an array";
  if (value.length > MAX_ATTACHMENTS) return `must have at most ${MAX_ATTACHMENTS} items`;
  const seen = new Set<unknown>();
  const cids = new Set<string>();
  for (const [at, item] of value.entries()) {
    const { id, cid } = attachmentOf(item);
    if (typeof id !== "string" || !UUID.test(id)) {
      return `[${at}] must be an attachment's id, or an object with its id and a cid`;
    }
    if (seen.has(id.toLowerCase())) return `[${at}] is named twice`;
    seen.add(id.toLowerCase());
    if (cid === undefined) continue;
    if (typeof cid !== "string" || !CID.test(cid)) return `[${at}] has a cid that ${CID_FAULT}`;
    if (cids.has(cid)) return `[${at}] has the cid of another`;
    cids.add(cid);
  }
  return undefined;
}

function attachmentOf(item: unknown): { id?: unknown; cid?: unknown } {
  return typeof item === "object" && item !== null ? item : { id: item };
}

/** Returns the attachments of a checked trigger in the same order, with ids in lower case. */
export function namedAttachments(
  attachments: readonly NamedAttachment[],
): { id: string; cid?: string }[] {
  return attachments.map((item) => {
    if (typeof item === "string") return { id: item.toLowerCase() };
    const { id, cid } = item;
    return { id: id.toLowerCase(), ...(cid !== undefined && { cid }) };
  });
}

export const AttachmentResponse = Type.Object(
  {
    success,
    data: Type.Object({
      id: Type.String({ format: "uuid", description: "The id that triggers name" }),
      name: Type.String(),
      type: Type.String({ description: "The media type of Content-Type, in its usual spelling" }),
      bytes: Type.Integer(),
      expiresAt: time("It is deleted if no event has named it by this time"),
    }),
  },
  { title: "AttachmentResponse" },
);
export type AttachmentResponse = Static<typeof AttachmentResponse>;
