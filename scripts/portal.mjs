// Builds the portal, src/portal, into one script and one style sheet.
import { resolve } from 'node:path'
import { build } from 'vite'

/** The text of each, by the kind of file. */
export async function buildPortal(root) {
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
      rollupOptions: { input: resolve(root, 'src/portal/main.tsx'), output: { format: 'iife' } },
    },
  })
  return { script: textOf(output, '.js'), style: textOf(output, '.css') }
}

function textOf(output, extension) {
  const files = output.filter(({ fileName }) => fileName.endsWith(extension))
  if (files.length !== 1) throw new Error(`the portal was built into ${files.length} files ${extension}`)
  const [file] = files
  return file.type === 'chunk' ? file.code : file.source
}
