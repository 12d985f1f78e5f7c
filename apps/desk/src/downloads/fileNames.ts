/** What Windows, macOS or a header refuses in a name: separators, reserved signs, control and direction characters. */
const REFUSED = /[\p{Cc}\u2028-\u202e\u2066-\u2069/\\:*?"<>|]/gu;

/** Names of devices on Windows, also with an extension (learn.microsoft.com, "Naming Files, Paths, and Namespaces"). */
const RESERVED = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i;

const LONGEST_NAME = 100;

/**
 * A name without extension that each system takes: refused characters become `-`, and no dot or space stands at an end.
 * @returns `otherwise` if nothing but such characters was given
 */
export const safeFileName = (text: string, otherwise: string): string => {
  const replaced = text.normalize('NFC').toWellFormed().replaceAll(REFUSED, '-');
  const name = [...replaced.replaceAll(/^[. ]+/g, '')]
    .slice(0, LONGEST_NAME)
    .join('')
    .trimEnd()
    .replace(/[. ]+$/, '');
  if (/^-*$/.test(name)) return otherwise;
  return RESERVED.test(name) ? `_${name}` : name;
};

/**
 * Names the checked copies of one exam by external ids, which are unique. An id that is no safe name, or differs from
 * an earlier one only by case, gets a part of the submission's id: Windows and macOS do not tell `A1` from `a1`.
 */
export const namesOfCopies = (): ((externalId: string, submissionId: string) => string) => {
  const used = new Set<string>();
  return (externalId, submissionId) => {
    const safe = safeFileName(externalId, '');
    const isUnique = safe !== '' && safe === externalId && !used.has(safe.toLowerCase());
    const name = isUnique ? safe : `${safe}-${submissionId.slice(-12)}`;
    used.add(name.toLowerCase());
    return `${name}.pdf`;
  };
};
