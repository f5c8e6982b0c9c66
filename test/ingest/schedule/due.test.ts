import { describe, expect, it } from 'vitest'
import { backOffMs } from '../../../src/ingest/schedule/back-off.js'
import { planRuns } from '../../../src/ingest/schedule/due.js'
import { type Job, NO_ROWS } from '../../../src/ingest/schedule/job.js'
import type { JobRun } from '../../../src/ingest/schedule/job-store.js'
import { byCron } from '../../../src/ingest/schedule.js'

const NOW = new Date('2026-11-20T12:34:00Z')
const at = (time: string) => new Date(`2026-11-20T${time}:00Z`)

function job(name: string, more: Partial<Job> = {}): Job {
  return {
    name,
    dataset: 'forex',
    cadence: 'every ten minutes',
    schedule: byCron('*/10 * * * *', 0),
    feeds: [name],
    run: async () => ({ counts: NO_ROWS, note: null, unfinished: null }),
    ...more,
  }
}

function run(name: string, more: Partial<JobRun> = {}): JobRun {
  return {
    job: name,
    dueAt: at('12:20'),
    coversTo: at('12:20'),
    status: 'succeeded',
    attempt: 1,
    term: 1,
    startedAt: at('12:20'),
    finishedAt: at('12:21'),
    nextAttemptAt: null,
    detail: null,
    succeededTo: at('12:20'),
    succeededAt: at('12:21'),
    isHeld: true,
    ...more,
  }
}

function plan(
  jobs: readonly Job[],
  runs: readonly JobRun[],
  more: { running?: string[]; offsetMs?: number; own?: readonly string[] } = {},
) {
  const { due, nextAt } = planRuns({
    jobs,
    isOwn: ({ name }) => more.own?.includes(name) ?? true,
    runs: new Map(runs.map((one) => [one.job, one])),
    running: new Set(more.running ?? []),
    now: NOW,
    offsetMs: () => more.offsetMs ?? 0,
  })
  return {
    due: due.map(({ job: { name }, dueAt, coversTo, attempt, blockedBy }) => [
      name,
      dueAt,
      coversTo,
      attempt,
      blockedBy,
    ]),
    nextAt,
  }
}

describe('a due run', () => {
  it('exists at once for a job that never ran', () => {
    expect(plan([job('a')], [])).toEqual({ due: [['a', at('12:30'), at('12:30'), 1, null]], nextAt: null })
  })

  it('covers all missed instants, oldest job first', () => {
    const runs = [
      run('a', { coversTo: at('12:10') }),
      run('b', { dueAt: at('09:00'), coversTo: at('09:10') }),
    ]
    expect(plan([job('a'), job('b')], runs).due).toEqual([
      ['b', at('09:20'), at('12:30'), 1, null],
      ['a', at('12:20'), at('12:30'), 1, null],
    ])
  })

  it('does not exist before the next instant, delayed by the jitter of the job', () => {
    const met = [run('a', { coversTo: at('12:30') })]
    expect(plan([job('a')], met)).toEqual({ due: [], nextAt: at('12:40') })
    expect(plan([job('a')], [run('a')], { offsetMs: 300_000 })).toEqual({ due: [], nextAt: at('12:35') })
    expect(plan([job('a')], [run('a')], { offsetMs: 240_000 }).due).toHaveLength(1)
  })

  it('exists for a failed run after its pause, including later instants', () => {
    const failed = run('a', {
      status: 'retrying',
      attempt: 3,
      dueAt: at('11:00'),
      nextAttemptAt: at('12:33'),
    })
    expect(plan([job('a')], [failed]).due).toEqual([['a', at('11:00'), at('12:30'), 4, null]])
    expect(plan([job('a')], [{ ...failed, nextAttemptAt: at('12:35') }])).toEqual({
      due: [],
      nextAt: at('12:35'),
    })
  })

  it('exists for a run that another process left, with its original instants', () => {
    const left = run('a', { status: 'running', dueAt: at('11:00'), coversTo: at('11:10') })
    expect(plan([job('a')], [left]).due).toEqual([['a', at('11:00'), at('11:10'), 2, null]])
    expect(plan([job('a')], [left], { running: ['a'] })).toEqual({ due: [], nextAt: null })
  })

  it('waits for a job that it needs once, and for one that it follows each time', () => {
    const needs = job('b', { needs: 'a' })
    const follows = job('b', { follows: 'a' })
    const blocked = (jobs: readonly Job[], runs: readonly JobRun[]) =>
      plan(jobs, runs).due.find(([name]) => name === 'b')?.[4]
    const failed = run('a', { status: 'retrying', nextAttemptAt: at('12:50') })
    expect(blocked([job('a'), needs], [])).toBe('a')
    expect(blocked([job('a'), needs], [{ ...failed, succeededTo: null }])).toBe('a')
    expect(blocked([job('a'), needs], [failed])).toBe(null)
    expect(blocked([job('a'), follows], [failed])).toBe('a')
    expect(blocked([job('a'), follows], [run('a', { succeededTo: at('12:30') })])).toBe(null)
    expect(blocked([needs], [])).toBe(null)
  })

  it('exists only on the node that runs the job, and waits for jobs of other nodes', () => {
    const follows = job('b', { follows: 'a' })
    const failed = run('a', { status: 'retrying', nextAttemptAt: at('12:50') })
    expect(plan([job('a'), follows], [failed], { own: ['b'] })).toEqual({
      due: [['b', at('12:30'), at('12:30'), 1, 'a']],
      nextAt: null,
    })
    expect(plan([job('a'), follows], [], { own: [] })).toEqual({ due: [], nextAt: null })
  })
})

describe('the pause after a failed attempt', () => {
  it('doubles up to a quarter of an hour, and is reduced by up to half', () => {
    const pauses = [1, 2, 3, 6, 7, 50].map((attempt) => backOffMs(attempt, null, 0) / 1000)
    expect(pauses).toEqual([15, 30, 60, 480, 900, 900])
    expect(backOffMs(1, null, 1)).toBe(7_500)
  })

  it('is as long as the provider asked for, up to six hours', () => {
    expect(backOffMs(1, 120_000, 1)).toBe(120_000)
    expect(backOffMs(1, 999_999_999_999, 0)).toBe(6 * 3_600_000)
  })
})
