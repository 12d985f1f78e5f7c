import { proxy } from 'comlink';
import { useEffect, useRef, useState } from 'react';
import { newKey } from '../../app/newKey.ts';
import type { CutPage } from '../paper/cut.ts';
import type { StackPage } from './plan.ts';
import { openStackWorker, type OpenStackWorker } from '../paper/openStackWorker.ts';

/** A page with the address of its picture. */
interface ShownPage extends StackPage {
  picture: string;
}

/** Most pages of one stack; the pictures of so many take about 100 MB. */
const MOST_STACKED = 1000;
/** Pages that are shown together, so that a large stack is not drawn anew for each page. */
const SHOWN_AT_ONCE = 20;

type FileFault = 'notReadable' | 'heic' | 'otherKind' | 'tooManyPages';

interface Stack {
  pages: readonly ShownPage[];
  /** Files that could not be read. */
  faults: readonly { name: string; fault: FileFault }[];
  /** Pages that were looked at and those of the files so far; null when none is looked at. */
  progress: { done: number; count: number } | null;
  add: (files: readonly File[]) => void;
  cut: (copies: readonly (readonly CutPage[])[]) => Promise<Blob[]>;
}

const isPdf = ({ type, name }: File): boolean => type === 'application/pdf' || /\.pdf$/i.test(name);
const isHeic = ({ type, name }: File): boolean => /^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name);
const isPhoto = ({ type, name }: File): boolean =>
  /^image\/(?:jpeg|png|webp)$/.test(type) || /\.(?:jpe?g|png|webp)$/i.test(name);

/** The stack on the page. It lives as long as the page is open: the browser keeps no content of files. */
export const useStack = (): Stack => {
  const [pages, setPages] = useState<readonly ShownPage[]>([]);
  const [faults, setFaults] = useState<Stack['faults']>([]);
  const [progress, setProgress] = useState<Stack['progress']>(null);
  const opened = useRef<OpenStackWorker & { queue: Promise<void> }>(null);
  const pictures = useRef<string[]>([]);
  useEffect(
    () => () => {
      opened.current?.end();
      opened.current = null;
      for (const picture of pictures.current) URL.revokeObjectURL(picture);
    },
    [],
  );
  const open = () => {
    if (opened.current === null) {
      opened.current = { ...openStackWorker(), queue: Promise.resolve() };
    }
    return opened.current;
  };

  const lookAtFile = async (file: File): Promise<void> => {
    const fail = (fault: FileFault): void => setFaults((before) => [...before, { name: file.name, fault }]);
    const isPicture = isPhoto(file) || isHeic(file);
    if (!isPdf(file) && !isPicture) return fail('otherKind');
    const key = newKey();
    const source = { key, name: file.name, isPhoto: isPicture };
    const found: ShownPage[] = [];
    let isTooMuch = false;
    const show = (): void => {
      const shown = [...found];
      // The pages of this file are the last ones.
      setPages((before) => [...before.filter((page) => page.file.key !== key), ...shown]);
    };
    try {
      await open().calls.look(
        key,
        file,
        isPicture,
        proxy(async ({ picture, count, ...look }) => {
          if (opened.current === null) return false;
          isTooMuch = pictures.current.length + count - look.index > MOST_STACKED;
          if (isTooMuch) return false;
          const address = URL.createObjectURL(picture);
          const done = pictures.current.push(address);
          found.push({ ...look, key: `${key} ${look.index}`, file: source, picture: address });
          setProgress({ done, count: done + count - look.index - 1 });
          if (found.length % SHOWN_AT_ONCE === 0) show();
          return true;
        }),
      );
      show();
      if (isTooMuch) fail('tooManyPages');
    } catch {
      // A file without all its pages would make copies without pages.
      found.length = 0;
      show();
      // Safari decodes HEIC; other browsers do not.
      fail(isHeic(file) ? 'heic' : 'notReadable');
    }
  };

  return {
    pages,
    faults,
    progress,
    add: (files) => {
      const inOrder = files.toSorted((one, other) =>
        one.name.localeCompare(other.name, undefined, { numeric: true }),
      );
      const session = open();
      setProgress((before) => before ?? { done: pages.length, count: pages.length + 1 });
      session.queue = session.queue.then(async () => {
        for (const file of inOrder) await lookAtFile(file);
        setProgress(null);
      });
    },
    cut: (copies) => open().calls.cut(copies.map((pagesOfCopy) => [...pagesOfCopy])),
  };
};
