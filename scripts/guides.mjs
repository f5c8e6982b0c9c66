// Writes the guides in src/gateway/pages/guides as a module with HTML, which is compiled with the gateway.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Marked } from 'marked'

/** The guides by reader, in order of use. The build fails for a guide that is not listed. */
const READERS = [
  ['Everyone', ['first-requests', 'limits']],
  ['Front-end developers', ['client', 'subscriptions', 'caching', 'styles']],
  ['Quants', ['python', 'files', 'releases', 'as-of', 'methodology', 'verification', 'sources']],
  ['BI analysts', ['sql']],
  ['Agents and services', ['agents', 'webhooks']],
  [
    'Operators',
    [
      'first-day',
      'operations',
      'alerts',
      'kubernetes',
      'settings',
      'upgrades',
      'recovery',
      'rotation',
      'live-data',
      'own-files',
      'schedule',
      'newsletter',
      'scaling',
      'performance',
      'reliability',
    ],
  ],
]

/** Writes a module that exports `GUIDES`: name, reader, title, Markdown and HTML of each guide. */
export function guidesModule(root) {
  const directory = resolve(root, 'src/gateway/pages/guides')
  const listed = READERS.flatMap(([reader, names]) => names.map((name) => ({ name, reader })))
  const unknown = readdirSync(directory)
    .map((file) => basename(file, '.md'))
    .filter((name) => !listed.some((guide) => guide.name === name))
  if (unknown.length > 0) throw new Error(`scripts/guides.mjs: add ${unknown.join(', ')} to READERS`)
  const guides = listed.map(({ name, reader }) =>
    renderGuide(name, reader, readFileSync(resolve(directory, `${name}.md`), 'utf8')),
  )
  return `export const GUIDES = ${JSON.stringify(guides, null, 2)} as const\n`
}

function renderGuide(name, reader, markdown) {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined)
    throw new Error(`src/gateway/pages/guides/${name}.md: the first line must be "# Title"`)
  const marked = new Marked({ renderer: { heading } })
  // Guides link to each other by file name, so that the links also work in the repository.
  const served = markdown.replaceAll(/\]\(([\w-]+)\.md\)/g, '](/docs/guides/$1)')
  return { name, reader, title, markdown: served, html: marked.parse(served) }
}

/** Headings have ids, so that they can be linked to. */
function heading({ depth, tokens, text }) {
  const id = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
}
