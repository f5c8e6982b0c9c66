// Runs the checks of the code, or those that are named: npm run check -- [NAME] [OPTIONS of that check]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'

const tsx = (script: string) => `node --import tsx scripts/${script}`

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  format: ['biome check .'],
  // With several checkers the compiler takes half as much CPU time again; the other core has the other commands.
  types: ['tsc -p tsconfig.json --singleThreaded', 'tsc -p src/portal --singleThreaded'],
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

/** Each core runs one command at a time; the output of a command is shown when it ends. */
const waiting = commands[Symbol.iterator]()
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting))

async function runWaiting(): Promise<void> {
  for (const command of waiting) {
    const [program = '', ...given] = command.split(' ')
    const child = spawn(program, [...given, ...options], { stdio: ['inherit', 'pipe', 'pipe'] })
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    process.stdout.write(out)
    process.stderr.write(err)
    if (code === 0) continue
    process.exitCode = Number(code ?? 1)
    return
  }
}
