import { PROTOCOL_ECONOMICS, PROTOCOL_TVL } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
  sumOfCounts,
  type WriteCounts,
} from '../../platform/bi-temporal/series-table.js'
import { seriesUndoer, type Undone } from '../../platform/bi-temporal/undo-rows.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../platform/database/database.js'
import { arraysOf, statement } from '../../platform/database/statement.js'
import type { EconomicsFigures, Protocol, ProtocolFact, TvlFigures } from './model.js'

type TvlRow = ProtocolFact & { readonly tvl: TvlFigures }
type EconomicsRow = ProtocolFact & { readonly economics: EconomicsFigures }

const TVL: SeriesTable<TvlRow> = {
  name: 'protocol_tvl',
  key: [
    storedColumn(PROTOCOL_TVL, 'protocolId', ({ protocol }) => protocol.protocolId),
    ...storedColumns(PROTOCOL_TVL, 'snapshotDate'),
  ],
  values: [
    storedColumn(PROTOCOL_TVL, 'tvlUsd', ({ tvl }) => tvl.tvlUsd),
    storedColumn(PROTOCOL_TVL, 'tvlChange1dPct', ({ tvl }) => tvl.change1dPct),
    storedColumn(PROTOCOL_TVL, 'tvlChange7dPct', ({ tvl }) => tvl.change7dPct),
  ],
  notes: [SOURCE_COLUMN],
}

const ECONOMICS: SeriesTable<EconomicsRow> = {
  name: 'protocol_economics',
  key: [
    storedColumn(PROTOCOL_ECONOMICS, 'protocolId', ({ protocol }) => protocol.protocolId),
    storedColumn(PROTOCOL_ECONOMICS, 'measure', ({ economics }) => economics.measure),
    ...storedColumns(PROTOCOL_ECONOMICS, 'snapshotDate'),
  ],
  values: [
    storedColumn(PROTOCOL_ECONOMICS, 'total24hUsd', ({ economics }) => economics.total24hUsd),
    storedColumn(PROTOCOL_ECONOMICS, 'total7dUsd', ({ economics }) => economics.total7dUsd),
    storedColumn(PROTOCOL_ECONOMICS, 'total30dUsd', ({ economics }) => economics.total30dUsd),
  ],
  notes: [SOURCE_COLUMN],
}

const writeTvl = seriesWriter(TVL)
const writeEconomics = seriesWriter(ECONOMICS)

// Plain SQL: one statement writes a batch. Two feeds describe a protocol, so members that a feed does not state stay unchanged.
// Chains are sent as JSON, because an array of arrays must be rectangular.
const UPSERT_PROTOCOLS = statement(
  'bulk',
  { isChange: 'bool' },
  `insert into protocol as p (protocol_id, name, category, chains, source)
   select g.protocol_id, g.name, g.category, array(select jsonb_array_elements_text(g.chains::jsonb)), $5
   from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as g(protocol_id, name, category, chains)
   on conflict (protocol_id) do update set name = excluded.name,
     category = coalesce(excluded.category, p.category), source = excluded.source,
     chains = case when excluded.chains = '{}' then p.chains else excluded.chains end
   where (p.name, p.category, p.chains, p.source) is distinct from (excluded.name,
     coalesce(excluded.category, p.category),
     case when excluded.chains = '{}' then p.chains else excluded.chains end, excluded.source)
   returning p.xmax <> '0'::xid as "isChange"`,
)

/** Adds and revises protocols and their figures. See `seriesWriter`. A fact without figures counts as unchanged. */
export async function writeProtocolFacts(
  tx: Transaction,
  facts: readonly ProtocolFact[],
  known: Known,
): Promise<WriteCounts> {
  await upsertProtocols(
    tx,
    facts.map(({ protocol }) => protocol),
    known,
  )
  const tvl = await writeTvl(tx, facts.filter(hasTvl), known)
  const economics = await writeEconomics(tx, facts.filter(hasEconomics), known)
  const withoutFigures = facts.filter((fact) => fact.tvl === null && fact.economics === null).length
  return sumOfCounts(tvl, economics, { added: 0, revised: 0, unchanged: withoutFigures })
}

const undoTvl = seriesUndoer(TVL)
const undoEconomics = seriesUndoer(ECONOMICS)

/** Undoes what a run wrote for the figures of these protocols. See `seriesUndoer`. */
export async function undoProtocolFacts(
  tx: Transaction,
  facts: readonly ProtocolFact[],
  known: Known,
): Promise<Undone> {
  const tvl = await undoTvl(tx, facts.filter(hasTvl), known)
  const economics = await undoEconomics(tx, facts.filter(hasEconomics), known)
  return { added: tvl.added + economics.added, revised: tvl.revised + economics.revised }
}

function hasTvl(fact: ProtocolFact): fact is TvlRow {
  return fact.tvl !== null
}

function hasEconomics(fact: ProtocolFact): fact is EconomicsRow {
  return fact.economics !== null
}

async function upsertProtocols(tx: Transaction, protocols: readonly Protocol[], { source }: Known) {
  // A statement may write a row only once.
  const latest = [...new Map(protocols.map((protocol) => [protocol.protocolId, protocol])).values()]
  await tx.rows(UPSERT_PROTOCOLS, [
    ...arraysOf(latest, 'protocolId', 'name', 'category'),
    latest.map(({ chains }) => JSON.stringify(chains)),
    source,
  ])
}

/** Removes protocols of a source with their figures and the fundamentals computed from them. Returns the number of rows. */
export const removeProtocols = sourceRemover(
  ({ protocolTvl, protocolEconomics, assetFundamentals, protocol }) => [
    protocolTvl,
    protocolEconomics,
    assetFundamentals,
    protocol,
  ],
)
