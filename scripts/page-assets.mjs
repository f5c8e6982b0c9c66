// Writes the scripts and styles of the pages (portal, GraphiQL, Swagger UI) and the guides as modules into src/generated/page-assets, so that they
// are compiled with the gateway: their packages are 30 MB, of which the pages need a third, and one has an install script.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { guidesModule } from './guides.mjs'
import { buildPortal } from './portal.mjs'

const require = createRequire(import.meta.url)

/** Level 9 takes three seconds for all; 11 takes a minute for a tenth less. */
const BROTLI_LEVEL = 9

const SWAGGER = dirname(require.resolve('swagger-ui-dist/package.json'))
const PREACT = dirname(require.resolve('preact/package.json'))
const UPLOT = dirname(require.resolve('uplot/package.json'))
const GRAPHIQL = dirname(require.resolve('@graphql-yoga/render-graphiql/package.json'))

/** What must accompany the copies. */
const LICENSES = [
  [SWAGGER, ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt']],
  [GRAPHIQL, ['LICENSE']],
  [PREACT, ['LICENSE']],
  [UPLOT, ['LICENSE']],
]

/** `bundled`: directories of packages that are compiled into the gateway beside the pages. */
export async function writePageAssets(root, bundled) {
  const directory = resolve(root, 'src/generated/page-assets')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const write = (name, text) => writeFileSync(resolve(directory, `${name}.ts`), text)
  const portal = await buildPortal(root)
  for (const [name, bytes] of Object.entries({ ...(await contents()), ...packedPortal(portal) })) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL }
    const packed = brotliCompressSync(bytes, { params }).toString('base64')
    write(name, `/** Brotli, base64. */\nexport const packed = '${packed}'\n`)
  }
  const versions = {
    swagger: versionOf(SWAGGER),
    graphiql: versionOf(GRAPHIQL),
    portal: createHash('sha256').update(portal.script).update(portal.style).digest('hex').slice(0, 16),
  }
  write('guides', guidesModule(root))
  write('versions', `export const VERSIONS = ${JSON.stringify(versions)} as const\n`)
  writeFileSync(resolve(root, 'third-party-licenses.txt'), licenses(bundled))
}

function packedPortal({ script, style }) {
  return { 'portal-script': Buffer.from(script), 'portal-style': Buffer.from(style) }
}

/** By the name of the module. */
async function contents() {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  )
  return {
    'swagger-script': readFileSync(resolve(SWAGGER, 'swagger-ui-bundle.js')),
    'swagger-style': readFileSync(resolve(SWAGGER, 'swagger-ui.css')),
    'graphiql-script': Buffer.from(js),
    'graphiql-style': Buffer.from(css),
    'editor-worker': Buffer.from(editorWorkerService),
    'json-worker': Buffer.from(jsonWorker),
    'graphql-worker': Buffer.from(graphqlWorker),
  }
}

function versionOf(directory) {
  return JSON.parse(readFileSync(resolve(directory, 'package.json'), 'utf8')).version
}

function licenses(bundled) {
  const named = bundled.map((directory) => [
    directory,
    readdirSync(directory).filter((name) => /^licen[cs]e/i.test(name)),
  ])
  const texts = [...LICENSES, ...named].flatMap(([directory, names]) =>
    names.map((name) => {
      const { name: packageName, version } = JSON.parse(
        readFileSync(resolve(directory, 'package.json'), 'utf8'),
      )
      return `${packageName} ${version}: ${name}\n\n${readFileSync(resolve(directory, name), 'utf8')}`
    }),
  )
  return `The pages /, /graphql and /docs, dist/generated/viem, dist/generated/nodemailer and dist/generated/opentelemetry contain these programs of others.\n\n${texts.join(`\n${'-'.repeat(100)}\n\n`)}`
}
