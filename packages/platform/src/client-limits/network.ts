/**
 * Network of a client, for limits and turns: an IPv4 address, or the /64 of an IPv6 address, because one client can use
 * all addresses of a /64. A text that is no address stays as it is.
 */
export const networkOf = (address: string): string => {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    while (groups.length + last.length < 8) groups.push('0');
    groups.push(...last);
  }
  return groups.slice(0, 4).join(':');
};
