import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDirectory } from '../../../../src/platform/database/embedded/directory-lock.js'
import { type Child, startChild } from '../../../support/processes/child.js'

const HOLDER = resolve(import.meta.dirname, '../children/hold-directory.ts')

let base: string
let directory: string
let children: Child[]

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'directory-lock-'))
  directory = join(base, 'data')
  children = []
})

afterEach(async () => {
  await Promise.all(children.map((child) => child.kill('SIGKILL')))
  rmSync(base, { recursive: true })
})

async function start(path = directory): Promise<Child> {
  const child = await startChild(HOLDER, [path])
  children.push(child)
  return child
}

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = await startChild(HOLDER, [join(base, 'elsewhere')])
  await child.line()
  await child.kill('SIGKILL')
  return child.pid
}

describe('lockDirectory', () => {
  it.each<[string, (file: string) => void]>([
    ['a directory', (file) => mkdirSync(file)],
    ['a link to a file of somebody else', (file) => symlinkSync(join(base, 'letter.txt'), file)],
  ])('refuses %s in place of its lock, and does not change it', (_, put) => {
    writeFileSync(join(base, 'letter.txt'), '1')
    put(`${directory}.lock`)
    expect(() => lockDirectory(directory)).toThrow(
      `.lock is not a lock of this gateway: remove it if nothing uses the database, and start again`,
    )
    expect(lstatSync(`${directory}.lock`).isFile()).toBe(false)
    expect(readFileSync(join(base, 'letter.txt'), 'utf8')).toBe('1')
  })

  it('creates the directory, and a lock file beside it that names this process', () => {
    const lock = lockDirectory(directory)
    expect(existsSync(directory)).toBe(true)
    expect(readFileSync(`${directory}.lock`, 'utf8')).toBe(String(process.pid))
    lock.release()
    expect(existsSync(`${directory}.lock`)).toBe(false)
  })

  it('refuses a second process, naming the directory and the holder', async () => {
    const holder = await start()
    expect(await holder.line()).toBe('held')
    expect(() => lockDirectory(directory)).toThrow(
      `The database directory ${directory} is held by process ${holder.pid}; stop it first`,
    )
    expect(await (await start()).line()).toContain(`is held by process ${holder.pid}`)
  })

  it('refuses the same process a second time, until the release', () => {
    const lock = lockDirectory(directory)
    expect(() => lockDirectory(directory)).toThrow(`is held by this process (${process.pid}) already`)
    lock.release()
    lockDirectory(directory).release()
  })

  it('recognizes the directory by any of its paths', () => {
    const lock = lockDirectory(directory)
    symlinkSync(directory, join(base, 'link'))
    expect(() => lockDirectory(join(base, 'link'))).toThrow('is held by this process')
    expect(() => lockDirectory(`${directory}/../data/`)).toThrow('is held by this process')
    lock.release()
  })

  it('takes over the lock of a killed process', async () => {
    const holder = await start()
    await holder.line()
    await holder.kill('SIGKILL')
    expect(readFileSync(`${directory}.lock`, 'utf8')).toBe(String(holder.pid))
    lockDirectory(directory).release()
  })

  it('takes over the lock of an earlier process with the same number', () => {
    writeFileSync(`${directory}.lock`, String(process.pid))
    lockDirectory(directory).release()
    expect(existsSync(`${directory}.lock`)).toBe(false)
  })

  it('lets exactly one of several processes take over the same dead lock', async () => {
    writeFileSync(`${directory}.lock`, String(await deadPid()))
    const started = await Promise.all([start(), start(), start(), start()])
    const answers = await Promise.all(started.map((child) => child.line()))
    expect(answers.filter((answer) => answer === 'held')).toHaveLength(1)
    expect(answers.filter((answer) => answer.includes('is held by process'))).toHaveLength(3)
  })

  it('refuses an unreadable lock, saying which files to remove, rather than guess', () => {
    writeFileSync(`${directory}.lock`, '')
    expect(() => lockDirectory(directory)).toThrow(`remove ${directory}.lock and ${directory}.lock.takeover`)
  })
})
