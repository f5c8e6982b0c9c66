import type { Database } from '../../../src/platform/database/database.js'

/**
 * What `make` writes into the tables, as often as it is asked for: made once, and copied back in place of their rows after
 * that, which takes a fraction of the time. Answers what making it gave. A table that refers to another comes after it.
 */
export function keptTables<Made>(
  database: Database,
  tables: readonly string[],
  make: () => Promise<Made>,
): () => Promise<Made> {
  const keep = tables.map((table) => `create table kept_${table} as table ${table};`).join('\n')
  const restore = tables.map((table) => `insert into ${table} table kept_${table};`).join('\n')
  let kept: { readonly made: Made } | null = null
  return async () => {
    if (kept !== null) {
      await database.script(`truncate ${tables.join(', ')};\n${restore}`)
      return kept.made
    }
    const made = await make()
    await database.script(keep)
    kept = { made }
    return made
  }
}
