import { COMPONENTS, permissionsText } from '@evaluation/jobs-contract';

/**
 * A configuration of nats-server whose lines `{ user: core, …, permissions: … }` have the permissions of
 * contracts/jobs/src/permissions.ts.
 * @param escape how the file writes what nats-server reads
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
