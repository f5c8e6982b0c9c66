import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import { type Child, startChild } from '../../support/processes/child.js'

const NODE = resolve(import.meta.dirname, 'children/run-sec-jobs.ts')

/** The SEC allows so many requests in a second from one address. */
const PER_SECOND = 10

/** What the SEC answers about a company without facts, and about a fund without filings. */
function bodyOf(url: string): string | null {
  const cik = /CIK(\d{10})/.exec(url)?.[1] ?? ''
  if (url.startsWith('/submissions/')) return JSON.stringify({ cik, name: 'A', tickers: [], formerNames: [] })
  if (url.startsWith('/api/xbrl/companyfacts/'))
    return JSON.stringify({ cik: Number(cik), entityName: 'A', facts: { dei: {} } })
  return url.startsWith('/cgi-bin/') ? '<feed xmlns="http://www.w3.org/2005/Atom"></feed>' : null
}

describe.runIf(availableDatabases().includes('postgres'))(
  'nodes whose jobs ask the SEC at once',
  { timeout: 240_000 },
  () => {
    let url: string
    let database: Database
    let sec: Server
    let asked: { readonly url: string; readonly atMs: number }[]
    /** The number of the request that the SEC answers by blocking the address. */
    let blockedAt: number
    const nodes: Child[] = []
    beforeEach(async () => {
      asked = []
      blockedAt = Number.POSITIVE_INFINITY
      sec = createServer((request, response) => {
        asked.push({ url: request.url ?? '', atMs: performance.now() })
        const body = bodyOf(request.url ?? '')
        if (asked.length === blockedAt) response.writeHead(403).end('Forbidden')
        else response.writeHead(body === null ? 404 : 200).end(body)
      })
      await new Promise<void>((resolve) => sec.listen(0, '127.0.0.1', resolve))
      url = await copyPostgresWorld('seeded')
      database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
    })
    afterEach(async () => {
      await Promise.all(nodes.splice(0).map((node) => node.kill('SIGKILL')))
      await database.close()
      await dropPostgresDatabase(url)
      sec.closeAllConnections()
      sec.close()
    })

    const startNode = async () => {
      const { port } = sec.address() as AddressInfo // it listens on TCP
      const node = await startChild(NODE, [url, `http://127.0.0.1:${port}`])
      nodes.push(node)
      return node
    }
    const statusOf = async () => {
      const runs = await database.rows<{ job: string; status: string; detail: string | null }>(
        'select job, status, detail from job_run',
      )
      return new Map(runs.map(({ job, status, detail }) => [job, status === 'retrying' ? detail : status]))
    }
    const until = async (isReached: () => boolean | Promise<boolean>) => {
      for (let waits = 0; !(await isReached()); waits++) {
        if (waits > 300)
          throw new Error(`after ${asked.length} requests: ${JSON.stringify([...(await statusOf())])}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }

    it('never send more requests in a second than it allows, and each job runs although one node is killed', async () => {
      const [first] = [await startNode(), await startNode()]
      await until(() => asked.length >= 30)
      await first.kill('SIGKILL')
      // The seed has no live assets and the SEC here no lists, so two of the jobs end with that reason.
      await until(async () => {
        const status = await statusOf()
        const hasEnded = (job: string, end: string) => status.get(job)?.includes(end) ?? false
        return (
          hasEnded('nport', 'succeeded') &&
          hasEnded('sec-facts', 'succeeded') &&
          hasEnded('sec-submissions', 'are synthetic') &&
          hasEnded('universe', 'status 404')
        )
      })
      const most = asked.map(
        ({ atMs }) => asked.filter((other) => other.atMs >= atMs && other.atMs < atMs + 1_000).length,
      )
      expect(Math.max(...most)).toBeLessThanOrEqual(PER_SECOND)
      const parts = ['/submissions/', '/api/xbrl/companyfacts/', '/cgi-bin/', '/files/company_tickers']
      expect(parts.filter((part) => !asked.some((one) => one.url.startsWith(part)))).toEqual([])
    })

    it('all rest until the block is over when one of their jobs sees that the SEC blocks the address', async () => {
      blockedAt = 12
      await startNode()
      await startNode()
      const waiting = async () =>
        (
          await database.rows<{ job: string; detail: string; waits: number }>(
            `select job, detail, extract(epoch from next_attempt_at - clock_timestamp())::float8 as waits
           from job_run where status = 'retrying' order by job`,
          )
        ).filter(({ detail }) => /blocks this address/.test(detail))
      // The others have ended before: the SEC here has no lists.
      await until(async () => (await waiting()).length >= 2)
      await until(async () => [...(await statusOf()).values()].every((status) => status !== 'running'))
      for (const { waits } of await waiting()) expect(waits).toBeGreaterThan(580)
      // The other jobs have what the SEC answered to the first.
      expect(
        (await waiting()).filter(({ detail }) => detail.includes('is not requested before')).length,
      ).toBe((await waiting()).length - 1)
      // Requests whose turn had come were sent.
      const before = asked.length
      expect(before).toBeLessThan(blockedAt + 4)
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      expect(asked.length).toBe(before)
    })
  },
)
