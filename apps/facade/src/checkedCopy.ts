import { Agent, request } from 'undici';
import type { CoreAccess } from '@evaluation/core-client';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Handler } from './forwardToCore.ts';
import { coreFor } from './middleware/authenticate.ts';

/** Connections for downloads of checked copies. The timeouts free a connection when the store stops sending. */
const STORE = new Agent({ headersTimeout: 15_000, bodyTimeout: 30_000, connections: 32 });

export const sendCheckedCopy =
  (core: CoreAccess): Handler =>
  async ({ req, res }) => {
    // Aborts the download when the client disconnects, also before the store answers.
    const disconnected = new AbortController();
    res.once('close', () => disconnected.abort());
    const copy = await coreFor(core, res).submissions.checkedCopy.query({
      submission_id: String(req.params['submissionId']),
    });
    const download = await request(copy.url, { dispatcher: STORE, signal: disconnected.signal }).catch(
      (error: unknown) => {
        if (disconnected.signal.aborted) throw error;
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
