import { deploy } from '@evaluation/database';
import { onServer } from './onServer.ts';

const TEMPLATE = 'evaluation_template';

/**
 * Make the migrated database that all clones are copies of.
 *
 * @param postgres a server with the service's role (see `TestServices`)
 * @returns its name
 */
export async function makeTemplate(postgres: { superuserUrl: string; url: string }): Promise<string> {
  const { username } = new URL(postgres.url);
  await onServer(postgres.superuserUrl, `CREATE DATABASE ${TEMPLATE} OWNER ${decodeURIComponent(username)}`);
  const url = new URL(postgres.url);
  url.pathname = `/${TEMPLATE}`;
  await deploy(url.href);
  // A database that somebody is connected to cannot be copied.
  await onServer(
    postgres.superuserUrl,
    `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false IS_TEMPLATE true`,
  );
  return TEMPLATE;
}
