import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { DOCS_SCRIPT, GRAPHIQL_SCRIPT, PAGE_STYLE } from './page-scripts.js'
import { contentHash, type StaticFile, staticFile, textFile } from './static-files.js'

const ASSET_PREFIX = '/docs/assets'
const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

/** The version is part of the path, so what was fetched once is never asked for again. */
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

const require = createRequire(import.meta.url)
const SWAGGER_VERSION: string = require('swagger-ui-dist/package.json').version
const GRAPHIQL_VERSION: string = require('@graphql-yoga/render-graphiql/package.json').version

const swaggerPath = (name: string) => `${ASSET_PREFIX}/swagger-ui-${SWAGGER_VERSION}/${name}`
const graphiqlPath = (name: string) => `${ASSET_PREFIX}/graphiql-${GRAPHIQL_VERSION}/${name}`
const ownPath = (name: string, text: string) => `${ASSET_PREFIX}/pages-${contentHash(text)}/${name}`

/** Paths of everything the pages load. */
export const ASSET_PATHS = {
  swaggerScript: swaggerPath('swagger-ui-bundle.js'),
  swaggerStyle: swaggerPath('swagger-ui.css'),
  graphiqlScript: graphiqlPath('graphiql.js'),
  graphiqlStyle: graphiqlPath('graphiql.css'),
  editorWorker: graphiqlPath('editor.worker.js'),
  jsonWorker: graphiqlPath('json.worker.js'),
  graphqlWorker: graphiqlPath('graphql.worker.js'),
  startGraphiql: ownPath('start-graphiql.js', GRAPHIQL_SCRIPT),
  startDocs: ownPath('start-docs.js', DOCS_SCRIPT),
  style: ownPath('pages.css', PAGE_STYLE),
} as const

/** The fixed list of files served below /docs/assets, by path; nothing else there is a file. */
export function pageAssets(): ReadonlyMap<string, StaticFile> {
  return new Map([
    [ASSET_PATHS.swaggerScript, swaggerFile(JAVASCRIPT, 'swagger-ui-bundle.js')],
    [ASSET_PATHS.swaggerStyle, swaggerFile(CSS, 'swagger-ui.css')],
    [ASSET_PATHS.graphiqlScript, graphiqlFile(JAVASCRIPT, 'js')],
    [ASSET_PATHS.graphiqlStyle, graphiqlFile(CSS, 'css')],
    [ASSET_PATHS.editorWorker, graphiqlFile(JAVASCRIPT, 'editorWorkerService')],
    [ASSET_PATHS.jsonWorker, graphiqlFile(JAVASCRIPT, 'jsonWorker')],
    [ASSET_PATHS.graphqlWorker, graphiqlFile(JAVASCRIPT, 'graphqlWorker')],
    [ASSET_PATHS.startGraphiql, textFile(JAVASCRIPT, GRAPHIQL_SCRIPT, ASSET_HEADERS)],
    [ASSET_PATHS.startDocs, textFile(JAVASCRIPT, DOCS_SCRIPT, ASSET_HEADERS)],
    [ASSET_PATHS.style, textFile(CSS, PAGE_STYLE, ASSET_HEADERS)],
  ])
}

function swaggerFile(contentType: string, name: string): StaticFile {
  const path = require.resolve(`swagger-ui-dist/${name}`)
  return staticFile(contentType, `swagger-ui-${SWAGGER_VERSION}-${name}`, ASSET_HEADERS, () => readFile(path))
}

type GraphiqlPart = 'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker'

/** The package is one module of 9 MB: it is loaded by the first request for it, so that nodes whose pages nobody opens do without. */
function graphiqlFile(contentType: string, part: GraphiqlPart): StaticFile {
  return staticFile(contentType, `graphiql-${GRAPHIQL_VERSION}-${part}`, ASSET_HEADERS, async () => {
    const parts = await import('@graphql-yoga/render-graphiql/graphiql')
    return Buffer.from(parts[part])
  })
}
