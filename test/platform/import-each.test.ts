import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importEach } from '../../src/platform/import-each.js'

const seen: string[] = []

describe('importEach', () => {
  let directory: string
  const put = async (folder: string, name: string, text: string) => {
    await mkdir(join(directory, folder), { recursive: true })
    await writeFile(join(directory, folder, `${name}.ts`), text)
  }
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mdg-each-'))
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
    Object.assign(globalThis, { seenByImportEach: seen })
    // The first takes longer than the second: its turn is over before that of the second begins.
    const slow = 'await new Promise(setImmediate)\n'
    await put('apples', 'model', `${slow}seenByImportEach.push('apples')`)
    await put('zinc', 'model', "seenByImportEach.push('zinc')")
    await put('zinc', 'other', "seenByImportEach.push('other')")
    await put('broken', 'schema', "throw new Error('is broken')")
    await put('empty', 'readme', '')
    await writeFile(join(directory, 'model.ts'), "seenByImportEach.push('a file beside the folders')")
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('imports the module of that name of each folder, in the order of the folders', async () => {
    await importEach(pathToFileURL(`${directory}/`), 'model')
    expect(seen).toEqual(['apples', 'zinc'])
  })

  it('fails with what a module throws', async () => {
    await expect(importEach(pathToFileURL(`${directory}/`), 'schema')).rejects.toThrow('is broken')
  })
})
