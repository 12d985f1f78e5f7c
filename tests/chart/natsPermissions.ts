import { COMPONENTS, permissionsText } from '@evaluation/jobs-contract';

/**
 * Puts the permissions of contracts/jobs/src/permissions.ts into the lines `{ user: core, …, permissions: … }` of a
 * configuration of nats-server.
 * @param escape escapes for the file format around the configuration
 */
export const withPermissions = (
  text: string,
  namespace: string,
  escape: (permissions: string) => string = (permissions) => permissions,
): string => {
  let result = text;
  for (const component of COMPONENTS) {
    const permissions = escape(permissionsText(component, namespace));
    result = result.replace(
      new RegExp(`(\\{ user: ${component}, .*permissions: ).*( \\})$`, 'm'),
      (_, before: string, after: string) => `${before}${permissions}${after}`,
    );
  }
  return result;
};
