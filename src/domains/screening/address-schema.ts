import type { RequestContext } from '../../platform/request/request-context.js'
import { holdsScope } from '../../policy/decide.js'
import { builder } from '../../schema-kit/builder.js'
import { AddressSnapshotType } from '../onchain/snapshot-schema.js'
import { IdentifierStatusType } from './identifier-schema.js'
import { checkIdentifiers, type IdentifierStatus } from './identifier-service.js'

builder.objectField(AddressSnapshotType, 'sanctions_status', (t) =>
  t.field({
    type: IdentifierStatusType,
    nullable: true,
    description:
      'Result of comparing the address with the sanctions lists that are loaded now, as check_sanctions does. `not_found` is not an all-clear. Null without the scope screening:read, and if no list is loaded.',
    resolve: ({ snapshot }, _args, context) => statusOfAddress(snapshot.address, context),
  }),
)

/** The addresses of a response share one statement. */
async function statusOfAddress(address: string, context: RequestContext): Promise<IdentifierStatus | null> {
  if (!holdsScope(context, 'screening:read') || !context.datasets.has('screening')) return null
  const identifiers = [{ kind: 'wallet', text: address, country: null }] as const
  const [checked] = await checkIdentifiers({ identifiers, on: null, covering: null }, context)
  return checked?.status ?? null
}
