import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../../src/platform/database/database.js'
import {
  makePrivateDirectory,
  readPrivateFile,
  writePrivateFile,
} from '../../../../src/platform/database/embedded/private-files.js'
import { copyEmbeddedWorld } from '../../../support/database/database.js'

let base: string
let directory: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'private-files-'))
  directory = join(base, 'data')
})
afterEach(() => rmSync(base, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** Files and directories at and below the base that others may read, write or enter. */
function openToOthers(): readonly string[] {
  return readdirSync(base, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const entry = lstatSync(join(base, name))
    return !entry.isSymbolicLink() && (entry.mode & 0o077) !== 0
  })
}

/** What is open to others while a database is open. */
async function openWhileUsed(): Promise<readonly string[]> {
  const database = await openDatabase({ kind: 'embedded', directory })
  const open = openToOthers()
  await database.close()
  return open
}

describe('the files of an embedded database', () => {
  it('are readable by their own user only, from the first start on and after a second one', async () => {
    expect([await openWhileUsed(), modeOf(directory)]).toEqual([[], '700'])
    expect(await openWhileUsed()).toEqual([])
  })

  it('are restricted if an earlier start left them open', async () => {
    await copyEmbeddedWorld('empty', directory)
    chmodSync(directory, 0o755)
    chmodSync(join(directory, 'PG_VERSION'), 0o666)
    chmodSync(join(directory, 'base'), 0o755)
    expect([await openWhileUsed(), modeOf(directory)]).toEqual([[], '700'])
  })

  it('stay unchanged if a link leads out of the directory', async () => {
    await copyEmbeddedWorld('empty', directory)
    writeFileSync(join(base, 'elsewhere'), '')
    chmodSync(join(base, 'elsewhere'), 0o644)
    symlinkSync(join(base, 'elsewhere'), join(directory, 'link'))
    expect(await openWhileUsed()).toEqual(['elsewhere'])
  })
})

describe('makePrivateDirectory', () => {
  it('restricts an existing directory', () => {
    mkdirSync(directory)
    chmodSync(directory, 0o750)
    makePrivateDirectory(directory)
    expect(modeOf(directory)).toBe('700')
  })

  it.runIf(process.getuid?.() === 0)('refuses the open directory of another user, saying what to do', () => {
    mkdirSync(directory, { mode: 0o700 })
    chmodSync(directory, 0o777)
    chmodSync(base, 0o755)
    process.seteuid?.(65_534)
    try {
      expect(() => makePrivateDirectory(directory)).toThrow(
        `The database directory ${directory} is open to other users (mode 777) and belongs to one of them; make it this user's own with mode 700, or set DATA_DIR to another one`,
      )
    } finally {
      process.seteuid?.(0)
    }
    expect(modeOf(directory)).toBe('777')
  })
})

describe('a file of the data directory', () => {
  it('replaces a link and does not change its target', async () => {
    const [letter, keys] = [join(base, 'letter.txt'), join(base, 'keys.json')]
    writeFileSync(letter, 'dear')
    symlinkSync(letter, keys)
    await expect(readPrivateFile(keys)).rejects.toMatchObject({ code: 'ELOOP' })
    await writePrivateFile(keys, 'secret')
    expect(lstatSync(keys).isFile()).toBe(true)
    expect(modeOf(keys)).toBe('600')
    expect(await readPrivateFile(keys)).toBe('secret')
    expect(await readPrivateFile(letter)).toBe('dear')
  })

  it('is replaced completely, and a failed write leaves no draft', async () => {
    const keys = join(base, 'keys.json')
    await writePrivateFile(keys, 'first')
    chmodSync(keys, 0o644)
    await writePrivateFile(keys, 'second')
    expect([modeOf(keys), await readPrivateFile(keys)]).toEqual(['600', 'second'])
    mkdirSync(join(base, 'folder', 'inner'), { recursive: true })
    await expect(writePrivateFile(join(base, 'folder'), 'text')).rejects.toThrow()
    expect(readdirSync(base).sort()).toEqual(['folder', 'keys.json'])
  })
})
