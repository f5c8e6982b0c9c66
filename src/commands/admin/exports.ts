import { notFound } from '../../core/errors.js'
import { exportAccount } from '../../domains/access/accounts/account-export-store.js'
import { exportAudit } from '../../domains/access/audit-store.js'
import { writeNewFile } from '../../platform/new-file.js'
import { filePathOf } from '../file-path.js'
import { parseAccountName } from './arguments.js'
import type { Command } from './command.js'
import { anyAccount, withAccess } from './installation.js'
import { assertNewFile } from './new-file-word.js'
import { facts } from './table.js'

const audit: Command = {
  name: 'export audit',
  parameters: ['file'],
  summary: 'writes all audit events, oldest first, into a new file with one JSON object per line',
  run: async (given) => {
    const path = filePathOf(given.word('file'), given.directory)
    await assertNewFile(path)
    return withAccess(given, async ({ database }) => {
      const { bytes, written: events } = await writeNewFile(path, async (file) => {
        let count = 0
        for await (const batch of exportAudit(database.prisma)) {
          given.signal.throwIfAborted()
          await file.writeFile(batch.map((event) => `${JSON.stringify(inSnakeCase(event))}\n`).join(''))
          count += batch.length
        }
        return count
      })
      return {
        json: { file: path, events, bytes },
        text: facts([
          ['file', path],
          ['events', events],
          ['bytes', bytes],
        ]),
      }
    })
  },
}

const account: Command = {
  name: 'export account',
  parameters: ['account', 'file'],
  summary:
    'writes what is stored about an account into a new JSON file, for its owner: without secrets and their hashes',
  run: async (given) => {
    const name = parseAccountName(given.word('account'))
    const path = filePathOf(given.word('file'), given.directory)
    await assertNewFile(path)
    return withAccess(given, async (access) => {
      const { accountId } = await anyAccount(access, name)
      const stored = await exportAccount(access.database.prisma, accountId)
      if (stored === null) throw notFound(`unknown account ${accountId}`)
      const text = `${JSON.stringify(inSnakeCase(stored), null, 2)}\n`
      const { bytes } = await writeNewFile(path, (file) => file.writeFile(text))
      return {
        json: { account_id: accountId, file: path, bytes },
        text: facts([
          ['account', accountId],
          ['file', path],
          ['bytes', bytes],
        ]),
      }
    })
  },
}

export const EXPORT_COMMANDS: readonly Command[] = [audit, account]

/** The same value with the names that the API has; the members of `details` keep theirs. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === 'details' ? member : inSnakeCase(member),
    ]),
  )
}
