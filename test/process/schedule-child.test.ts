import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { compiled } from '../support/processes/compiled.js'
import { START_MS } from './gateway.js'

describe.runIf(availableDatabases().includes('postgres'))('the process of the schedule', () => {
  it(
    'ends where its gateway was gone before it had started, and leaves no lease behind',
    async () => {
      const url = await copyPostgresWorld('empty')
      const env = { PATH: process.env.PATH, DATABASE_URL: url, ...OWN_SECRETS, SCHEDULE: 'forex' }
      const child = fork(await compiled('src/process/schedule/schedule-child.ts'), [], { env, silent: true })
      const ended = once(child, 'exit')
      let log = ''
      child.stdout?.on('data', (chunk: Buffer) => {
        log += chunk.toString()
      })
      child.disconnect()
      expect(await ended).toEqual([0, null])
      expect(log).toContain('the gateway is gone')
      await dropPostgresDatabase(url)
    },
    START_MS,
  )
})
