import { open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { PDFDocument, PDFName } from '#pdf-lib';
import type { PDFRef } from '#pdf-lib';

export interface PdfPicture {
  jpeg: Buffer;
  width: number;
  height: number;
  isGrey: boolean;
}

/**
 * A PDF that is written to disk while it grows. Pictures are written at once and freed from memory; all other objects
 * stay in `document` until `finish`. Equal pictures are written once.
 *
 * The target file is complete or absent, even when this process ends during a write. It is not synced to the disk: the
 * caller uploads it, and a copy lost with the machine is drawn again.
 */
export class PdfFile {
  readonly document: PDFDocument;
  readonly #target: string;
  readonly #partial: string;
  readonly #handle: FileHandle;
  readonly #offsets = new Map<number, number>();
  /** Written pictures by length and checksum; candidates are compared byte by byte. */
  readonly #pictures = new Map<string, { ref: PDFRef; start: number }>();
  #size = 0;

  private constructor(document: PDFDocument, target: string, partial: string, handle: FileHandle) {
    this.document = document;
    this.#target = target;
    this.#partial = partial;
    this.#handle = handle;
  }

  static async create(target: string): Promise<PdfFile> {
    const document = await PDFDocument.create();
    const partial = `${target}.partial`;
    const file = new PdfFile(document, target, partial, await open(partial, 'w+'));
    // The second line marks the file as binary for file transfer programs.
    await file.#write(Buffer.from('%PDF-1.7\n%\u0081\u0081\u0081\u0081\n', 'latin1'));
    return file;
  }

  /** @returns the object, and the place of the JPEG in the file */
  async addPicture({ jpeg, width, height, isGrey }: PdfPicture): Promise<{ ref: PDFRef; start: number }> {
    const likeness = `${jpeg.length} ${crc32(jpeg)}`;
    const known = this.#pictures.get(likeness);
    if (known !== undefined && (await this.#holds(jpeg, known.start))) return known;
    const ref = this.document.context.nextRef();
    const space = isGrey ? 'DeviceGray' : 'DeviceRGB';
    this.#offsets.set(ref.objectNumber, this.#size);
    await this.#write(
      Buffer.from(
        `${ref.objectNumber} 0 obj\n<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${space} /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`,
      ),
    );
    const added = { ref, start: this.#size };
    this.#pictures.set(likeness, added);
    await this.#write(jpeg);
    await this.#write(Buffer.from('\nendstream\nendobj\n'));
    return added;
  }

  async finish(): Promise<number> {
    for (const page of this.document.getPages()) page.node.delete(PDFName.of('Annots'));
    await this.document.flush();
    const { context } = this.document;
    for (const [ref, object] of context.enumerateIndirectObjects()) {
      this.#offsets.set(ref.objectNumber, this.#size);
      const body = Buffer.alloc(object.sizeInBytes());
      object.copyBytesInto(body, 0);
      await this.#write(
        Buffer.concat([Buffer.from(`${ref.objectNumber} 0 obj\n`), body, Buffer.from('\nendobj\n')]),
      );
    }
    await this.#writeTable();
    await this.#handle.close();
    await rename(this.#partial, this.#target);
    return this.#size;
  }

  async #writeTable(): Promise<void> {
    const { largestObjectNumber, trailerInfo } = this.document.context;
    const table = this.#size;
    const entries = Array.from({ length: largestObjectNumber }, (_, index) => {
      const offset = this.#offsets.get(index + 1);
      return offset === undefined
        ? '0000000000 65535 f \n'
        : `${String(offset).padStart(10, '0')} 00000 n \n`;
    });
    await this.#write(
      Buffer.from(
        `xref\n0 ${largestObjectNumber + 1}\n0000000000 65535 f \n${entries.join('')}trailer\n<< /Size ${largestObjectNumber + 1} /Root ${String(trailerInfo.Root)} /Info ${String(trailerInfo.Info)} >>\nstartxref\n${table}\n%%EOF\n`,
      ),
    );
  }

  async #holds(bytes: Buffer, start: number): Promise<boolean> {
    const written = Buffer.alloc(bytes.length);
    const { bytesRead } = await this.#handle.read(written, 0, written.length, start);
    return bytesRead === bytes.length && written.equals(bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#handle.writeFile(bytes);
    this.#size += bytes.length;
  }
}
