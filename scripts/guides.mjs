// Writes the guides in src/gateway/pages/guides as a module with HTML, which is compiled with the gateway.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { build } from 'esbuild'
import hljs from 'highlight.js'
import { Marked } from 'marked'

/** The guides by reader, in order of use. The build fails for a guide that is not listed. */
const READERS = [
  ['Everyone', ['first-requests', 'tiers', 'limits', 'paging', 'errors', 'glossary']],
  ['Front-end developers', ['client', 'subscriptions', 'caching', 'styles']],
  [
    'Quants',
    ['python', 'backtests', 'files', 'releases', 'as-of', 'clocks', 'methodology', 'verification', 'sources'],
  ],
  ['BI analysts', ['sql', 'duckdb', 'power-query', 'grafana']],
  ['Agents and services', ['agents', 'webhooks', 'compatible']],
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

/** Documents of the repository that are pages too: name and file. */
const DOCUMENTS = [['changelog', 'CHANGELOG.md']]

/** Writes a module that exports `GUIDES` and `DOCUMENTS`: name, reader, title, Markdown, headings and HTML of each. */
export async function guidesModule(root) {
  const directory = resolve(root, 'src/gateway/pages/guides')
  const listed = READERS.flatMap(([reader, names]) => names.map((name) => ({ name, reader })))
  const unknown = readdirSync(directory)
    .map((file) => basename(file, '.md'))
    .filter((name) => !listed.some((guide) => guide.name === name))
  if (unknown.length > 0) throw new Error(`scripts/guides.mjs: add ${unknown.join(', ')} to READERS`)
  const tables = await generatedTables(root)
  const guides = listed.map(({ name, reader }) => {
    const markdown = readFileSync(resolve(directory, `${name}.md`), 'utf8')
    return renderGuide(
      name,
      reader,
      markdown.replaceAll(/^\{\{(.+)\}\}$/gm, (_, table) => tables[table]()),
    )
  })
  const documents = DOCUMENTS.map(([name, file]) =>
    renderGuide(name, 'Documents', readFileSync(resolve(root, file), 'utf8')),
  )
  return [
    `export const GUIDES = ${JSON.stringify(guides, null, 2)} as const\n`,
    `export const DOCUMENTS = ${JSON.stringify(documents, null, 2)} as const\n`,
  ].join('\n')
}

/** The tables that guides name in braces, from the modules that the gateway runs. */
async function generatedTables(root) {
  const load = (path) => loadModule(resolve(root, path))
  const { ERROR_TABLE } = await load('src/core/errors.ts')
  const { TIERS } = await load('src/policy/tiers.ts')
  const { SCOPES, scopesOfTier } = await load('src/policy/scopes.ts')
  const limits = await load('src/policy/limits.ts')
  return {
    'error codes': () =>
      tableOf(
        ['code', 'status', 'what it means'],
        Object.entries(ERROR_TABLE).map(([code, { status, message }]) => [`\`${code}\``, status, message]),
      ),
    tiers: () => tableOf(['', ...TIERS.map((tier) => `\`${tier}\``)], tierRows(TIERS, scopesOfTier, limits)),
    scopes: () =>
      tableOf(
        ['scope', 'what it opens', ...TIERS.map((tier) => `\`${tier}\``)],
        Object.entries(SCOPES)
          .filter(([, { from }]) => from !== null)
          .map(([name, { opens }]) => [
            `\`${name}\``,
            opens,
            ...TIERS.map((tier) => (scopesOfTier(tier).has(name) ? 'yes' : '–')),
          ]),
      ),
  }
}

/** What each tier has, as rows with a cell per tier. An enterprise account has the quotas of its contract. */
function tierRows(tiers, scopesOfTier, { QUOTAS, DISCOVER_PER_DAY_FREE, ...limits }) {
  const quota = (name) => tiers.map((tier) => QUOTAS[tier]?.[name].toLocaleString('en-GB') ?? 'by contract')
  const history = (days, scope) =>
    tiers.map((tier) => {
      const scopes = scopesOfTier(tier)
      if (!scopes.has(scope)) return '–'
      return scopes.has('history:full') ? 'all' : `${days} days`
    })
  return [
    ['Units per hour', ...quota('hour')],
    ['Units per month', ...quota('month')],
    [
      'Calls of `discover` per day',
      ...tiers.map((tier) => (tier === 'free' ? DISCOVER_PER_DAY_FREE : 'by the hour')),
    ],
    ['Daily prices of crypto assets', ...history(limits.CANDLE_HISTORY_DAYS, 'keys:manage')],
    ['Hourly prices of crypto assets', ...history(limits.CANDLE_HISTORY_DAYS, 'ohlcv:intraday')],
    ['Analyses', ...history(limits.ANALYSIS_HISTORY_DAYS, 'ai:read')],
  ]
}

function tableOf(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A module of the gateway, with what it imports. */
async function loadModule(path) {
  const options = { bundle: true, write: false, format: 'esm', platform: 'node' }
  const { outputFiles } = await build({ entryPoints: [path], ...options })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

function renderGuide(name, reader, markdown) {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined)
    throw new Error(`src/gateway/pages/guides/${name}.md: the first line must be "# Title"`)
  const headings = []
  const marked = new Marked({ renderer: { heading: headingInto(headings), code: highlighted } })
  // Guides link to each other by file name, so that the links also work in the repository.
  const served = markdown.replaceAll(/\]\(([\w-]+)\.md(#[\w-]+)?\)/g, '](/docs/guides/$1$2)')
  const html = reachableByKeyboard(marked.parse(served))
  return { name, reader, title, summary: summaryOf(markdown), headings, markdown: served, html }
}

/** The sentence of the first paragraph that says what the reader will do; empty without one. */
function summaryOf(markdown) {
  const paragraph = (markdown.split('\n\n')[1] ?? '').replaceAll('\n', ' ').replaceAll('`', '')
  const [, rest = ''] = /^For [^.]+\. (.+?\.)(?: |$)/.exec(paragraph) ?? []
  return rest
}

/** Code and tables scroll sideways on a narrow screen. */
function reachableByKeyboard(html) {
  return html.replaceAll('<pre>', '<pre tabindex="0">').replaceAll('<table>', '<table tabindex="0">')
}

/** Headings have ids, so that they can be linked to; those of sections are the contents of the page. */
function headingInto(headings) {
  return function heading({ depth, tokens, text }) {
    const id = text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
    const html = this.parser.parseInline(tokens)
    if (depth === 2) headings.push({ id, html })
    return `<h${depth} id="${id}">${html}</h${depth}>\n`
  }
}

/** Colours the code of the languages that the guides have; other code stays plain. */
function highlighted({ text, lang = '' }) {
  const language = { sh: 'bash', conf: 'ini', csv: '', m: '' }[lang] ?? lang
  const html = hljs.getLanguage(language)
    ? hljs.highlight(text, { language }).value
    : text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<pre><code>${html}\n</code></pre>\n`
}
