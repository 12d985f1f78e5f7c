/**
 * A bare server of express and pg on tables of the service, without keys, limits, checks, tenancy or envelope.
 * `GET /submissions/:id` reads one row as one JSON body. `POST /submissions` writes the rows that the service writes
 * for one typed submission, in one transaction.
 */
import { once } from 'node:events';
import express from 'express';
import pg from 'pg';
import { rowWriter, type TemplateRow } from './templateRows.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 12 });
const template: TemplateRow[] = JSON.parse(process.env['TEMPLATE_ROWS'] ?? '[]');
const counted: string[] = JSON.parse(process.env['COUNTED'] ?? '[]');
const writeRows = rowWriter(template);

const read = async (id: string): Promise<unknown> => {
  const { rows } = await pool.query(
    `select s.id, s.exam_id, s.candidate_id, c.external_id, s.state, s.replaced_by, s.status, s.lane, s.pages,
       s.needs_review, s.review_reasons, s.finalized_at, s.attempt_count, s.rubric_version, s.questions_total,
       s.questions_done, s.quote_unit, s.quote_credits, s.quote_rate_source, s.credits_charged, s.error, s.warnings,
       s.metadata, s.created_at, s.updated_at
     from submissions s join candidates c on c.institute_id = s.institute_id and c.id = s.candidate_id
     where s.id = $1`,
    [id],
  );
  return rows[0];
};

const write = async (key: string): Promise<string> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const id = await writeRows(client, key);
    for (const statement of counted) await client.query(statement);
    await client.query('commit');
    return id;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
};

const app = express();
app.use(express.json());
app.get('/submissions/:id', (request, response, next) => {
  read(request.params.id).then((row) => response.json(row), next);
});
app.post('/submissions', (request, response, next) => {
  write(String(request.headers['idempotency-key'])).then((id) => response.status(202).json({ id }), next);
});

process.once('disconnect', () => process.exit());
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the system named no port');
process.send?.(`http://127.0.0.1:${address.port}`);
