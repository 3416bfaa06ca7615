/** An answer that is no success. Branch on `status`. */
export class BelfryError extends Error {
  override readonly name = "BelfryError";
  readonly status: number;
  /** As `Validation Error`. */
  readonly error: string;
  /** What is wrong, a line each: for 422 every fault with its field. */
  readonly messages: readonly string[];
  /** Of 429. */
  readonly retryAfterSeconds: number | undefined;
  /** Name it when you ask us. */
  readonly traceId: string | undefined;

  constructor(response: { status: number; headers: Headers }, body: unknown) {
    const fields =
      typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
    const messages = [fields.message ?? `unexpected answer with status ${response.status}`];
    const lines = messages.flat().map(String);
    super(lines.join("; "));
    this.status = response.status;
    this.error = typeof fields.error === "string" ? fields.error : "";
    this.messages = lines;
    this.retryAfterSeconds =
      seconds(fields.retryAfter) ?? seconds(response.headers.get("retry-after"));
    this.traceId = response.headers.get("x-trace-id") ?? undefined;
  }
}

/** No answer came: no connection, or the time was up. Belfry may have the request all the same. */
export class BelfryNetworkError extends Error {
  override readonly name = "BelfryNetworkError";

  constructor(method: string, path: string, cause: unknown) {
    // Not the path with its query: it holds user ids.
    super(`no answer to ${method} ${path.split("/").slice(0, 4).join("/")}`, { cause });
  }
}

function seconds(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
