/** Of an endpoint, what its state goes by. */
export interface EndpointFacts {
  active: boolean;
  disabledAt: string | null;
  disabledReason: string | null;
  failingSince: string | null;
  pausedUntil: string | null;
}

export interface EndpointState {
  tone: "good" | "busy" | "bad" | "quiet";
  text: string;
  /** What a person should know besides, before a time that ends the sentence. */
  note: string | null;
  at: string | null;
}

/** How an endpoint stands, in words: as the list and its page show it. */
export function endpointState(endpoint: EndpointFacts, now = Date.now()): EndpointState {
  const { active, disabledAt, disabledReason, failingSince, pausedUntil } = endpoint;
  if (!active && disabledReason !== null) {
    const note = `Disabled because ${disabledReason};`;
    return { tone: "bad", text: "disabled", note, at: disabledAt };
  }
  if (!active) return { tone: "quiet", text: "disabled", note: "Since", at: disabledAt };
  if (pausedUntil !== null && new Date(pausedUntil).getTime() > now) {
    const note = "Too many failures in a row. Next attempt";
    return { tone: "busy", text: "paused", note, at: pausedUntil };
  }
  if (failingSince !== null) {
    return { tone: "bad", text: "failing", note: "No message delivered since", at: failingSince };
  }
  return { tone: "good", text: "active", note: null, at: null };
}
