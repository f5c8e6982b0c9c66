// Builds the browser code: the portal and the start scripts of the REST reference and GraphiQL, each into one script and
// one style sheet.
import { resolve } from 'node:path'
import { build } from 'vite'

/** The text of each kind of file, from a module below src/portal. */
export async function buildForBrowsers(root, entry) {
  const { output } = await build({
    root: resolve(root, 'src/portal'),
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      modulePreload: false,
      rollupOptions: { input: resolve(root, 'src/portal', entry), output: { format: 'iife' } },
    },
  })
  return { script: textOf(output, '.js', entry), style: textOf(output, '.css', entry) }
}

function textOf(output, extension, entry) {
  const files = output.filter(({ fileName }) => fileName.endsWith(extension))
  if (files.length !== 1) throw new Error(`${entry} was built into ${files.length} files ${extension}`)
  const [file] = files
  return file.type === 'chunk' ? file.code : file.source
}
