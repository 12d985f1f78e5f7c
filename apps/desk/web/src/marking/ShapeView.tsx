import { screenLetters, type Shape } from '@evaluation/rules/marked-page';

const FONT = "'DejaVu Sans', Verdana, sans-serif";

/** Draws shapes of the marked page as the checked copy does. `grip` widens the lines so that they can be clicked. */
export const ShapeView = ({
  shape,
  colour,
  grip,
}: {
  shape: Shape;
  colour: string;
  grip?: number | undefined;
}) => {
  if (shape.kind === 'text') {
    const { text, at, size, bold } = shape;
    const width = (bold ? screenLetters.bold : screenLetters.regular).width(text, size);
    return (
      <text
        x={at[0]}
        y={at[1]}
        fill={colour}
        fontFamily={FONT}
        fontSize={size}
        fontWeight={bold ? 700 : 400}
        {...(text.length > 1 ? { textLength: width, lengthAdjust: 'spacingAndGlyphs' } : {})}
      >
        {text}
      </text>
    );
  }
  const path = pathOf(shape);
  return (
    <>
      {grip === undefined ? null : (
        <path d={path} fill="none" stroke="transparent" strokeWidth={grip} pointerEvents="stroke" />
      )}
      {shape.kind === 'area' ? (
        <path d={path} fill={colour} />
      ) : (
        <path
          d={path}
          fill="none"
          stroke={colour}
          strokeWidth={shape.width}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
    </>
  );
};

const pathOf = (shape: Exclude<Shape, { kind: 'text' }>): string => {
  const write = ([x, y]: readonly [number, number]): string => `${x.toFixed(2)} ${y.toFixed(2)}`;
  if (shape.kind === 'area') return `M${shape.outline.map(write).join('L')}Z`;
  const segments = shape.segments.map((points) => `C${points.map(write).join(' ')}`);
  return `M${write(shape.start)}${segments.join('')}`;
};
