// Makes a module of the guides in src/gateway/pages/guides, so that they are compiled with the gateway as HTML.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Marked } from 'marked'

/** In the order of their use; a guide that is not named here fails the build. */
const ORDER = [
  'first-requests',
  'limits',
  'caching',
  'as-of',
  'client',
  'sql',
  'live-data',
  'webhooks',
  'agents',
  'verification',
  'operations',
  'newsletter',
  'scaling',
  'performance',
  'reliability',
]

/** The text of a module that exports `GUIDES`: name, title and HTML of each. */
export function guidesModule(root) {
  const directory = resolve(root, 'src/gateway/pages/guides')
  const names = readdirSync(directory).map((file) => basename(file, '.md'))
  const unknown = names.filter((name) => !ORDER.includes(name))
  if (unknown.length > 0) throw new Error(`scripts/guides.mjs: add ${unknown.join(', ')} to ORDER`)
  const guides = ORDER.map((name) => guideOf(name, readFileSync(resolve(directory, `${name}.md`), 'utf8')))
  return `export const GUIDES = ${JSON.stringify(guides, null, 2)} as const\n`
}

function guideOf(name, markdown) {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined)
    throw new Error(`src/gateway/pages/guides/${name}.md: the first line must be "# Title"`)
  return { name, title, html: new Marked({ renderer: { heading } }).parse(markdown) }
}

/** Headings have ids, so that they can be linked to. */
function heading({ depth, tokens, text }) {
  const id = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
}
