import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { groupBy } from '../../../src/core/group-by.js'
import { ACTIONS_TABLE } from '../../../src/ingest/providers/operator/actions-file.js'
import type { TableTexts } from '../../../src/ingest/providers/operator/columns.js'
import { DIVIDENDS_TABLE } from '../../../src/ingest/providers/operator/dividends-file.js'
import { ETF_HOLDINGS_TABLE } from '../../../src/ingest/providers/operator/etf-holdings-file.js'
import { EVENTS_TABLE } from '../../../src/ingest/providers/operator/events-file.js'
import { INSTRUMENTS_TABLE } from '../../../src/ingest/providers/operator/instruments-file.js'
import { PRICES_TABLE } from '../../../src/ingest/providers/operator/prices-file.js'
import { SUPPLIES_TABLE } from '../../../src/ingest/providers/operator/supplies-file.js'

const GUIDE = readFileSync('src/gateway/pages/guides/own-files.md', 'utf8')

const TABLES = Object.entries({
  ...{ INSTRUMENTS_TABLE, SUPPLIES_TABLE, ACTIONS_TABLE, DIVIDENDS_TABLE },
  ...{ PRICES_TABLE, EVENTS_TABLE, ETF_HOLDINGS_TABLE },
})

/** The columns as a table of the guide. Columns of which the same is said share a line. */
function toMarkdown({ columns }: TableTexts): string {
  const lineOf = ({ text, isRequired }: TableTexts['columns'][string]) => `${isRequired} ${text}`
  const rows = [...groupBy(Object.values(columns), lineOf).values()].map((alike) => [
    alike.map(({ name }) => `\`${name}\``).join(', '),
    alike[0].isRequired ? 'yes' : '',
    alike[0].text,
  ])
  const all = [['column', 'needed', 'meaning'], ...rows]
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  const lines = all.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`)
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`)
  return lines.join('\n')
}

describe('the guide to your own files', () => {
  it.each(TABLES)('has the columns of %s as the gateway reads them', (_name, table) => {
    expect(GUIDE).toContain(toMarkdown(table))
  })
})
