import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { SheetBox, Zoom } from './sheets.ts';

/** Pixels between the edge of the pane and an answer that is scrolled into view. */
const MARGIN = 32;
const SMALLEST = 0.5;
const LARGEST = 6;

export const enlarged = (zoom: Zoom, by: number): Zoom => ({
  ...zoom,
  factor: Math.min(Math.max(zoom.factor * by, SMALLEST), LARGEST),
});

/** Place in the pane that keeps its content when the sheets change their size. */
interface Anchor {
  page: number;
  /** Fractions of the sheet. */
  inSheet: { x: number; y: number };
  inPane: { x: number; y: number };
}

/** The pane in which the sheets are scrolled: its size, and what is in view. */
export const usePane = () => {
  const { ref: sized, width, height } = useElementSize<HTMLDivElement>();
  const element = useRef<HTMLDivElement>(null);
  return { ref: useMergedRef(element, sized), element, size: { width, height } };
};

export const useScroll = (
  pane: ReturnType<typeof usePane>,
  boxes: readonly SheetBox[],
  onZoom: (by: number) => void,
) => {
  const { element } = pane;
  const [top, setTop] = useState(0);
  const anchor = useRef<Anchor | null>(null);

  const hold = useCallback(
    (inPane?: { x: number; y: number }) => {
      const shown = element.current;
      if (shown === null) return;
      const at = inPane ?? { x: shown.clientWidth / 2, y: shown.clientHeight / 2 };
      const y = shown.scrollTop + at.y;
      const box = boxes.findLast((each) => each.top <= y) ?? boxes[0];
      if (box === undefined) return;
      const inSheet = {
        x: (shown.scrollLeft + at.x - box.left) / box.width,
        y: (y - box.top) / box.height,
      };
      anchor.current = { page: box.page, inSheet, inPane: at };
    },
    [boxes, element],
  );
  useLayoutEffect(() => {
    const shown = element.current;
    const held = anchor.current;
    const box = boxes[(held?.page ?? 0) - 1];
    if (shown === null || held === null || box === undefined) return;
    shown.scrollTop = box.top + held.inSheet.y * box.height - held.inPane.y;
    shown.scrollLeft = box.left + held.inSheet.x * box.width - held.inPane.x;
  }, [boxes, element]);

  useEffect(() => {
    const shown = element.current;
    if (shown === null) return;
    const inPane = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
      const { left, top: above } = shown.getBoundingClientRect();
      return { x: clientX - left, y: clientY - above };
    };
    const onScroll = (): void => {
      hold();
      setTop(Math.round(shown.scrollTop / 40) * 40);
    };
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      hold(inPane(event));
      onZoom(Math.exp(-event.deltaY / 400));
    };
    let apart = 0;
    const distance = ([one, other]: TouchList | Touch[]): number =>
      one === undefined || other === undefined
        ? 0
        : Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    const onPinch = (event: TouchEvent): void => {
      const now = distance([...event.touches]);
      if (event.touches.length === 2 && event.type === 'touchmove' && apart > 0) {
        event.preventDefault();
        hold();
        onZoom(now / apart);
      }
      apart = now;
    };
    const stop = new AbortController();
    const { signal } = stop;
    shown.addEventListener('scroll', onScroll, { passive: true, signal });
    shown.addEventListener('wheel', onWheel, { passive: false, signal });
    for (const type of ['touchstart', 'touchmove', 'touchend'] as const)
      shown.addEventListener(type, onPinch, { passive: false, signal });
    return () => stop.abort();
  }, [element, hold, onZoom]);

  const height = pane.size.height;
  const near = boxes.filter((box) => box.top < top + height * 2 && box.top + box.height > top - height);
  return {
    /** The page that fills most of the upper part of the pane. */
    page: boxes.findLast((box) => box.top <= top + height / 3)?.page ?? 1,
    near: new Set(near.map((box) => box.page)),
    scrollToPage: (page: number): void => {
      element.current?.scrollTo({ top: (boxes[page - 1]?.top ?? 0) - 4 });
      // At once: the event of the scrolling comes later, and a new size of the pane would scroll back until then.
      hold();
    },
    /** Moves an area into view, its upper left corner if it is larger than the pane. An area in view stays. */
    reveal: ({ from, to }: { from: { x: number; y: number }; to: { x: number; y: number } }): void => {
      const shown = element.current;
      if (shown === null) return;
      const scrolled = (start: number, end: number, at: number, room: number): number => {
        if (start >= at + 4 && end <= at + room - 4) return at;
        const margin = Math.max(4, Math.min(MARGIN, (room - (end - start)) / 2));
        return Math.max(0, start - margin);
      };
      shown.scrollTo({
        top: scrolled(from.y, to.y, shown.scrollTop, shown.clientHeight),
        left: scrolled(from.x, to.x, shown.scrollLeft, shown.clientWidth),
      });
      hold();
    },
  };
};
