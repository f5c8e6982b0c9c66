/** Number of cached summaries. Most texts are static; those of searches depend on the request. */
const MAX_KNOWN = 1_000
/** Only the beginning of a statement is parsed. Longer ones are bulk writes. */
const MAX_READ = 20_000

const VERBS = /\b(insert\s+into|update|delete\s+from|select)\b/i
const RELATION = /\b(?:insert\s+into|update|delete\s+from|from|join)\s+(?:only\s+)?"?([a-z_][\w.]*)"?/gi
const BODY_NAMES =
  /(?:\bwith\s+(?:recursive\s+)?|,\s*)"?([a-z_]\w*)"?(?:\s*\([^)]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi
/** Functions that return rows and are not tables. */
const NO_TABLES: ReadonlySet<string> = new Set([
  'unnest',
  'generate_series',
  'lateral',
  'select',
  'jsonb_to_recordset',
])

const known = new Map<string, string>()

/** The verb and table of a statement, such as `select candle`: its name in traces, without any value. */
export function statementSummary(sql: string): string {
  const before = known.get(sql)
  if (before !== undefined) return before
  const summary = summaryOf(sql.slice(0, MAX_READ))
  if (known.size < MAX_KNOWN) known.set(sql, summary)
  return summary
}

function summaryOf(sql: string): string {
  const changes = /\b(insert\s+into|update|delete\s+from)\s+(?!set\b|of\b)/i.exec(sql)
  const verb = (changes?.[1] ?? VERBS.exec(sql)?.[1] ?? 'statement').split(/\s/)[0]?.toLowerCase()
  const own = new Set([...sql.matchAll(BODY_NAMES)].map(([, name]) => name?.toLowerCase()))
  const from = changes ? sql.slice(changes.index) : sql
  for (const [, name] of from.matchAll(RELATION)) {
    const table = name?.toLowerCase() ?? ''
    if (!own.has(table) && !NO_TABLES.has(table)) return `${verb} ${table}`
  }
  return `${verb}`
}
