/** An object of a PDF file: its dictionary (or array) and stream. Object 1 is the first of the list. */
export interface PdfObject {
  readonly dictionary: string;
  readonly stream?: Buffer;
}

/** Writes a PDF 1.4 file with a classic cross-reference table. `trailer` is added to the trailer's dictionary. */
export const writePdf = (objects: readonly PdfObject[], trailer: string): Buffer => {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (bytes: Buffer): void => {
    parts.push(bytes);
    length += bytes.length;
  };
  objects.forEach(({ dictionary, stream }, i) => {
    offsets.push(length);
    add(Buffer.from(`${i + 1} 0 obj\n${dictionary}\n`, 'latin1'));
    if (stream) {
      add(Buffer.from('stream\n'));
      add(stream);
      add(Buffer.from('\nendstream\n'));
    }
    add(Buffer.from('endobj\n'));
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = length;
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`));
  add(
    Buffer.from(
      `trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
      'latin1',
    ),
  );
  return Buffer.concat(parts);
};
