import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, inject, it } from 'vitest'
import { CASES } from '../../../scripts/bench/shared/cases/cases.js'
import { availableDatabases } from '../../support/database/database.js'

const MAX_MS = 1_200_000

describe.skipIf(!availableDatabases().includes('postgres'))('the benchmark', () => {
  it(
    'gets the same answer from every contender of every case',
    async () => {
      const run = spawn('npm', ['run', '-s', 'bench', '--', '--compare-only'], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, BENCH_DATABASE_URL: inject('postgresUrl') ?? '' },
      })
      let printed = ''
      run.stdout.on('data', (text) => (printed += text))
      run.stderr.on('data', (text) => (printed += text))
      const [code] = await once(run, 'exit')
      expect(printed.match(/^ +FAILED: .*$/gm)).toBeNull()
      expect(printed.match(/all contenders answer alike/g)).toHaveLength(CASES.length)
      expect(code).toBe(0)
    },
    MAX_MS,
  )
})
