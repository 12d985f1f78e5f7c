import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PDFiumModule } from '@hyzyla/pdfium';

type Loaded = Awaited<ReturnType<typeof PDFiumModule>>;

/** PDFium C functions that are missing in the package's types. Pointers and handles are numbers; 0 means none. */
interface Native extends Loaded {
  _FPDF_DocumentHasValidCrossReferenceTable(document: number): number;
  _FPDF_GetPageSizeByIndexF(document: number, index: number, size: number): number;
  _FPDF_GetPageBoundingBox(page: number, rect: number): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFAnnot_GetRect(annotation: number, rect: number): number;
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  _FPDFPageObj_HasTransparency(object: number): number;
  _FPDFTextObj_GetTextRenderMode(object: number): number;
  _FPDFImageObj_GetImageMetadata(object: number, page: number, metadata: number): number;
  _FPDFImageObj_SetBitmap(pages: number, count: number, image: number, bitmap: number): number;
  _FPDFImageObj_GetBitmap(image: number): number;
  _FPDFImageObj_GetImageDataDecoded(image: number, buffer: number, length: number): number;
  _FPDFBitmap_GetFormat(bitmap: number): number;
  _FPDFBitmap_GetWidth(bitmap: number): number;
  _FPDFBitmap_GetHeight(bitmap: number): number;
  _FPDFBitmap_GetStride(bitmap: number): number;
  _FPDFAnnot_GetFlags(annotation: number): number;
  _FPDFAnnot_GetAP(annotation: number, mode: number, buffer: number, length: number): number;
  _FPDF_GetFormType(document: number): number;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPath_GetDrawMode(path: number, fillMode: number, stroke: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_GetTextObject(text: number, index: number): number;
  _FPDFText_GetFillColor(
    text: number,
    index: number,
    red: number,
    green: number,
    blue: number,
    alpha: number,
  ): number;
  _FPDFText_GetCharBox(
    text: number,
    index: number,
    left: number,
    right: number,
    bottom: number,
    top: number,
  ): number;
}

export type OpenError = 'password' | 'corrupt';

/**
 * One instance of PDFium with a memory of its own. Each file gets a new instance, so that a file which takes over an
 * instance reaches no other file. The process must end after PDFium has thrown: the state is then undefined.
 */
export class Pdfium {
  /** Compiled code, shared by all instances of this process. It has no state. */
  static #code: Promise<WebAssembly.Module> | undefined;
  readonly native: Native;

  private constructor(native: Native) {
    this.native = native;
  }

  static async start(): Promise<Pdfium> {
    const code = await Pdfium.compile();
    const { promise: failure, reject } = Promise.withResolvers<never>();
    const loading = PDFiumModule({
      instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => {
        WebAssembly.instantiate(code, imports).then(receive, reject);
        return {};
      },
    });
    const native = (await Promise.race([loading, failure])) as Native;
    native._FPDF_InitLibraryWithConfig({});
    return new Pdfium(native);
  }

  static compile(): Promise<WebAssembly.Module> {
    return (Pdfium.#code ??= readFile(
      createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm'),
    ).then((bytes) => WebAssembly.compile(bytes)));
  }

  /** Opens with the empty password, so that files locked against changes only can be read. */
  open(bytes: Uint8Array): PdfDocument | OpenError {
    const pointer = this.allocate(bytes.length);
    this.native.HEAPU8.set(bytes, pointer);
    const handle = this.native._FPDF_LoadMemDocument(pointer, bytes.length, 0);
    if (handle !== 0) return new PdfDocument(this, handle, pointer);
    const error = this.native._FPDF_GetLastError();
    this.native.wasmExports.free(pointer);
    return error === 4 || error === 5 ? 'password' : 'corrupt';
  }

  allocate(size: number): number {
    const pointer = this.native.wasmExports.malloc(size);
    if (pointer === 0) throw new Error('out of memory');
    return pointer;
  }

  /** Calls `call` with a pointer to `size` bytes of value `fill`. The view is valid until the next allocation. */
  withMemory<T>(size: number, call: (pointer: number, view: () => DataView) => T, fill = 0): T {
    const pointer = this.allocate(size);
    this.native.HEAPU8.fill(fill, pointer, pointer + size);
    try {
      // Growing the heap replaces its buffer, so the view is created on each call.
      return call(pointer, () => new DataView(this.native.HEAPU8.buffer, pointer, size));
    } finally {
      this.native.wasmExports.free(pointer);
    }
  }
}

/** User space (1/72 inch, y up), and the clockwise rotation for viewing. */
export interface PageFrame {
  x: number;
  y: number;
  width: number;
  height: number;
  rotation: 0 | 90 | 180 | 270;
}

export class PdfDocument {
  readonly pdfium: Pdfium;
  readonly handle: number;
  readonly #bytes: number;

  constructor(pdfium: Pdfium, handle: number, bytes: number) {
    this.pdfium = pdfium;
    this.handle = handle;
    this.#bytes = bytes;
  }

  /** Frees the document and its bytes, which otherwise live as long as the process. */
  close(): void {
    this.pdfium.native._FPDF_CloseDocument(this.handle);
    this.pdfium.native.wasmExports.free(this.#bytes);
  }

  get pageCount(): number {
    return this.pdfium.native._FPDF_GetPageCount(this.handle);
  }

  /** False when the table was missing or wrong and PDFium reconstructed it. */
  get hasValidCrossReferences(): boolean {
    return this.pdfium.native._FPDF_DocumentHasValidCrossReferenceTable(this.handle) !== 0;
  }

  /** Points of the page as viewed, read without its content; null when unreadable. `page` is from 1. */
  pageSize(page: number): { width: number; height: number } | null {
    return this.pdfium.withMemory(8, (pointer, view) =>
      this.pdfium.native._FPDF_GetPageSizeByIndexF(this.handle, page - 1, pointer) === 0
        ? null
        : { width: view().getFloat32(0, true), height: view().getFloat32(4, true) },
    );
  }

  /** As `pageSize`, with A4 for a page that cannot be read. */
  viewedSize(page: number): { width: number; height: number } {
    return this.pageSize(page) ?? { width: 595, height: 842 };
  }

  /** Loads a page (from 1) for the duration of `call`; returns null when the page cannot be loaded. */
  async withPage<T>(page: number, call: (page: PdfPage) => Promise<T> | T): Promise<T | null> {
    const handle = this.pdfium.native._FPDF_LoadPage(this.handle, page - 1);
    if (handle === 0) return null;
    try {
      return await call(new PdfPage(this, handle));
    } finally {
      this.pdfium.native._FPDF_ClosePage(handle);
    }
  }
}

export class PdfPage {
  readonly document: PdfDocument;
  readonly handle: number;
  readonly frame: PageFrame;

  constructor(document: PdfDocument, handle: number) {
    this.document = document;
    this.handle = handle;
    const { native } = document.pdfium;
    const [left, top, right, bottom] = document.pdfium.withMemory(16, (pointer, view) => {
      native._FPDF_GetPageBoundingBox(handle, pointer);
      const read = view();
      return [0, 4, 8, 12].map((at) => read.getFloat32(at, true));
    });
    const quarterTurns = native._FPDFPage_GetRotation(handle);
    this.frame = {
      x: left ?? 0,
      y: bottom ?? 0,
      width: (right ?? 0) - (left ?? 0),
      height: (top ?? 0) - (bottom ?? 0),
      rotation: quarterTurns === 1 ? 90 : quarterTurns === 2 ? 180 : quarterTurns === 3 ? 270 : 0,
    };
  }

  get viewed(): { width: number; height: number } {
    const { width, height, rotation } = this.frame;
    return rotation % 180 === 0 ? { width, height } : { width: height, height: width };
  }

  /** Converts a rectangle of user space (y up) to fractions of the viewed page (origin top left). */
  toViewed(left: number, bottom: number, right: number, top: number) {
    const { x, y, width, height, rotation } = this.frame;
    const [l, r] = [(left - x) / width, (right - x) / width];
    const [t, b] = [1 - (top - y) / height, 1 - (bottom - y) / height];
    const [w, h] = [r - l, b - t];
    if (rotation === 90) return { x: 1 - b, y: l, width: h, height: w };
    if (rotation === 180) return { x: 1 - r, y: 1 - b, width: w, height: h };
    if (rotation === 270) return { x: t, y: 1 - r, width: h, height: w };
    return { x: l, y: t, width: w, height: h };
  }
}
