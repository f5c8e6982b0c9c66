import { existsSync, readdirSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { inject } from 'vitest'
import { onceForRun } from '../vitest/once-for-run.js'

const ROOT = resolve(import.meta.dirname, '../../..')

/** What tests start in a process of its own. */
const STARTED = [
  ...['src/main.ts', 'src/cli.ts', 'src/commands/*.ts', 'src/process/schedule/schedule-child.ts'],
  ...['test/**/children/*.ts', 'test/support/**/*-worker.ts'],
]

/**
 * Packages that read files beside their own code, are compiled for the machine, or are CommonJS whose names only Node finds in a
 * dynamic import.
 */
const EXTERNAL = [
  '@aws-sdk/*',
  '@electric-sql/pglite',
  '@node-rs/argon2',
  '@opentelemetry/*',
  '@prisma/client',
  'pino',
]

/** What compiled files read beside them. */
const BESIDE = ['node_modules', 'package.json', 'prisma']

/**
 * What is left of CommonJS asks for modules of Node by a function that ES modules do not have. A start uses the embedded database,
 * which is WebAssembly, too briefly for V8's optimizing compiler to pay: it takes a quarter of the CPU time of a start.
 */
const BANNER = `import { createRequire as requireOf } from 'node:module'
import { setFlagsFromString as setV8Flags } from 'node:v8'
const require = requireOf(import.meta.url)
setV8Flags('--wasm-tiering-budget=100000000')`

/**
 * The JavaScript of a TypeScript file of this project, absolute or from its root, compiled once for the run together with
 * what it imports: loading the 1,800 modules of the gateway one by one is half of its start. What is shipped, module by
 * module, is what test/contract/documents/install.system.test.ts starts. Types are what `npm run check` is for.
 */
export async function compiled(file: string): Promise<string> {
  const directory = join(inject('runDirectory'), 'compiled')
  await onceForRun('compiled', async () => {
    await build({
      ...{ absWorkingDir: ROOT, entryPoints: STARTED, outbase: ROOT, outdir: directory },
      ...{ bundle: true, splitting: true, chunkNames: 'chunks/[hash]', external: EXTERNAL },
      ...{ format: 'esm', platform: 'node', target: 'node20', keepNames: true },
      ...{ banner: { js: BANNER }, plugins: [eachImported(), addressedAs(directory)], logLevel: 'silent' },
    })
    await Promise.all(BESIDE.map((name) => symlink(resolve(ROOT, name), join(directory, name))))
  })
  return join(directory, relative(ROOT, resolve(ROOT, file)).replace(/\.ts$/, '.js'))
}

/** What is found by its folder at a start has to be known when it is put together. */
function eachImported(): Plugin {
  const domains = resolve(ROOT, 'src/domains')
  const loading = (name: string) =>
    readdirSync(domains)
      .sort()
      .map((domain) => join(domains, domain, `${name}.ts`))
      .filter((file) => existsSync(file))
      .map((file) => `() => import(${JSON.stringify(file)})`)
  return {
    name: 'each-imported',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\/platform\/import-each\.ts$/ }, () => ({
        loader: 'js',
        contents: `const modules = { model: [${loading('model')}], schema: [${loading('schema')}] }
export async function importEach(_, name) { for (const load of modules[name]) await load() }`,
      }))
    },
  }
}

/** Each module keeps an address of its own, from which it finds what lies beside it, whichever file it is put into. */
function addressedAs(directory: string): Plugin {
  return {
    name: 'addressed-as',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!text.includes('import.meta.')) return null
        const place = join(directory, relative(ROOT, path)).replace(/\.ts$/, '.js')
        const contents = text
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href))
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(place)))
        return { loader: 'ts', contents }
      })
    },
  }
}
