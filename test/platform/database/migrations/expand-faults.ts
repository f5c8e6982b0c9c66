/** A migration file. */
export interface MigrationFile {
  readonly name: string
  readonly sql: string
}

/** Objects that a migration creates: tables, indexes, types, views, functions, and named constraints. */
const CREATED =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|index|type|view|function|schema)\s+(?:if\s+not\s+exists\s+)?([\w".]+)|\bconstraint\s+("?\w+"?)\s+(?:primary|unique|check|foreign)/gi

const REFUSED_ROWS = 'refuses rows that the last release may write'

/** Statements after which a node of the last release may fail, when they are about an object that it knows. */
const BREAKING: readonly (readonly [pattern: RegExp, fault: string])[] = [
  [
    /\bdrop\s+(?:table|index|type|view|function|schema|column|constraint)\b/i,
    'drops what the last release uses',
  ],
  [/\bdrop\s+default\b/i, 'drops a default that writes of the last release need'],
  [/\brename\b/i, 'renames what the last release uses'],
  // A prepared statement whose result has another type fails on every connection that has it.
  [
    /\balter\s+(?:column\s+)?"?\w+"?\s+(?:set\s+data\s+)?type\b/i,
    'changes a type that the last release reads',
  ],
  [/\bset\s+not\s+null\b/i, 'refuses nulls that the last release may write'],
  [
    /\badd\s+column\s+"?\w+"?(?:(?!\bdefault\b|,).)*\bnot\s+null\b(?!(?:(?!,).)*\bdefault\b)/is,
    'adds a column that the last release does not fill',
  ],
  [/\bcreate\s+unique\s+index\b/i, REFUSED_ROWS],
  [/\badd\s+constraint\b/i, REFUSED_ROWS],
]

const TARGET = /\balter\s+table\s+(?:only\s+)?([\w".]+)|\bon\s+(?:only\s+)?([\w".]+)\s*\(/i

const ADDED_COLUMN = /\badd\s+column\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/gi

/** Names of the objects that these migrations create. */
export function createdNames(files: readonly MigrationFile[]): ReadonlySet<string> {
  const names = files.flatMap(({ sql }) =>
    [...withoutComments(sql).matchAll(CREATED)].map(([, object, constraint]) =>
      bare(object ?? constraint ?? ''),
    ),
  )
  return new Set(names)
}

/**
 * What of an expand migration would make a node of the last release fail, each with the statement. `released` are the names
 * that the last release knows. A constraint or unique index on a column that the migration adds is no fault.
 */
export function expandFaults({ sql }: MigrationFile, released: ReadonlySet<string>): readonly string[] {
  const text = withoutComments(sql)
  const added = new Set([...text.matchAll(ADDED_COLUMN)].map(([, column]) => column ?? ''))
  return statementsOf(text).flatMap((statement) => {
    const target = targetOf(statement)
    const names = namesIn(statement)
    const isAboutNewColumn = names.some((name) => added.has(name))
    const faults = BREAKING.filter(([pattern]) => pattern.test(statement)).filter(([, fault]) =>
      fault === REFUSED_ROWS
        ? released.has(target) && !isAboutNewColumn
        : names.some((name) => released.has(name)),
    )
    return faults.map(([, fault]) => `${fault}: ${statement.replace(/\s+/g, ' ').trim().slice(0, 120)}`)
  })
}

/** Tables known to the last release that the migration changes or indexes. */
export function lockedTables({ sql }: MigrationFile, released: ReadonlySet<string>): readonly string[] {
  const targets = statementsOf(withoutComments(sql)).map(targetOf)
  return [...new Set(targets)].filter((table) => released.has(table))
}

/** The table that a statement changes; empty for a statement of another kind. */
function targetOf(statement: string): string {
  const [, altered, indexed] = TARGET.exec(statement) ?? []
  return bare(altered ?? indexed ?? '')
}

function namesIn(statement: string): readonly string[] {
  return [...statement.matchAll(/[\w"]+(?:\.[\w"]+)?/g)].map(([word]) => bare(word))
}

function statementsOf(text: string): readonly string[] {
  // Bodies of functions are no statements of the migration.
  return text.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''").split(';')
}

function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '')
}

function bare(name: string): string {
  return name.replaceAll('"', '').replace(/^.*\./, '').toLowerCase()
}
