import { Agent, request } from 'undici';
import type { CoreAccess } from '@evaluation/core-client';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Handler } from './forwardToCore.ts';
import { coreFor } from './middleware/authenticate.ts';

/** For downloads of checked copies. A store that stops sending must not hold a connection for ever. */
const STORE = new Agent({ headersTimeout: 15_000, bodyTimeout: 30_000, connections: 32 });

/** Streams the file from the object store, where core says that it is. */
export const sendCheckedCopy =
  (core: CoreAccess): Handler =>
  async ({ req, res }) => {
    // A client that goes away, even before the store answers, must not keep a connection to the store.
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const copy = await coreFor(core, res).submissions.checkedCopy.query({
      submission_id: String(req.params['submissionId']),
    });
    const download = await request(copy.url, { dispatcher: STORE, signal: gone.signal }).catch(
      (error: unknown) => {
        if (gone.signal.aborted) throw error;
        throw new DomainFailure('service_unavailable');
      },
    );
    if (download.statusCode !== 200) {
      await download.body.dump();
      throw new DomainFailure('service_unavailable');
    }
    download.body.once('error', () => res.destroy());
    res.setHeader('Content-Type', 'application/pdf');
    res.setHeader('Content-Length', String(copy.size_bytes));
    return { status: 200, body: download.body };
  };
