import { proxy } from 'comlink';
import { useEffect, useRef, useState } from 'react';
import { openStackWorker, type OpenStackWorker } from './openStackWorker.ts';

/**
 * Draws the first page of each file, one after another.
 * @param files by a key that stays; a file that cannot be drawn has no picture
 * @returns addresses of the pictures by key
 */
export const useFirstPages = (files: ReadonlyMap<string, File>): ReadonlyMap<string, string> => {
  const [pictures, setPictures] = useState<ReadonlyMap<string, string>>(new Map());
  const opened = useRef<OpenStackWorker>(null);
  const begun = useRef(new Set<string>());
  const work = useRef(Promise.resolve());
  const addresses = useRef<string[]>([]);
  useEffect(
    () => () => {
      opened.current?.end();
      opened.current = null;
      begun.current.clear();
      for (const address of addresses.current) URL.revokeObjectURL(address);
    },
    [],
  );
  const draw = async (key: string, file: File): Promise<void> => {
    opened.current ??= openStackWorker();
    const show = proxy(async ({ picture }: { picture: Blob }): Promise<boolean> => {
      const address = URL.createObjectURL(picture);
      addresses.current.push(address);
      setPictures((before) => new Map(before).set(key, address));
      return false;
    });
    await opened.current.calls.look(key, file, false, show).catch(() => {});
  };
  useEffect(() => {
    for (const [key, file] of files) {
      if (begun.current.has(key)) continue;
      begun.current.add(key);
      work.current = work.current.then(() => draw(key, file));
    }
  });
  return pictures;
};
