/** `npm run check:schema`: fails and prints the difference when the migrations differ from schema.prisma. */
import { drift } from '@evaluation/database/drift';
import { withServer } from './withServer.ts';

const difference = await withServer((superuserUrl) => drift(superuserUrl));
if (difference !== '') {
  console.error(`The migrations differ from schema.prisma. Missing:\n\n${difference}\n`);
  console.error('Write it with: npm run new-migration --workspace @evaluation/test-services -- NAME');
  process.exitCode = 1;
}
