/** `node apps/cli/src/main.ts COMMAND …`: the command lines of the service. A command loads only its own code. */
const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  admin: () => import('./admin/main.ts'),
  agreement: () => import('./agreement/main.ts'),
  demo: () => import('./demo/main.ts'),
  migrate: () => import('./migrate/main.ts'),
};

// A command reads its arguments as if it were started alone, as in the images.
const [name = ''] = process.argv.splice(2, 1);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command === undefined) {
  process.stderr.write(`unknown command '${name}'; commands: ${Object.keys(COMMANDS).join(', ')}\n`);
  process.exitCode = 2;
} else await command();
