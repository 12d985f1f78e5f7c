import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Files that are valid for a day, made by openssl: an authority, a certificate of this machine, one of the API
 * aggregator.
 */
export interface Certificates {
  folder: string;
  authority: string;
  certificate: string;
  key: string;
  aggregatorCertificate: string;
  aggregatorKey: string;
  /** Signs and checks the tokens of service accounts. */
  accountsKey: string;
  accountsPublicKey: string;
}

const run = promisify(execFile);
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** @param folder gets the files */
export const makeCertificates = async (folder: string): Promise<Certificates> => {
  const file = (name: string): string => join(folder, name);
  const authority = file('ca.crt');
  const authorityKey = file('ca.key');
  const request = (args: string[]) => run('openssl', ['req', '-x509', '-days', '1', ...NEW_KEY, ...args]);
  await request(['-subj', '/CN=rehearsal', '-keyout', authorityKey, '-out', authority]);
  const issue = (name: string, subject: string): Promise<unknown> =>
    request([
      '-CA',
      authority,
      '-CAkey',
      authorityKey,
      '-subj',
      `/CN=${subject}`,
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-addext',
      'basicConstraints=CA:FALSE',
      '-addext',
      'extendedKeyUsage=serverAuth,clientAuth',
      '-keyout',
      file(`${name}.key`),
      '-out',
      file(`${name}.crt`),
    ]);
  await issue('tls', 'localhost');
  await issue('aggregator', 'front-proxy');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  await writeFile(file('accounts.key'), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  await writeFile(file('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  return {
    folder,
    authority,
    certificate: file('tls.crt'),
    key: file('tls.key'),
    aggregatorCertificate: file('aggregator.crt'),
    aggregatorKey: file('aggregator.key'),
    accountsKey: file('accounts.key'),
    accountsPublicKey: file('accounts.pub'),
  };
};
