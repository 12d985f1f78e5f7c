import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { useHotkeys } from 'react-hotkeys-hook';
import { useText, type TextKey } from '../app/language.ts';
import { useActionKeys } from './keys.ts';
import type { InkOfCopy } from './useInk.ts';

const TOOLS = ['tick', 'cross', 'text', 'pen', 'underline', 'ring', 'erase'] as const;
export type Tool = (typeof TOOLS)[number];

const NAMES: Readonly<Record<Tool, TextKey>> = {
  tick: 'marking.ink.tick',
  cross: 'marking.ink.cross',
  text: 'marking.ink.text',
  pen: 'marking.ink.pen',
  underline: 'marking.ink.underline',
  ring: 'marking.ink.ring',
  erase: 'marking.ink.erase',
};

const ICONS: Readonly<Record<Tool | 'cancel' | 'takeBack', string>> = {
  tick: 'M3 9l4 4 7-10',
  cross: 'M3 3l10 10M13 3L3 13',
  text: 'M3 3h10M8 3v11',
  pen: 'M3 13c2-6 3 1 5-3s2 1 5-7',
  underline: 'M4 2v5a4 4 0 0 0 8 0V2M3 14h10',
  ring: 'M8 3c8 0 8 10 0 10S0 3 8 3z',
  erase: 'M9 3l5 5-5 5H5L2 10zM5.500 6.500l5 5',
  cancel: 'M3 2h10v12H3zM13 2L3 14',
  takeBack: 'M6 3L2 7l4 4M2 7h8a4 4 0 0 1 0 7H7',
};

const Icon = ({ path }: { path: string }) => (
  <svg
    viewBox="0 0 16 16"
    width="16"
    height="16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    aria-hidden
  >
    <path d={path} strokeLinecap="round" strokeLinejoin="round" />
  </svg>
);

/** The tools with which a teacher draws on the pages. */
export const InkTools = ({
  ink,
  tool,
  isClosed,
  onTool,
  onStamp,
  onCancelPage,
}: {
  ink: InkOfCopy;
  tool: Tool | null;
  /** Whether the copy takes no ink, such as after it is final. */
  isClosed: boolean;
  onTool: (tool: Tool | null) => void;
  /** Draws at the pointer, or beside the answer if the pointer is not over a page. */
  onStamp: (tool: 'tick' | 'cross' | 'text') => void;
  onCancelPage: () => void;
}) => {
  const t = useText();
  const toggle = (wanted: Tool): void => onTool(tool === wanted ? null : wanted);
  const unlessClosed = (act: () => void) => () => {
    if (!isClosed) act();
  };
  useActionKeys({
    inkTick: unlessClosed(() => onStamp('tick')),
    inkCross: unlessClosed(() => onStamp('cross')),
    inkText: unlessClosed(() => onStamp('text')),
    inkPen: unlessClosed(() => toggle('pen')),
    inkTakeBack: unlessClosed(ink.takeBack),
  });
  useHotkeys('escape', () => onTool(null), { enabled: tool !== null, enableOnFormTags: true });
  const acts = [
    { name: 'cancel', label: t('marking.ink.cancel'), act: onCancelPage, isOff: isClosed },
    {
      name: 'takeBack',
      label: t('marking.ink.takeBack'),
      act: ink.takeBack,
      isOff: isClosed || !ink.canTakeBack,
    },
  ] as const;
  return (
    <div className="marking-tools" role="toolbar" aria-label={t('marking.ink')}>
      {TOOLS.map((each) => (
        <Tooltip key={each} label={t(NAMES[each])}>
          <ActionIcon
            variant={tool === each ? 'filled' : 'default'}
            aria-label={t(NAMES[each])}
            aria-pressed={tool === each}
            disabled={isClosed}
            onClick={() => toggle(each)}
          >
            <Icon path={ICONS[each]} />
          </ActionIcon>
        </Tooltip>
      ))}
      {acts.map(({ name, label, act, isOff }) => (
        <Tooltip key={name} label={label}>
          <ActionIcon variant="default" aria-label={label} disabled={isOff} onClick={act}>
            <Icon path={ICONS[name]} />
          </ActionIcon>
        </Tooltip>
      ))}
      <Text component="span" size="xs" role="status">
        {ink.waiting === 0
          ? null
          : t(ink.connection === 'unreachable' ? 'marking.ink.offline' : 'marking.ink.saving', {
              count: ink.waiting,
            })}
      </Text>
    </div>
  );
};
