import { ApiError, invalid } from '../../core/errors.js'
import { type CheckedReceipt, checkReceipt } from '../../platform/receipts/receipt.js'
import { type PreparedRerun, receiptsPort } from '../../platform/receipts/receipts-port.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { findDifferences } from './differences.js'

export interface ReceiptQuery extends CheckedReceipt {
  readonly answer: string
  /** The request to run again; a text says why it is not. */
  readonly rerun: PreparedRerun | string
}

export interface Rerun {
  readonly status: 'same' | 'same_data' | 'different' | 'not_run'
  readonly reason: string | null
  readonly differences: readonly string[]
}

/** Checks signature and hash before anything is charged, since the request to run again sets the price. */
export async function parseReceiptQuery(
  { receipt, answer }: { readonly receipt: string; readonly answer: string },
  context: RequestContext,
): Promise<ReceiptQuery> {
  if (receipt.trim() === '') throw invalid({ field: 'receipt', message: 'must not be empty' })
  const receipts = context.ports.get(receiptsPort)
  const checked = await checkReceipt(receipt, answer, await receipts.keySet())
  const isValid = checked.claims !== null && checked.checks.every(({ passed }) => passed)
  const rerun = isValid
    ? await receipts.prepare(checked.claims, context)
    : 'Only the answer of a valid receipt is run again.'
  return { ...checked, answer, rerun }
}

/** Runs the request again and compares the answers. */
export async function runAgain({ answer, claims, rerun }: ReceiptQuery): Promise<Rerun> {
  if (typeof rerun === 'string' || claims === null)
    return { status: 'not_run', reason: typeof rerun === 'string' ? rerun : null, differences: [] }
  try {
    const { paths, isOfData } = findDifferences(JSON.parse(answer), await rerun.run(), claims.instant)
    const status = isOfData ? 'different' : paths.length > 0 ? 'same_data' : 'same'
    return { status, reason: null, differences: paths }
  } catch (error) {
    // The same request is refused today, for example because the asset is gone.
    if (error instanceof ApiError) return { status: 'different', reason: error.message, differences: [] }
    throw error
  }
}
