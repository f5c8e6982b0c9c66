// Writes the scripts, styles and font of the pages (portal, GraphiQL, Scalar) and the guides as modules into
// src/generated/page-assets, which are compiled with the gateway. Scalar's script is that of @scalar/api-reference. It is
// taken from @scalar/fastify-api-reference, whose module contains it as a text, without 370 MB of dependencies, some of which
// have install scripts and all of which are bundled in the script.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync, constants } from 'node:zlib'
import { guidesModule } from './guides.mjs'
import { buildForBrowsers, buildPortal } from './portal.mjs'

const require = createRequire(import.meta.url)

/** Level 9 takes three seconds for all files. Level 11 takes a minute and saves a tenth. */
const BROTLI_LEVEL = 9

const SCALAR = resolve(dirname(require.resolve('@scalar/fastify-api-reference')), '..')
const PREACT = dirname(require.resolve('preact/package.json'))
const UPLOT = dirname(require.resolve('uplot/package.json'))
const FONT = dirname(require.resolve('@fontsource-variable/inter/package.json'))
const GRAPHIQL = dirname(require.resolve('@graphql-yoga/render-graphiql/package.json'))

/** Licences that must accompany the bundled code and the font. */
const LICENSES = [
  [SCALAR, ['LICENSE']],
  [GRAPHIQL, ['LICENSE']],
  [PREACT, ['LICENSE']],
  [UPLOT, ['LICENSE']],
  [FONT, ['LICENSE']],
]

export async function writePageAssets(root) {
  const directory = resolve(root, 'src/generated/page-assets')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const write = (name, text) => writeFileSync(resolve(directory, `${name}.ts`), text)
  const own = {
    reference: await buildForBrowsers(root, 'reference/main.ts'),
    explorer: await buildForBrowsers(root, 'graphiql/main.ts'),
  }
  for (const [name, bytes] of Object.entries({ ...(await contents()), ...ownContents(own) }))
    write(name, `/** Brotli, base64. */\nexport const packed = '${pack(bytes)}'\n`)
  const portal = await buildPortal(root)
  const files = Object.entries(portal.files).map(([name, text]) => [name, pack(Buffer.from(text))])
  write('portal-files', moduleOf('FILES', Object.fromEntries(files), 'Brotli, base64, by name.'))
  write('portal-manifest', moduleOf('PORTAL', portal.manifest, 'The names of the files of the portal.'))
  const versions = {
    scalar: `${versionOf(SCALAR)}-${hashOf({ script: JSON.stringify(SEARCH_CHANGES), style: '' }).slice(0, 8)}`,
    graphiql: versionOf(GRAPHIQL),
    reference: hashOf(own.reference),
    explorer: hashOf(own.explorer),
  }
  write('guides', await guidesModule(root))
  write('versions', moduleOf('VERSIONS', versions, 'The versions of the files of each page.'))
  writeFileSync(resolve(root, 'third-party-licenses.txt'), licenses())
}

function pack(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL }
  return brotliCompressSync(bytes, { params }).toString('base64')
}

function moduleOf(name, value, comment) {
  return `/** ${comment} */\nexport const ${name} = ${JSON.stringify(value)} as const\n`
}

function ownContents(own) {
  const files = Object.entries(own).flatMap(([name, { script, style }]) => [
    [`${name}-script`, Buffer.from(script)],
    [`${name}-style`, Buffer.from(style)],
  ])
  return Object.fromEntries(files)
}

function hashOf({ script, style }) {
  return createHash('sha256').update(script).update(style).digest('hex').slice(0, 16)
}

/** Removes GraphiQL's fonts except that of its icons. They are half of its style sheet, and system fonts replace them. */
const FONTS_OF_TEXT = /@font-face\s*\{[^}]*font-family:\s*['"]?(?:Roboto|Fira Code)\b[^}]*\}/g

/** Bundled scripts by module name. */
async function contents() {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  )
  return {
    'scalar-script': Buffer.from(scalarScript()),
    'graphiql-script': Buffer.from(js),
    'graphiql-style': Buffer.from(css.replaceAll(FONTS_OF_TEXT, '')),
    'editor-worker': Buffer.from(editorWorkerService),
    'json-worker': Buffer.from(jsonWorker),
    'graphql-worker': Buffer.from(graphqlWorker),
  }
}

/**
 * Reads the script from the module, which is not imported. package.json therefore replaces the dependencies of the package by an
 * empty one: they need a later Node.js than the gateway.
 */
function scalarScript() {
  const module = readFileSync(resolve(SCALAR, 'dist/index.js'), 'utf8')
  const literal = /^var standalone_default = (".*");$/m.exec(module)?.[1]
  if (literal === undefined) throw new Error('@scalar/fastify-api-reference contains no script')
  return searchKeywords(runInNewContext(literal))
}

/**
 * Scalar's search has no setting for other members of an operation. These changes make it read `x-keywords` and weigh a
 * keyword more than a title.
 */
const SEARCH_CHANGES = [
  ['operationId:i.operationId,entry:e', 'operationId:i.operationId,keywords:i["x-keywords"],entry:e'],
  [
    'keys:[{name:`title`,weight:.7},{name:`operationId`',
    'keys:[{name:`keywords`,weight:2},{name:`title`,weight:.7},{name:`operationId`',
  ],
]

function searchKeywords(script) {
  return SEARCH_CHANGES.reduce((text, [known, changed]) => {
    const parts = text.split(known)
    if (parts.length !== 2)
      throw new Error(`${parts.length - 1} places of Scalar's script have ${known}, not 1`)
    return parts.join(changed)
  }, script)
}

function versionOf(directory) {
  return JSON.parse(readFileSync(resolve(directory, 'package.json'), 'utf8')).version
}

function licenses() {
  const texts = LICENSES.flatMap(([directory, names]) =>
    names.map((name) => {
      const { name: packageName, version } = JSON.parse(
        readFileSync(resolve(directory, 'package.json'), 'utf8'),
      )
      return `${packageName} ${version}: ${name}\n\n${readFileSync(resolve(directory, name), 'utf8')}`
    }),
  )
  return `The pages /, /graphql and /docs contain these programs of others.\n\n${texts.join(`\n${'-'.repeat(100)}\n\n`)}`
}
