import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { availableDatabases, type DatabaseKind } from '../support/database/database.js'
import { amountOf, noteFigures, randomOf } from '../support/figures.js'
import {
  type Acknowledged,
  type Command,
  DAYS,
  type KilledWorld,
  loadUntil,
  newKilledWorld,
} from './killed-world.js'

// Processes are killed at random moments of ingestion, analysis, key creation and metered load; then everything that was
// acknowledged must be there, and nothing by half.

/** Of each kind of database; `npm run trust` makes 50. */
const KILLS = amountOf('KILLS', 2)

/** No further kill after so long. */
const MINUTES = amountOf('MINUTES', 10)

/** Another one with each run; the name of the tests has it. */
const SEED = amountOf('SEED', (Date.now() % 2 ** 31) + 1)

/** On the embedded database charges are written each 2 s: what was answered longer before the kill is counted. */
const WRITTEN_MS = 5_000

/** How long after a start, or after the end of another process, it is ready. */
const READY_MS = 5_000

interface Snapshot {
  readonly rate: string
  readonly used: number
}

/** Describes the kills on one kind of database, which each have a file of their own to run beside each other. */
export function describeKills(kind: DatabaseKind): void {
  describe.skipIf(!availableDatabases().includes(kind))(
    `a gateway on ${kind} that is killed (seed ${SEED})`,
    () => {
      const random = randomOf(SEED + (kind === 'postgres' ? 1 : 0))
      const findings: string[] = []
      const done = { kills: 0, requests: 0, keys: 0, ingestions: 0 }
      let world: KilledWorld

      beforeAll(async () => {
        world = await newKilledWorld(kind)
      }, 600_000)
      afterAll(async () => {
        noteFigures({ part: `kills on ${kind} (seed ${SEED})`, done, findings })
        await world?.remove()
      })

      it('loses no acknowledged write, and leaves nothing partial', async () => {
        await world.gateway()
        let rate = '1.0001'
        const first = await world.ingest(rate)
        expect([await first.ended, first.output()]).toEqual([0, expect.any(String)])
        const endsAt = performance.now() + 60_000 * MINUTES
        for (let round = 1; done.kills < KILLS && performance.now() < endsAt; round += 1) {
          const before = { rate, used: await world.usedUnits() }
          const next = (1 + (round + 1) / 10_000).toFixed(4)
          const noted: Acknowledged = { made: [], metered: [], sent: 0, isIngested: null, wrong: [] }
          const killedAt = await killIn(round, next, noted)
          const wrong = [...noted.wrong, ...(await lostOf(before, next, noted, killedAt))]
          rate = (await storedRates())[0]?.rate ?? rate
          findings.push(...wrong.map((text) => `kill ${round}: ${text}`))
          process.stdout.write(`${kind}: ${done.kills} kills, ${findings.length} findings\n`)
        }
        findings.push(...(await leftByHalf()))
        expect(findings).toEqual([])
      }, 3_600_000)

      /** Puts load on the gateway, kills one or both of gateway and command, and answers when. */
      async function killIn(round: number, rate: string, noted: Acknowledged): Promise<number> {
        const gateway = await world.gateway()
        let isOver = false
        const load = loadUntil(world, () => isOver, noted)
        const isIngesting = round % 4 !== 0
        const command = await (isIngesting ? world.ingest(rate) : world.analyse())
        const isLong = kind === 'pglite' && round % 5 === 0
        await sleep(isLong ? WRITTEN_MS + 2_000 * random() : 2_500 * random())
        const victim = kind === 'pglite' ? 'gateway' : (['gateway', 'command', 'both'] as const)[round % 3]
        if (victim !== 'gateway') command.child.kill('SIGKILL')
        const killedAt = performance.now()
        if (victim !== 'command') {
          isOver = true
          await gateway.stop('SIGKILL')
        }
        done.kills += victim === 'both' ? 2 : 1
        const ended = await command.ended
        if (victim === 'command' && !isOver) noted.wrong.push(...(await unready()))
        isOver = true
        await load
        if (victim !== 'command') world.forget()
        noted.wrong.push(...faultOf(command, ended))
        if (isIngesting) noted.isIngested = ended === 0
        done.requests += noted.sent
        done.keys += noted.made.length
        done.ingestions += isIngesting ? 1 : 0
        return killedAt
      }

      async function unready(): Promise<readonly string[]> {
        return (await readyInTime()) ? [] : ['not ready although a command alone was killed']
      }

      /** A check of a busy machine may come too late; the next does not. */
      async function readyInTime(): Promise<boolean> {
        for (const endsAt = performance.now() + READY_MS; performance.now() < endsAt; await sleep(50))
          if ((await world.ask('/readyz', '')).status === 200) return true
        return false
      }

      function faultOf(command: Command, ended: Awaited<Command['ended']>): readonly string[] {
        if (ended === 'hung') return [`a command hung: ${command.output()}`]
        const isReported = ended === 0 || ended === 'SIGKILL' || command.output().trim() !== ''
        return isReported ? [] : [`a command ended with ${ended} and said nothing`]
      }

      /** What of the acknowledged is not there after the next start. */
      async function lostOf(
        before: Snapshot,
        rate: string,
        noted: Acknowledged,
        killedAt: number,
      ): Promise<readonly string[]> {
        const lost: string[] = []
        await world.gateway()
        if (!(await readyInTime())) lost.push('not ready after the start')
        for (const { keyId, rawKey } of noted.made) {
          const used = await world.ask('/auth/me', rawKey)
          if (used.status !== 200) lost.push(`a key that was shown is a ${used.status}`)
          await world.ask(`/auth/keys/${keyId}`, world.keyOf('growth'), { method: 'DELETE' })
        }
        const charged = (await world.usedUnits()) - before.used
        const surely = noted.metered.filter((at) => kind === 'postgres' || at < killedAt - WRITTEN_MS).length
        if (charged < surely || charged > noted.sent)
          lost.push(`${charged} units of ${surely} to ${noted.sent} are counted`)
        const stored = await storedRates()
        const [only] = stored
        if (stored.length !== 1 || only?.days !== DAYS)
          lost.push(`an ingestion by half: ${JSON.stringify(stored)}`)
        const may =
          noted.isIngested === true
            ? [rate]
            : noted.isIngested === false
              ? [before.rate, rate]
              : [before.rate]
        if (only !== undefined && !may.includes(only.rate))
          lost.push(`the rate ${only.rate} is not one of ${may}`)
        return lost
      }

      /** How many days have which rate, as the API answers. */
      async function storedRates(): Promise<readonly { readonly rate: string; readonly days: number }[]> {
        const { text, status } = await world.ask(
          '/v1/forex.csv?quote=USD&from=1999-01-04&to=2025-01-01',
          world.keyOf('growth'),
        )
        if (status !== 200) return [{ rate: `${status} ${text.slice(0, 200)}`, days: 0 }]
        const [header = '', ...lines] = text.trim().split(/\r?\n/)
        const at = header.split(',').indexOf('rate')
        const days = new Map<string, number>()
        for (const line of lines) {
          const rate = Number(line.split(',')[at]).toFixed(4)
          days.set(rate, (days.get(rate) ?? 0) + 1)
        }
        return [...days].map(([rate, count]) => ({ rate, days: count }))
      }

      /** After one more run and an orderly stop: no run is open, and no sequence has a hole. */
      async function leftByHalf(): Promise<readonly string[]> {
        const last = await world.ingest('1.9999')
        const wrong = (await last.ended) === 0 ? [] : [`the last ingestion failed: ${last.output()}`]
        await (await world.gateway()).stop('SIGTERM')
        world.forget()
        const counts = await world.inDatabase((database) =>
          database.rows<{ what: string; count: number }>(HALVES),
        )
        return [
          ...wrong,
          ...counts.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`),
        ]
      }
    },
  )
}

/** What must not be, and how often it is. */
const HALVES = `
  select 'runs are open' as what, count(*)::int as count from ingest_run where status = 'running'
  union all
  select 'chains of snapshots have holes', count(*)::int from (
    select 1 from analysis_snapshot group by asset_id, analysis_type having max(sequence) <> count(*)) as c
  union all
  select 'kinds of changes have holes in their places', count(*)::int from (
    select 1 from analysis_change group by source, analysis_type, change_type having max(place) <> count(*)) as c
  union all
  select 'snapshots that say other things than the one before have no change', count(*)::int from analysis_snapshot as s
    join analysis_snapshot as b using (asset_id, analysis_type)
    where b.sequence = s.sequence - 1 and b.content_hash <> s.content_hash
      and not exists (select 1 from analysis_change where to_snapshot_id = s.snapshot_id)
  union all
  select 'days have two current rates', count(*)::int from (
    select 1 from forex_rate where known_to is null group by quote, date having count(*) > 1) as c
  union all
  select 'keys have no audit event', count(*)::int from api_key as k
    where not exists (select 1 from audit_event where key_id = k.key_id and action = 'key_created')`
