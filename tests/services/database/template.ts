import { deploy } from '@evaluation/database';
import { onServer } from './onServer.ts';

const TEMPLATE = 'evaluation_template';

/**
 * Creates the migrated template database.
 *
 * @param postgres a server with the service's role (see `TestServices`)
 * @returns its name
 */
export const makeTemplate = async (postgres: { superuserUrl: string; url: string }): Promise<string> => {
  const { username } = new URL(postgres.url);
  await onServer(postgres.superuserUrl, `CREATE DATABASE ${TEMPLATE} OWNER ${decodeURIComponent(username)}`);
  const url = new URL(postgres.url);
  url.pathname = `/${TEMPLATE}`;
  await deploy(url.href);
  // PostgreSQL cannot copy a database that has connections.
  await onServer(
    postgres.superuserUrl,
    `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false IS_TEMPLATE true`,
  );
  return TEMPLATE;
};
