import { SENT_CHANNELS, senderService } from "@belfry/contracts/channels";
import type { KubernetesObject } from "./rendered-objects.ts";

const SENDERS = SENT_CHANNELS.map(senderService);

/** The allowed connections of the documented network table, one line each: `ingress-nginx → ingest-api:3000`. */
export function edgesOfTable(markdown: string): string[] {
  const edges: string[] = [];
  const rows = markdown.matchAll(/^\| ([\w, -]+) \| ([\w -]+) \| ([\d, ]+) \|/gm);
  for (const [, from = "", to = "", ports = ""] of rows) {
    for (const one of from.split(",").flatMap(podsOf)) {
      for (const other of podsOf(to)) {
        for (const port of ports.split(",")) edges.push(`${one} → ${other}:${port.trim()}`);
      }
    }
  }
  return edges.sort();
}

function podsOf(name: string): string[] {
  return name.trim() === "every sender" ? SENDERS : [name.trim()];
}

const PLACES: Record<number, string> = { 5432: "Postgres", 4222: "NATS" };

/** The allowed connections of the NetworkPolicies. */
export function edgesOfPolicies(objects: readonly KubernetesObject[]): string[] {
  const edges: string[] = [];
  for (const { kind, metadata, spec } of objects) {
    if (kind !== "NetworkPolicy") continue;
    const labels = spec.podSelector.matchLabels ?? {};
    const pod: string = labels["app.kubernetes.io/name"] ?? "every pod";
    for (const { from = [], ports } of spec.ingress ?? []) {
      if (from.length === 0) edges.push(`anybody → ${pod} (${metadata.name})`);
      for (const source of from) {
        for (const { port } of ports ?? [{}]) edges.push(`${peerName(source)} → ${pod}:${port}`);
      }
    }
    for (const { to = [], ports } of spec.egress ?? []) {
      for (const { port } of ports ?? [{}]) {
        const targets = to.length === 0 ? [PLACES[port] ?? "anybody"] : to.map(peerName);
        for (const target of targets) edges.push(`${pod} → ${target}:${port}`);
      }
    }
  }
  return [...new Set(edges)].sort();
}

interface Peer {
  namespaceSelector?: { matchLabels?: Record<string, string> };
  ipBlock?: { cidr: string };
}

function peerName({ namespaceSelector, ipBlock }: Peer): string {
  if (ipBlock !== undefined) return ipBlock.cidr === "0.0.0.0/0" ? "Internet" : ipBlock.cidr;
  return namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"] ?? "anybody";
}
