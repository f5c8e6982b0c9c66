// Builds the browser code: the portal, and the start scripts of the REST reference and GraphiQL.
import { basename, resolve } from 'node:path'
import { build } from 'vite'

/** The portal's scripts and style sheet are below this path. */
const PORTAL_PATH = '/docs/assets/portal/'

/** The text of each kind of file, from a module below src/portal that becomes one script and one style sheet. */
export async function buildForBrowsers(root, entry) {
  const output = await buildFrom(root, entry, {
    modulePreload: false,
    rollupOptions: { output: { format: 'iife' } },
  })
  return { script: textOf(output, '.js', entry), style: textOf(output, '.css', entry) }
}

/**
 * Chart code is half of all code, and some pages have no chart: these modules are one script. All else that several pages
 * use is another one.
 */
const CHART_MODULES = /uPlot\.esm|parts\/(?:chart|plot-options)|macro\/series-/

/**
 * The portal as modules with the hash of their content in their names: the entry, which loads the script of a page when the
 * page is shown; `imports`, which it loads before; and for each page the scripts that it needs besides.
 */
export async function buildPortal(root) {
  const output = await buildFrom(root, 'main.tsx', {
    base: PORTAL_PATH,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        format: 'es',
        entryFileNames: '[name]-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'chart', test: CHART_MODULES, priority: 1 },
            { name: 'common', minShareCount: 2 },
          ],
        },
      },
    },
  })
  const scripts = new Map(output.filter(({ type }) => type === 'chunk').map((one) => [one.fileName, one]))
  const entry = [...scripts.values()].find(({ isEntry }) => isEntry)
  const [style, ...others] = output.filter(({ type }) => type === 'asset')
  if (style === undefined || others.length > 0) throw new Error('the portal has one style sheet')
  const imports = importsOf(entry, scripts)
  const pages = [...scripts.values()]
    .filter(({ isDynamicEntry }) => isDynamicEntry)
    .map((page) => [
      basename(page.facadeModuleId, '.tsx'),
      [page.fileName, ...importsOf(page, scripts)].filter((name) => !imports.includes(name)),
    ])
  return {
    files: {
      ...Object.fromEntries([...scripts].map(([name, { code }]) => [name, code])),
      [style.fileName]: style.source,
    },
    manifest: { style: style.fileName, entry: entry.fileName, imports, pages: Object.fromEntries(pages) },
  }
}

/** The scripts that a script imports, and those that these import. */
function importsOf(script, scripts, found = new Set()) {
  for (const name of script.imports) {
    if (found.has(name)) continue
    found.add(name)
    importsOf(scripts.get(name), scripts, found)
  }
  return [...found]
}

async function buildFrom(root, entry, { base = '/', rollupOptions, ...options }) {
  const { output } = await build({
    root: resolve(root, 'src/portal'),
    base,
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      rollupOptions: { input: resolve(root, 'src/portal', entry), ...rollupOptions },
      ...options,
    },
  })
  return output
}

function textOf(output, extension, entry) {
  const files = output.filter(({ fileName }) => fileName.endsWith(extension))
  if (files.length !== 1) throw new Error(`${entry} was built into ${files.length} files ${extension}`)
  const [file] = files
  return file.type === 'chunk' ? file.code : file.source
}
