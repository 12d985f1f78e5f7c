import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coreOverHttp } from '@evaluation/core-client';
import { readStandaloneSettings } from '@evaluation/platform/settings';
import { startStandalone } from '@evaluation/standalone';
import { blankPdf } from '../../../tests/harness/pdfs.ts';
import { EVERY_SCOPE } from '../../../tests/harness/service.ts';
import type { Given } from './life.ts';

/** Starts the service on free ports, with its data in `folder`. Each life gets institutes of its own. */
export const startForClients = async (
  folder: string,
): Promise<{ baseUrl: string; newLife(): Promise<Given>; close(): Promise<void> }> => {
  const service = await startStandalone(
    readStandaloneSettings({
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      CORE_PORT: '0',
      DESK_PORT: '0',
      LOG_LEVEL: 'error',
    }),
  );
  const core = coreOverHttp({ url: service.coreUrl, token: service.installation.tokens.control });
  const { control } = core.as({});
  const copy = join(folder, 'copy.pdf');
  await writeFile(copy, blankPdf());
  return {
    baseUrl: service.baseUrl,
    newLife: async () => {
      const life = { name: 'Life', credits: 1000, daily_copy_quota: 2 };
      const { institute_id } = await control.createInstitute.mutate(life);
      const all = await control.createKey.mutate({ institute_id, scopes: [...EVERY_SCOPE] });
      const readOnly = await control.createKey.mutate({ institute_id, scopes: ['evaluation:read'] });
      const poor = await control.createInstitute.mutate({ name: 'Poor', credits: 0 });
      const poorKey = await control.createKey.mutate({ institute_id: poor.institute_id });
      return {
        baseUrl: service.baseUrl,
        apiKey: all.api_key,
        readOnlyKey: readOnly.api_key,
        poorKey: poorKey.api_key,
        copy,
      };
    },
    close: async () => {
      await core.close();
      await service.close();
    },
  };
};
