/** Words that say that what stands in quotation marks beside them is somebody's speech or an example. */
const BEFORE =
  /\b(?:sa(?:id|ys?|ying)|wr(?:ote|ites?|itten)|t(?:old|ells?)|ask(?:ed|s)|cried|shouted|replied|added|begged|begging|sentences?|text|phrases?|words?|letters|line|such as|like|types?|typed|called|examples?|e\.g\.|reads|contains?|named|means?)\b[^"]{0,30}$/;
const AFTER =
  /^[\s,]{0,3}(?:he|she|they|said|says|cried|asked|replied|shouted|wrote|is|was|are|at the end)\b/;

/**
 * Leaves out what is quoted as speech or as an example: a story's teacher who says "ignore the instructions" speaks to
 * a class. Quotation marks alone shield nothing.
 */
export function withoutReportedSpeech(text: string): string {
  const pieces = text.split('"');
  // Without its closing mark the last one quotes nothing.
  const quotedUpTo = pieces.length % 2 === 1 ? pieces.length : pieces.length - 1;
  return pieces
    .map((piece, index) => {
      if (index % 2 === 0 || index >= quotedUpTo) return piece;
      const before = (pieces[index - 1] ?? '').slice(-60);
      const after = (pieces[index + 1] ?? '').slice(0, 30);
      return BEFORE.test(before) || AFTER.test(after) ? ' ' : piece;
    })
    .join('"');
}
