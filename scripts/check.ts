// Runs the checks of the code, or those that are named: npm run check -- [NAME] [OPTIONS of that check]
import { spawnSync } from 'node:child_process'

const tsx = (script: string) => `node --import tsx scripts/${script}`

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  format: ['biome check .'],
  types: ['tsc -p tsconfig.json', 'tsc -p src/portal'],
  layers: ['depcruise --config scripts/layers.cjs src scripts'],
  unused: ['knip'],
  schema: [tsx('print-schema.ts --check')],
  star: [tsx('star-views.ts --check')],
  migrations: [
    'prisma migrate diff --from-migrations prisma/migrations --to-schema prisma/schema --exit-code',
  ],
  licenses: [tsx('check-licenses.ts')],
}

/** Checks that install packages or ask a registry, which only run by name. */
const OTHERS: typeof CHECKS = {
  audit: [tsx('audit.ts')],
  openapi: [tsx('check-openapi.ts')],
  image: [tsx('check-image.ts')],
  kubernetes: [tsx('check-kubernetes.ts')],
}

const [name, ...options] = process.argv.slice(2)
const commands = name === undefined ? Object.values(CHECKS).flat() : ({ ...CHECKS, ...OTHERS }[name] ?? [])
if (commands.length === 0) {
  const names = [...Object.keys(CHECKS), ...Object.keys(OTHERS)].join(', ')
  process.stderr.write(`There is no check ${name}; use one of: ${names}.\n`)
  process.exitCode = 2
}
for (const command of commands) {
  const [program = '', ...given] = command.split(' ')
  const { status } = spawnSync(program, [...given, ...options], { stdio: 'inherit' })
  if (status === 0) continue
  process.exitCode = status ?? 1
  break
}
