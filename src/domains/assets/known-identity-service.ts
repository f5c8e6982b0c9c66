import { asOfText } from '../../core/as-of.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type KnownIdentity, loadHoldersOfTickers, loadIdentities } from './identity-store.js'

/** A row about an asset, with the members of its identity that it has. */
export type IdentifiedRow = Pick<KnownIdentity, 'ticker' | 'name'> &
  Partial<KnownIdentity> & { readonly assetId: number; readonly lastUpdated?: Date }

/** The instant as of which the identity of assets is answered; null for today. Masters have no published instant. */
export function identityInstant({ clock }: Pick<RequestContext, 'clock'>): Date | null {
  return clock === undefined || clock.basis === 'published' ? null : clock.at
}

/** Requests with the same text may share a load of assets. */
export function identityKey({ clock }: Pick<RequestContext, 'clock'>): string {
  return asOfText(clock ?? null)
}

/** The keys of the assets that had each ticker at an instant, as known then. */
export function listHoldersOfTickers(
  tickers: readonly string[],
  asOf: Date,
  { database }: Pick<RequestContext, 'database'>,
): Promise<readonly number[]> {
  return loadHoldersOfTickers(database.prisma, tickers, asOf)
}

/** The rows as they were known at the instant of the context's clock, without assets that were not known then. */
export async function asKnown<Row extends IdentifiedRow>(
  rows: readonly Row[],
  context: RequestContext,
): Promise<readonly Row[]> {
  const asOf = identityInstant(context)
  if (asOf === null || rows.length === 0) return rows
  const ids = [...new Set(rows.map(({ assetId }) => assetId))]
  const identities = await loadIdentities(context.database.prisma, ids, asOf)
  return rows.flatMap((row) => {
    const identity = identities.get(row.assetId)
    return identity === undefined ? [] : [withIdentity(row, identity, asOf)]
  })
}

/** Only members that the row has are replaced. */
function withIdentity<Row extends IdentifiedRow>(row: Row, identity: KnownIdentity, asOf: Date): Row {
  const known = Object.entries({ ...identity, lastUpdated: asOf }).filter(([member]) => member in row)
  return { ...row, ...Object.fromEntries(known) }
}
