import type { Annotation, ScreenQuestion } from './types.ts';

const SIGNS: Readonly<Record<Annotation['kind'], string>> = { tick: '✓', cross: '✗', comment: '✎', mark: '' };

const placeOf = ({ x, y, width, height }: Annotation['box']) => ({
  left: `${x * 100}%`,
  top: `${y * 100}%`,
  width: `${width * 100}%`,
  height: `${height * 100}%`,
});

/**
 * The marks of the AI over a page, in fractions of the page. The first annotation of a question is its mark; the others
 * stand in the order of the criteria. The same facts are in the table of criteria, so screen readers skip this layer.
 */
export const PageMarks = ({
  page,
  questions,
  stray,
  chosen,
  criterion,
}: {
  page: number;
  /** Regions that belong to no answer. */
  stray: readonly { page: number; box: Annotation['box'] }[];
  questions: readonly ScreenQuestion[];
  /** Question on the screen, whose answer is framed. */
  chosen: string;
  /** Number of the chosen criterion, whose place is highlighted. */
  criterion: number | null;
}) => (
  <div aria-hidden="true" className="marking-layer">
    {stray.flatMap(({ page: at, box }, index) =>
      at === page ? [<div key={`stray ${index}`} className="marking-stray" style={placeOf(box)} />] : [],
    )}
    {questions.flatMap(({ result, blocks }) => {
      const isChosen = result.question_id === chosen;
      const frames = isChosen
        ? blocks
            .filter((block) => block.page === page)
            .map(({ box }, index) => (
              <div key={`block ${index}`} className="marking-frame" style={placeOf(box)} />
            ))
        : [];
      const marks = (result.annotations ?? []).flatMap((annotation, index) =>
        annotation.page === page
          ? [
              <div
                key={`${result.question_id} ${index}`}
                className={
                  isChosen && criterion !== null && index === criterion + 1
                    ? 'marking-note marking-highlight'
                    : 'marking-note'
                }
                data-kind={annotation.kind}
                title={annotation.text}
                style={placeOf(annotation.box)}
              >
                <span>{annotation.kind === 'mark' ? annotation.text : SIGNS[annotation.kind]}</span>
              </div>,
            ]
          : [],
      );
      return [...frames, ...marks];
    })}
  </div>
);
