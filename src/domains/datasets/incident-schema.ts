import { hasNext, parseOffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import { offsetPageArguments } from '../../schema-kit/shared-arguments.js'
import { flag, instant, integer, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { listIncidents } from './incident-service.js'
import { MAX_INCIDENTS } from './incident-store.js'
import { type Incident, LEDGER_DAYS } from './model.js'
import { DATASETS } from './registry-model.js'

const IncidentKindType = describedEnum('IncidentKind', 'What an incident is.', {
  runs_failed: 'Runs of a feed failed, from the first failure to the end of the next run that succeeded.',
  data_late: 'Newer data are due since the start of the incident. Only present lateness is known.',
})

const IncidentCauseType = describedEnum('IncidentCause', 'Why a run of a feed failed.', {
  provider: 'The provider did not answer, or refused.',
  data: 'What the provider sent could not be used.',
  gateway: 'The gateway failed, or a file of its operator could not be used.',
})

const IncidentType = builder.objectRef<Incident>('Incident').implement({
  description:
    'A time in which the data of a dataset could not be refreshed. The stored data are served meanwhile.',
  fields: (t) =>
    shownFields(t, {
      dataset: text('The affected dataset, e.g. forex.'),
      kind: shownAs(IncidentKindType)('What the incident is.'),
      feed: text.orNull('The affected feed, e.g. ecb-daily. Null for late data.'),
      source: text.orNull('Provider of the feed. Null for late data, and for candles, which have several.'),
      started_at: instant('When the first run that failed started, or newer data were due.', 'startedAt'),
      ended_at: instant.orNull(
        'When the next run that succeeded ended. Null while the incident lasts.',
        'endedAt',
      ),
      failed_runs: integer.orNull('Number of runs that failed in a row. Null for late data.', 'failedRuns'),
      cause: shownAs(IncidentCauseType).orNull(
        'Why the newest of these runs failed. Null for late data, and where no cause is recorded.',
      ),
    }),
})

interface IncidentList {
  readonly data: readonly Incident[]
  readonly total: number
  readonly hasNext: boolean
}

const IncidentListType = builder.objectRef<IncidentList>('IncidentList').implement({
  description: 'Incidents, newest first.',
  fields: (t) =>
    shownFields(t, {
      data: shownAs([IncidentType])('The incidents of this page.'),
      total: integer(`Number of incidents on all pages, at most ${MAX_INCIDENTS}: the newest ones.`),
      has_next: flag('Whether another page follows.', 'hasNext'),
    }),
})

queryEndpoint('incidents', {
  summary: `Incidents of the last ${LEDGER_DAYS} days`,
  keywords: ['status page', 'outage', 'downtime', 'failed runs', 'late data'],
  description: `When the data of a dataset could not be refreshed in the last ${LEDGER_DAYS} days, newest first, as the records of runs show: runs of a feed that failed in a row, and datasets that are late now. Needs no key and is free of charge.`,
  access: 'open',
  cost: 'free',
  rest: {
    method: 'GET',
    path: '/v1/incidents',
    tag: 'datasets',
    table: { rows: 'data', total: 'total', paging: { by: 'offset' } },
  },
  reads: DATASETS,
  type: IncidentListType,
  args: offsetPageArguments,
  check: (args) => {
    const problems = new Problems()
    const page = parseOffsetPage(problems, args)
    problems.refuse()
    return page
  },
  resolve: async (page, context) => {
    const { incidents, total } = await listIncidents(page, context)
    return { data: incidents, total, hasNext: hasNext(page, total) }
  },
})
