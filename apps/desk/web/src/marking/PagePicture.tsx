import { useEffect, useRef, useState } from 'react';
import { useText } from '../app/language.ts';
import { loadPage, showUpright, type Pictures } from './loadPage.ts';

const A4_RATIO = 1.414;

/** Shows the picture of one page at the width of its parent. */
export const PagePicture = ({
  submissionId,
  pictures,
  page,
  attempt,
  onProblem,
}: {
  submissionId: string;
  pictures: Pictures;
  page: number;
  /** Another number loads a page again that was not loaded. */
  attempt: number;
  onProblem: () => void;
}) => {
  const t = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = pictures.pages[page - 1];
  const rotation = place?.rotation ?? 0;
  const [shown, setShown] = useState<string | null>(null);
  const wanted = `${submissionId} ${page}`;
  useEffect(() => {
    let isOver = false;
    loadPage(submissionId, pictures, page).then(
      (picture) => {
        if (isOver || canvas.current === null) return;
        showUpright(canvas.current, picture, rotation);
        setShown(wanted);
      },
      () => {
        if (!isOver) onProblem();
      },
    );
    return () => {
      isOver = true;
    };
    // A new address of a picture that is shown is no reason to load it again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted, attempt, onProblem]);
  const ratio = place === undefined ? A4_RATIO : place.height / place.width;
  return (
    <canvas
      ref={canvas}
      className="marking-canvas"
      role="img"
      aria-label={t('marking.page.picture', { page })}
      // The former page must not be taken for this one while this one is loaded.
      style={{
        aspectRatio: `1 / ${rotation % 180 === 0 ? ratio : 1 / ratio}`,
        visibility: shown === wanted ? 'visible' : 'hidden',
      }}
    />
  );
};
