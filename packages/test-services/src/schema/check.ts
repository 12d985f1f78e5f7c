/** `npm run check:schema`: fails when the migrations do not lead to what schema.prisma says, and shows the difference. */
import { drift } from '@evaluation/database/drift';
import { withServer } from './withServer.ts';

const difference = await withServer((superuserUrl) => drift(superuserUrl));
if (difference !== '') {
  console.error(`The migrations do not lead to schema.prisma. Missing:\n\n${difference}\n`);
  console.error('Write it with: npm run new-migration --workspace @evaluation/test-services -- NAME');
  process.exitCode = 1;
}
