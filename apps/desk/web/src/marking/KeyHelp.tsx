import { Button, Group, Kbd, Switch, Table, Title } from '@mantine/core';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useText } from '../app/language.ts';
import type { TextKey } from '../app/texts.ts';
import { ACTIONS, keyStore, useActionKeys, useKeySettings, type Action } from './keys.ts';

const LABELS: Readonly<Record<Action, TextKey>> = {
  confirmAndNext: 'marking.keys.confirmAndNext',
  confirm: 'marking.confirm',
  takeSuggestion: 'marking.suggestion.take',
  next: 'marking.next',
  previous: 'marking.previous',
  undo: 'marking.undo',
  raise: 'marking.keys.raise',
  lower: 'marking.keys.lower',
  comment: 'marking.comment',
  flag: 'marking.flag',
  nextPage: 'marking.page.next',
  previousPage: 'marking.page.previous',
  zoomIn: 'marking.page.zoomIn',
  zoomOut: 'marking.page.zoomOut',
  hideMarks: 'marking.page.hideMarks',
  inkTick: 'marking.ink.tick',
  inkCross: 'marking.ink.cross',
  inkText: 'marking.ink.textField',
  inkPen: 'marking.ink.pen',
  inkTakeBack: 'marking.ink.takeBack',
  help: 'marking.keys',
};

export const KeyHelp = () => {
  const t = useText();
  const { keys, isOn } = useKeySettings();
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (): void => {
    setOpen(true);
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<Action | null>(null);
  useActionKeys({ help: open });

  const take = (event: KeyboardEvent, action: Action): void => {
    if (asked !== action || ['Tab', 'Escape', 'Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
    event.preventDefault();
    keyStore.rebind(action, event.key.toLowerCase());
    setAsked(null);
  };
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={open}>
        {t('marking.keys')}
      </Button>
      <dialog
        ref={dialog}
        className="marking-dialog"
        aria-label={t('marking.keys')}
        onClose={() => setOpen(false)}
      >
        {isOpen ? (
          <>
            <Title order={2} size="h3" mb="sm">
              {t('marking.keys')}
            </Title>
            <Switch
              label={t('marking.keys.on')}
              checked={isOn}
              onChange={(event) => keyStore.turn(event.currentTarget.checked)}
            />
            <Table aria-label={t('marking.keys')} mt="sm">
              <Table.Tbody>
                {ACTIONS.map((action) => (
                  <Table.Tr key={action}>
                    <Table.Th scope="row">{t(LABELS[action])}</Table.Th>
                    <Table.Td>
                      <Kbd>{keys[action]}</Kbd>
                    </Table.Td>
                    <Table.Td>
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={t('marking.keys.changeOf', { action: t(LABELS[action]) })}
                        onClick={() => setAsked(action)}
                        onKeyDown={(event) => take(event, action)}
                      >
                        {t(asked === action ? 'marking.keys.press' : 'marking.keys.change')}
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
            <Group mt="sm">
              <Button variant="default" onClick={keyStore.reset}>
                {t('marking.keys.reset')}
              </Button>
              <Button onClick={() => dialog.current?.close()}>{t('app.close')}</Button>
            </Group>
          </>
        ) : null}
      </dialog>
    </>
  );
};
