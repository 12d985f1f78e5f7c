import {
  appendBezierCurve,
  beginText,
  closePath,
  endText,
  fill,
  LineCapStyle,
  LineJoinStyle,
  lineTo,
  moveTo,
  popGraphicsState,
  pushGraphicsState,
  setFillingRgbColor,
  setFontAndSize,
  setLineCap,
  setLineJoin,
  setLineWidth,
  setStrokingRgbColor,
  setTextMatrix,
  showText,
  stroke,
} from '#pdf-lib';
import type { PDFName, PDFOperator, PDFPage } from '#pdf-lib';
import type { Area, Point, Shape } from '@evaluation/rules/marked-page';
import type { Face } from './lettering.ts';

export type Colour = readonly [red: number, green: number, blue: number];

/** Draws on a page of the new document (no rotation, no crop). Unit: points, origin top left, y down. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #page: PDFPage;
  readonly #operators: PDFOperator[] = [pushGraphicsState()];
  readonly #fonts = new Map<Face, PDFName>();

  constructor(page: PDFPage) {
    this.#page = page;
    ({ width: this.width, height: this.height } = page.getSize());
  }

  text(text: string, [x, baseline]: Point, face: Face, size: number, colour: Colour): void {
    if (text === '') return;
    let key = this.#fonts.get(face);
    if (key === undefined) {
      key = this.#page.node.newFontDictionary('Marking', face.font.ref);
      this.#fonts.set(face, key);
    }
    this.#operators.push(
      beginText(),
      setFillingRgbColor(...colour),
      setFontAndSize(key, size),
      setTextMatrix(1, 0, 0, 1, x, this.height - baseline),
      showText(face.encode(text)),
      endText(),
    );
  }

  line(points: readonly Point[], width: number, colour: Colour): void {
    this.#pen(width, colour);
    this.#path(points);
    this.#operators.push(stroke());
  }

  shape(shape: Shape, colour: Colour, letters: { regular: Face; bold: Face }): void {
    if (shape.kind === 'text') {
      const face = shape.bold ? letters.bold : letters.regular;
      this.text(face.showable(shape.text), shape.at, face, shape.size, colour);
    } else if (shape.kind === 'area') {
      this.#operators.push(setFillingRgbColor(...colour));
      this.#path(shape.outline);
      this.#operators.push(closePath(), fill());
    } else {
      this.#pen(shape.width, colour);
      this.#curvePath(shape.start, shape.segments);
      this.#operators.push(stroke());
    }
  }

  rectangle({ x, y, width: w, height: h }: Area, colour: Colour): void {
    this.#operators.push(setFillingRgbColor(...colour));
    this.#path([
      [x, y],
      [x + w, y],
      [x + w, y + h],
      [x, y + h],
    ]);
    this.#operators.push(closePath(), fill());
  }

  finish(): void {
    this.#page.pushOperators(...this.#operators, popGraphicsState());
  }

  #pen(width: number, colour: Colour): void {
    this.#operators.push(
      setStrokingRgbColor(...colour),
      setLineWidth(width),
      setLineCap(LineCapStyle.Round),
      setLineJoin(LineJoinStyle.Round),
    );
  }

  #path(points: readonly Point[]): void {
    points.forEach(([x, y], index) =>
      this.#operators.push(index === 0 ? moveTo(x, this.height - y) : lineTo(x, this.height - y)),
    );
  }

  #curvePath(start: Point, segments: readonly (readonly [Point, Point, Point])[]): void {
    this.#operators.push(moveTo(start[0], this.height - start[1]));
    for (const [a, b, c] of segments) {
      this.#operators.push(
        appendBezierCurve(a[0], this.height - a[1], b[0], this.height - b[1], c[0], this.height - c[1]),
      );
    }
  }
}
