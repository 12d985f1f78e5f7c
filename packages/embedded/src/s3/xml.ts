/** The subset of XML that S3 uses: flat documents without attributes (except the namespace) and mixed content. */

/** Text or children of a node; an array repeats the element. */
export type XmlContent =
  | string
  | number
  | boolean
  | { [name: string]: XmlContent | XmlContent[] | undefined };

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes markup; control characters, which XML 1.0 does not allow raw, become character references. */
const escapeText = (text: string): string => {
  // oxlint-disable-next-line no-control-regex -- control characters are legal in object keys
  return text.replace(/[&<>"']|[\u0000-\u001f]/g, (found) => ESCAPES[found] ?? `&#${found.charCodeAt(0)};`);
};

/** @returns `<name>content</name>` without undefined children */
const element = (name: string, content: XmlContent, attributes = ''): string => {
  if (typeof content !== 'object') return `<${name}${attributes}>${escapeText(String(content))}</${name}>`;
  const children = Object.entries(content).flatMap(([child, value]) => {
    if (value === undefined) return [];
    return Array.isArray(value) ? value.map((item) => element(child, item)) : [element(child, value)];
  });
  return `<${name}${attributes}>${children.join('')}</${name}>`;
};

export const document = (root: string, content: XmlContent): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, content, ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"')}`;

/** The inner texts, still escaped, of all `<name>` elements in order. */
export const innerOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, inner]) => inner ?? '',
  );

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The unescaped text of the first `<name>`, or null. */
export const textOf = (xml: string, name: string): string | null => {
  const inner = innerOf(xml, name)[0];
  if (inner === undefined) return null;
  return inner.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, entity) => {
    if (decimal !== undefined) return String.fromCodePoint(Number.parseInt(decimal, 10));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[entity] ?? whole;
  });
};
