// Builds the browser code: the portal, and the start scripts of the REST reference and GraphiQL.
import { basename, resolve } from 'node:path'
import { build } from 'vite'

/** The files of the portal, and the font of all pages, are below this path. */
const PORTAL_PATH = '/docs/assets/portal/'

/** The text of each kind of file, from a module below src/portal that becomes one script and one style sheet. */
export async function buildForBrowsers(root, entry) {
  const output = await buildFrom(root, entry, {
    base: PORTAL_PATH,
    modulePreload: false,
    rollupOptions: { output: { format: 'iife' } },
  })
  return { script: textOf(output, '.js'), style: textOf(output, '.css') }
}

/**
 * Chart code is half of all code, and some pages have no chart: these modules are one script. All else that several pages
 * use is another one.
 */
const CHART_MODULES = /uPlot\.esm|parts\/(?:chart|plot-options)/

/**
 * The portal as modules with the hash of their content in their names: the entry, which loads the script of a page when the
 * page is shown; `imports`, which it loads before; and for each page the scripts that it needs besides. `frame` is the entry
 * of the pages that are not of the portal, with what it needs.
 */
export async function buildPortal(root) {
  const output = await buildFrom(root, ['main.tsx', 'frame/start.ts'], {
    base: PORTAL_PATH,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        format: 'es',
        entryFileNames: '[name]-[hash].js',
        chunkFileNames: '[name]-[hash].js',
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
  const [entry, frame] = ['main', 'start'].map((name) =>
    [...scripts.values()].find((script) => script.isEntry && script.name === name),
  )
  const assets = output.filter(({ type }) => type === 'asset')
  const [style, font] = ['.css', '.woff2'].map((extension) => onlyFile(assets, extension))
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
      [font.fileName]: font.source,
    },
    manifest: {
      style: style.fileName,
      font: font.fileName,
      entry: entry.fileName,
      imports,
      pages: Object.fromEntries(pages),
      frame: { entry: frame.fileName, imports: importsOf(frame, scripts) },
    },
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

async function buildFrom(root, entry, { base, rollupOptions, ...options }) {
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
      rollupOptions: {
        input: [entry].flat().map((name) => resolve(root, 'src/portal', name)),
        ...rollupOptions,
        // All pages load the same font, so that its name depends on its content only.
        output: { ...rollupOptions.output, assetFileNames: '[name]-[hash][extname]' },
      },
      ...options,
    },
  })
  return output
}

function textOf(output, extension) {
  const file = onlyFile(output, extension)
  return file.type === 'chunk' ? file.code : file.source
}

function onlyFile(output, extension) {
  const files = output.filter(({ fileName }) => fileName.endsWith(extension))
  if (files.length !== 1) throw new Error(`${files.length} files ${extension} were built, not one`)
  return files[0]
}
