import type { Annotation, ScreenQuestion } from './types.ts';

const placeOf = ({ x, y, width, height }: Annotation['box']) => ({
  left: `${x * 100}%`,
  top: `${y * 100}%`,
  width: `${width * 100}%`,
  height: `${height * 100}%`,
});

/**
 * Frames over a page, in fractions of the page: the answer to the question, the place of the chosen criterion, and
 * writing that belongs to no answer. The same facts are in the table of criteria, so screen readers skip this layer.
 */
export const PageMarks = ({
  page,
  question,
  stray,
  criterion,
}: {
  page: number;
  /** Question on the screen, whose answer is framed. */
  question: ScreenQuestion | undefined;
  /** Regions that belong to no answer. */
  stray: readonly { page: number; box: Annotation['box'] }[];
  /** Number of the chosen criterion, whose place is highlighted. */
  criterion: number | null;
}) => {
  const chosen = criterion === null ? undefined : question?.result.annotations?.[criterion + 1];
  const layers = [
    { name: 'marking-stray', places: stray },
    { name: 'marking-frame', places: question?.blocks ?? [] },
    { name: 'marking-highlight', places: chosen === undefined ? [] : [chosen] },
  ];
  return (
    <div aria-hidden="true" className="marking-layer">
      {layers.flatMap(({ name, places }) =>
        places.flatMap((place, index) =>
          place.page === page
            ? [<div key={`${name} ${index}`} className={name} style={placeOf(place.box)} />]
            : [],
        ),
      )}
    </div>
  );
};
