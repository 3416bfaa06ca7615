/** Parses a document by parse5, for tests that compare our own reader with it. */

import { type DefaultTreeAdapterTypes, parse } from "parse5";

export type Node = DefaultTreeAdapterTypes.Node;

/** All nodes of a document, and those that Outlook sees in conditional comments. */
export function nodesOf(html: string): Node[] {
  // In a body that has begun: in front of it a blank and a word are not alike.
  const read = (text: string) => parse(`<body>a${text}`, { scriptingEnabled: false });
  const nodes: Node[] = [read(html)];
  for (const node of nodes) {
    if ("content" in node) nodes.push(node.content);
    if ("childNodes" in node) nodes.push(...node.childNodes);
    const conditional = "data" in node ? /^\[if[^\]>]*\]>([\s\S]*)/.exec(node.data) : null;
    if (conditional) nodes.push(read(conditional[1] ?? ""));
  }
  return nodes;
}
