/*
 * Pods and Services have addresses of 10.0.0.0/8 in the cluster, because Kubernetes refuses loopback addresses as
 * endpoints. On this machine each of them is the loopback address with the same last three numbers: Linux serves all of
 * 127.0.0.0/8, so every pod can listen on the ports of its specification.
 */

/** @param address in the cluster @returns where it is on this machine */
export const onThisMachine = (address: string): string => address.replace(/^10\./, '127.');

/** Names of Services with their addresses in the cluster, as the DNS of the cluster knows them. */
export type Names = ReadonlyMap<string, string>;

/**
 * A container's variable as its process needs it here: names of Services and "all my addresses" become addresses of
 * this machine.
 */
export const translated = (value: string, ownAddress: string, names: Names): string => {
  if (value === '0.0.0.0') return onThisMachine(ownAddress);
  return value.replaceAll(/(?<=\/\/)[a-z0-9.-]+(?=[:/]|$)/g, (host) => {
    const address = names.get(host.split('.')[0] ?? '');
    return address === undefined ? host : onThisMachine(address);
  });
};
