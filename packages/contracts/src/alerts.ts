// Alert mails for owners and operators: at most one mail per hour about a tenant and kind.

const PAUSED_MINUTES = 5;
const FAILED_PERCENT = 20;
const FAILED_OF_MESSAGES = 20;
const DEAD_LETTERS = 10;

interface AlertWords {
  /** The mail's subject, and the label of the switch. */
  title: string;
  /** When the alert is sent. Shown below the switch. Explains the numbers of `ALERT_THRESHOLDS`. */
  when: string;
  /** The mail's text. */
  message: string;
  /** The texts of the mail that is sent when the problem ends. */
  ended: { title: string; message: string };
}

interface AlertKind extends AlertWords {
  /** The page that the mail links to, relative to the tenant's own page. */
  page: "" | `/${string}`;
  /** Whether people get the alert until they choose: owners for their own tenant, operators for all tenants. */
  byDefault: { owner: boolean; operator: boolean };
}

/** The values at which something counts as a problem. */
export const ALERT_THRESHOLDS = {
  pausedMinutes: PAUSED_MINUTES,
  failedPercent: FAILED_PERCENT,
  failedOfMessages: FAILED_OF_MESSAGES,
  deadLetters: DEAD_LETTERS,
} as const;

/** A person gets at most one mail of a kind about a tenant in this time. */
export const ALERT_EVERY_MINUTES = 60;

export const ALERTS = {
  "provider-paused": {
    title: "A provider is paused",
    when: `Belfry has not used it for ${PAUSED_MINUTES} minutes because its calls failed.`,
    message:
      "Belfry has paused a provider because its calls failed. Messages go through the next provider, or wait.",
    ended: {
      title: "No provider is paused any more",
      message: "Belfry uses every active provider again.",
    },
    page: "/providers",
    byDefault: { owner: true, operator: true },
  },
  "failure-rate": {
    title: "Many messages fail",
    when: `In the last hour ${FAILED_PERCENT} % or more failed, of at least ${FAILED_OF_MESSAGES} messages.`,
    message: `In the last hour ${FAILED_PERCENT} % or more of the messages failed.`,
    ended: {
      title: "Few messages fail again",
      message: `In the last hour less than ${FAILED_PERCENT} % of the messages failed, or hardly any were sent.`,
    },
    page: "",
    byDefault: { owner: true, operator: true },
  },
  "dead-letters": {
    title: "Messages were not delivered",
    when: `In the last 24 hours Belfry stopped retrying ${DEAD_LETTERS} messages or more.`,
    message: `In the last 24 hours Belfry stopped retrying ${DEAD_LETTERS} messages or more. Fix the cause, then replay them.`,
    ended: {
      title: "Undelivered messages were dealt with",
      message: `In the last 24 hours there are fewer than ${DEAD_LETTERS} undelivered messages: they were replayed, discarded, or are older.`,
    },
    page: "/dead-letters",
    byDefault: { owner: true, operator: false },
  },
  "cap-reached": {
    title: "The daily limit is reached",
    when: "Further events are rejected until midnight UTC.",
    message:
      "The daily limit of events is reached. Further events are rejected until midnight UTC.",
    ended: {
      title: "The daily limit is no longer reached",
      message: "Belfry accepts events again.",
    },
    page: "/settings",
    byDefault: { owner: true, operator: false },
  },
  "endpoint-disabled": {
    title: "A webhook endpoint is disabled",
    when: "Belfry has disabled it because its calls failed for too long.",
    message:
      "Belfry has disabled a webhook endpoint because its calls failed for too long. Nothing is sent to it.",
    ended: {
      title: "No webhook endpoint is disabled any more",
      message: "The webhook endpoint that Belfry had disabled was enabled again, or removed.",
    },
    page: "/webhooks",
    byDefault: { owner: true, operator: false },
  },
} as const satisfies Record<string, AlertKind>;

export type Alert = keyof typeof ALERTS;
export const ALERT_KINDS = Object.keys(ALERTS) as Alert[];

/** The same texts in the other languages of the Admin UI. */
const TRANSLATIONS: Readonly<Record<string, Readonly<Record<Alert, AlertWords>>>> = {
  de: {
    "provider-paused": {
      title: "Ein Anbieter ist pausiert",
      when: `Belfry nutzt ihn seit ${PAUSED_MINUTES} Minuten nicht, weil seine Aufrufe scheiterten.`,
      message:
        "Belfry hat einen Anbieter pausiert, weil seine Aufrufe scheiterten. Nachrichten gehen über den nächsten Anbieter oder warten.",
      ended: {
        title: "Kein Anbieter ist mehr pausiert",
        message: "Belfry nutzt wieder jeden aktiven Anbieter.",
      },
    },
    "failure-rate": {
      title: "Viele Nachrichten scheitern",
      when: `In der letzten Stunde scheiterten ${FAILED_PERCENT} % oder mehr, von mindestens ${FAILED_OF_MESSAGES} Nachrichten.`,
      message: `In der letzten Stunde scheiterten ${FAILED_PERCENT} % oder mehr der Nachrichten.`,
      ended: {
        title: "Wieder scheitern wenige Nachrichten",
        message: `In der letzten Stunde scheiterten weniger als ${FAILED_PERCENT} % der Nachrichten, oder es gab kaum welche.`,
      },
    },
    "dead-letters": {
      title: "Nachrichten wurden nicht zugestellt",
      when: `In den letzten 24 Stunden hat Belfry bei ${DEAD_LETTERS} oder mehr Nachrichten die Versuche beendet.`,
      message: `In den letzten 24 Stunden hat Belfry bei ${DEAD_LETTERS} oder mehr Nachrichten die Versuche beendet. Beheben Sie die Ursache, und senden Sie sie dann erneut.`,
      ended: {
        title: "Nicht zugestellte Nachrichten sind erledigt",
        message: `In den letzten 24 Stunden gibt es weniger als ${DEAD_LETTERS} nicht zugestellte Nachrichten: Sie wurden erneut gesendet, verworfen oder sind älter.`,
      },
    },
    "cap-reached": {
      title: "Die Tagesgrenze ist erreicht",
      when: "Weitere Ereignisse werden bis Mitternacht UTC abgewiesen.",
      message:
        "Die Tagesgrenze für Ereignisse ist erreicht. Weitere Ereignisse werden bis Mitternacht UTC abgewiesen.",
      ended: {
        title: "Die Tagesgrenze ist nicht mehr erreicht",
        message: "Belfry nimmt wieder Ereignisse an.",
      },
    },
    "endpoint-disabled": {
      title: "Ein Webhook-Endpunkt ist abgeschaltet",
      when: "Belfry hat ihn abgeschaltet, weil seine Aufrufe zu lange scheiterten.",
      message:
        "Belfry hat einen Webhook-Endpunkt abgeschaltet, weil seine Aufrufe zu lange scheiterten. An ihn wird nichts gesendet.",
      ended: {
        title: "Kein Webhook-Endpunkt ist mehr abgeschaltet",
        message:
          "Der Webhook-Endpunkt, den Belfry abgeschaltet hatte, wurde wieder eingeschaltet oder entfernt.",
      },
    },
  },
  fr: {
    "provider-paused": {
      title: "Un fournisseur est en pause",
      when: `Belfry ne l’utilise plus depuis ${PAUSED_MINUTES} minutes, car ses appels échouaient.`,
      message:
        "Belfry a mis un fournisseur en pause, car ses appels échouaient. Les messages passent par le fournisseur suivant, ou attendent.",
      ended: {
        title: "Plus aucun fournisseur n’est en pause",
        message: "Belfry utilise de nouveau chaque fournisseur actif.",
      },
    },
    "failure-rate": {
      title: "Beaucoup de messages échouent",
      when: `Dans la dernière heure, ${FAILED_PERCENT} % ou plus ont échoué, sur au moins ${FAILED_OF_MESSAGES} messages.`,
      message: `Dans la dernière heure, ${FAILED_PERCENT} % ou plus des messages ont échoué.`,
      ended: {
        title: "Peu de messages échouent de nouveau",
        message: `Dans la dernière heure, moins de ${FAILED_PERCENT} % des messages ont échoué, ou presque aucun n’a été envoyé.`,
      },
    },
    "dead-letters": {
      title: "Des messages n’ont pas été remis",
      when: `Dans les dernières 24 heures, Belfry a cessé de retenter ${DEAD_LETTERS} messages ou plus.`,
      message: `Dans les dernières 24 heures, Belfry a cessé de retenter ${DEAD_LETTERS} messages ou plus. Corrigez la cause, puis renvoyez-les.`,
      ended: {
        title: "Les messages non remis sont traités",
        message: `Dans les dernières 24 heures, il y a moins de ${DEAD_LETTERS} messages non remis : ils ont été renvoyés, abandonnés, ou sont plus anciens.`,
      },
    },
    "cap-reached": {
      title: "La limite quotidienne est atteinte",
      when: "Les événements suivants sont refusés jusqu’à minuit UTC.",
      message:
        "La limite quotidienne d’événements est atteinte. Les événements suivants sont refusés jusqu’à minuit UTC.",
      ended: {
        title: "La limite quotidienne n’est plus atteinte",
        message: "Belfry accepte de nouveau des événements.",
      },
    },
    "endpoint-disabled": {
      title: "Un point d’accès webhook est désactivé",
      when: "Belfry l’a désactivé, car ses appels échouaient depuis trop longtemps.",
      message:
        "Belfry a désactivé un point d’accès webhook, car ses appels échouaient depuis trop longtemps. Rien ne lui est envoyé.",
      ended: {
        title: "Plus aucun point d’accès webhook n’est désactivé",
        message: "Le point d’accès webhook que Belfry avait désactivé a été réactivé ou supprimé.",
      },
    },
  },
};

/** Returns the texts of an alert, in English if the language has none. */
export function alertWords(kind: Alert, language: string | null): AlertWords {
  return TRANSLATIONS[language ?? ""]?.[kind] ?? ALERTS[kind];
}

/** The readers of alerts: an owner chooses for a tenant, an operator for all tenants. */
export type AlertReader = keyof AlertKind["byDefault"];

export function defaultAlerts(reader: AlertReader): Alert[] {
  return ALERT_KINDS.filter((kind) => ALERTS[kind].byDefault[reader]);
}

/** The event type of alerts in chats. `make_alert_chat_template` makes its template of the platform. */
export const ALERT_IN_CHAT = "global.belfry-alert-chat";

/** The event types of Belfry's own mail, each with a template of the platform. */
export const OWN_MAIL = {
  alert: "global.belfry-alert",
  invitation: "global.belfry-invitation",
  passwordReset: "global.belfry-password-reset",
} as const;
