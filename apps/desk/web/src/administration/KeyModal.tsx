import { Button, Checkbox, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { isScope, SCOPES, scopeName, type Key } from './keys.ts';

const MOST_COPIES = 1_000_000_000;

export const KeyModal = ({
  known,
  onSaved,
  onClose,
}: {
  /** The key to change; null for a new key. */
  known: Key | null;
  /** Called with the new key, or with null after a change of a key. */
  onSaved: (apiKey: string | null) => void;
  onClose: () => void;
}) => {
  const t = useText();
  const [scopes, setScopes] = useState<string[]>(known?.scopes ?? ['evaluation:read', 'evaluation:write']);
  const [cap, setCap] = useState<string | number>(known?.daily_copy_cap ?? '');
  const [expiry, setExpiry] = useState(known?.expires_at?.slice(0, 10) ?? '');
  const create = useMutation(
    calls.desk.keys.create.mutationOptions({
      onSuccess: ({ api_key }) => onSaved(api_key),
    }),
  );
  const edit = useMutation(calls.desk.keys.edit.mutationOptions({ onSuccess: () => onSaved(null) }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const terms = {
      scopes: scopes.filter(isScope),
      daily_copy_cap: cap === '' ? null : Number(cap),
      // A key works until the end of the day that the form shows.
      expires_at: expiry === '' ? null : `${expiry}T23:59:59Z`,
    };
    if (known === null) create.mutate(terms);
    else edit.mutate({ ...terms, key_id: known.key_id });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(known === null ? 'administration.keys.new' : 'administration.keys.changeTitle')}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Checkbox.Group label={t('administration.keys.scopes')} value={scopes} onChange={setScopes}>
            <Stack gap="xs" mt="xs">
              {SCOPES.map((scope) => (
                <Checkbox key={scope} value={scope} label={t(scopeName(scope))} />
              ))}
            </Stack>
          </Checkbox.Group>
          <NumberInput
            label={t('administration.keys.cap')}
            description={t('administration.keys.cap.about')}
            value={cap}
            onChange={setCap}
            min={0}
            max={MOST_COPIES}
            allowDecimal={false}
            hideControls
          />
          <TextInput
            type="date"
            label={t('administration.keys.expires')}
            description={t('administration.keys.expires.about')}
            value={expiry}
            onChange={(event) => setExpiry(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending || edit.isPending} disabled={scopes.length === 0}>
              {t(known === null ? 'administration.keys.create' : 'app.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};
