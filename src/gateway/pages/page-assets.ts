import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { PORTAL } from '../../generated/page-assets/portal-manifest.js'
import { VERSIONS } from '../../generated/page-assets/versions.js'
import { type StaticFile, shortHash, staticFile } from './static-files.js'

const ASSET_PREFIX = '/docs/assets'
const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const WOFF2 = 'font/woff2'

/** The path contains the version, so browsers may keep a file forever. */
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}

const scalarPath = (name: string) => `${ASSET_PREFIX}/scalar-${VERSIONS.scalar}/${name}`
const referencePath = (name: string) => `${ASSET_PREFIX}/reference-${VERSIONS.reference}/${name}`
const explorerPath = (name: string) => `${ASSET_PREFIX}/explorer-${VERSIONS.explorer}/${name}`
const graphiqlPath = (name: string) => `${ASSET_PREFIX}/graphiql-${VERSIONS.graphiql}/${name}`
/** The name contains the hash of the content. The built scripts contain this path. */
const portalPath = (name: string) => `${ASSET_PREFIX}/portal/${name}`

/** Paths of all files that the pages load. */
export const ASSET_PATHS = {
  scalarScript: scalarPath('scalar.js'),
  referenceScript: referencePath('reference.js'),
  referenceStyle: referencePath('reference.css'),
  explorerScript: explorerPath('explorer.js'),
  explorerStyle: explorerPath('explorer.css'),
  graphiqlScript: graphiqlPath('graphiql.js'),
  graphiqlStyle: graphiqlPath('graphiql.css'),
  editorWorker: graphiqlPath('editor.worker.js'),
  jsonWorker: graphiqlPath('json.worker.js'),
  graphqlWorker: graphiqlPath('graphql.worker.js'),
  portalScript: portalPath(PORTAL.entry),
  portalStyle: portalPath(PORTAL.style),
  font: portalPath(PORTAL.font),
} as const

/** A page of the portal, by the name of the module that draws it. */
export type PortalPageName = keyof typeof PORTAL.pages

/** The scripts that the portal's script loads for a page. */
export function portalImports(page: PortalPageName): readonly string[] {
  return [...PORTAL.imports, ...PORTAL.pages[page]].map(portalPath)
}

/** The script of the frame, for the pages that are not of the portal. */
export const FRAME_MODULE = {
  path: portalPath(PORTAL.frame.entry),
  imports: PORTAL.frame.imports.map(portalPath),
} as const

type PortalFileName = keyof typeof import('../../generated/page-assets/portal-files.js').FILES

/** A generated module that contains a file. */
type Packed = Promise<{ readonly packed: string }>

/** All files below /docs/assets by path. */
export function pageAssets(): ReadonlyMap<string, StaticFile> {
  const { scalarScript, referenceScript, referenceStyle, explorerScript, explorerStyle } = ASSET_PATHS
  const { graphiqlScript, graphiqlStyle, editorWorker, jsonWorker, graphqlWorker } = ASSET_PATHS
  return new Map([
    packedFile(scalarScript, JAVASCRIPT, () => import('../../generated/page-assets/scalar-script.js')),
    packedFile(referenceScript, JAVASCRIPT, () => import('../../generated/page-assets/reference-script.js')),
    packedFile(referenceStyle, CSS, () => import('../../generated/page-assets/reference-style.js')),
    packedFile(explorerScript, JAVASCRIPT, () => import('../../generated/page-assets/explorer-script.js')),
    packedFile(explorerStyle, CSS, () => import('../../generated/page-assets/explorer-style.js')),
    packedFile(graphiqlScript, JAVASCRIPT, () => import('../../generated/page-assets/graphiql-script.js')),
    packedFile(graphiqlStyle, CSS, () => import('../../generated/page-assets/graphiql-style.js')),
    packedFile(editorWorker, JAVASCRIPT, () => import('../../generated/page-assets/editor-worker.js')),
    packedFile(jsonWorker, JAVASCRIPT, () => import('../../generated/page-assets/json-worker.js')),
    packedFile(graphqlWorker, JAVASCRIPT, () => import('../../generated/page-assets/graphql-worker.js')),
    ...portalFiles(),
  ])
}

function portalFiles(): readonly (readonly [string, StaticFile])[] {
  const { entry, imports, pages, frame, style, font } = PORTAL
  const load = (name: PortalFileName) => async () => {
    const { FILES } = await import('../../generated/page-assets/portal-files.js')
    return { packed: FILES[name] }
  }
  const scripts = new Set<PortalFileName>([
    ...[entry, frame.entry],
    ...imports,
    ...frame.imports,
    ...Object.values(pages).flat(),
  ])
  return [
    ...[...scripts].map((name) => packedFile(portalPath(name), JAVASCRIPT, load(name))),
    packedFile(portalPath(style), CSS, load(style)),
    packedFile(portalPath(font), WOFF2, load(font)),
  ]
}

const unpack = promisify(brotliDecompress)

/** A file that its first request loads, so that a node without visitors needs no memory for it. */
function packedFile(path: string, contentType: string, load: () => Packed): readonly [string, StaticFile] {
  // The path contains the version of the content.
  const file = staticFile(contentType, shortHash(path), ASSET_HEADERS, async () =>
    unpack(Buffer.from((await load()).packed, 'base64')),
  )
  return [path, file]
}
