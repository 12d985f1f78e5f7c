/** The little XML that S3 speaks: flat documents, no attributes but the namespace, no mixed content. */

/** A node's text, or its children; a list repeats the element. */
export type XmlContent =
  string | number | boolean | { [name: string]: XmlContent | XmlContent[] | undefined };

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes the characters of markup; those that XML 1.0 cannot carry raw become character references. */
function escapeText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are legal in object keys
  return text.replace(/[&<>"']|[\u0000-\u001f]/g, (found) => ESCAPES[found] ?? `&#${found.charCodeAt(0)};`);
}

/** @returns `<name>content</name>`; undefined children are left out. */
export function element(name: string, content: XmlContent, attributes = ''): string {
  if (typeof content !== 'object') return `<${name}${attributes}>${escapeText(String(content))}</${name}>`;
  const children = Object.entries(content).flatMap(([child, value]) => {
    if (value === undefined) return [];
    return Array.isArray(value) ? value.map((item) => element(child, item)) : [element(child, value)];
  });
  return `<${name}${attributes}>${children.join('')}</${name}>`;
}

/** A whole document in S3's namespace. */
export function document(root: string, content: XmlContent): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, content, ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"')}`;
}

/** The inner texts, still escaped, of every `<name>` in `xml`, in order. */
export function innerOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, inner]) => inner ?? '',
  );
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of the first `<name>` in `xml`, unescaped; null when there is none. */
export function textOf(xml: string, name: string): string | null {
  const inner = innerOf(xml, name)[0];
  if (inner === undefined) return null;
  return inner.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, entity) => {
    if (decimal !== undefined) return String.fromCodePoint(Number.parseInt(decimal, 10));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[entity] ?? whole;
  });
}
