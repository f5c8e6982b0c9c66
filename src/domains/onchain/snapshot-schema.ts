import { Decimal, toJsonNumber } from '../../core/decimal.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { VERSION } from '../../platform/version.js'
import { DataQualityType } from '../../schema-kit/api-meta.js'
import { builder } from '../../schema-kit/builder.js'
import { type Freshness, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { flag, instant, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { addressLabel } from './labels-model.js'
import { isComplete, MAX_SHOWN_TRANSACTIONS, NATIVE_DECIMALS } from './model.js'
import type { ShownSnapshot } from './service.js'
import { licenceOfSnapshot, ONCHAIN_DISCLAIMER, ONCHAIN_DISCLAIMER_FR, sourcesOfSnapshot } from './terms.js'

export const AddressSnapshotType = builder.objectRef<ShownSnapshot>('AddressSnapshot').implement({
  description: 'The state of an address at one block. A snapshot is taken at the first request of a UTC day.',
  fields: (t) => ({
    chain_id: t.int({ description: 'EIP-155 id of the chain.', resolve: ({ chain }) => chain.chainId }),
    chain_name: t.string({
      description: 'Name of the chain.',
      resolve: ({ chain }) => chain.name,
    }),
    address: t.string({
      description: 'The address: 0x and 40 hexadecimal digits, lower case.',
      resolve: ({ snapshot }) => snapshot.address,
    }),
    snapshot_date: t.field({
      type: 'Date',
      description: 'UTC day on which the chain was read.',
      resolve: ({ snapshot }) => snapshot.snapshotDate,
    }),
    contract_name: t.string({
      nullable: true,
      description:
        'Name under which the source code was verified at Sourcify or Etherscan. Null for accounts, for contracts without verified source code, and if neither answered (data_quality is then partial).',
      resolve: ({ snapshot }) => snapshot.contractName?.name ?? null,
    }),
    is_contract: t.boolean({
      description:
        'True if the address has code. False for an account that delegates to a contract (EIP-7702).',
      resolve: ({ snapshot }) => snapshot.isContract,
    }),
    is_dev_dataset: t.boolean({
      description: 'True for synthetic seed data, false for live data.',
      resolve: ({ snapshot }) => snapshot.source === 'seed',
    }),
    label: t.string({
      nullable: true,
      description:
        'Public name of the address, from a curated catalogue. Null if the catalogue does not have it.',
      resolve: ({ snapshot }) => addressLabel(snapshot),
    }),
    native_balance: t.float({
      description:
        'Balance in the native currency of the chain, as the nearest JSON number. GraphQL has the exact balance in native_balance_wei.',
      resolve: ({ snapshot }) => nativeBalance(snapshot.balanceWei),
    }),
    tx_count: t.int({
      nullable: true,
      description: `The nonce: transactions sent by an account, or contracts created by a contract. Null above ${MAX_SHOWN_TRANSACTIONS}.`,
      resolve: ({ snapshot: { transactionCount } }) =>
        transactionCount > MAX_SHOWN_TRANSACTIONS ? null : transactionCount,
    }),
    native_balance_wei: t.string({
      subGraphs: ['Graph'],
      description: 'Exact balance in units of 10^-18, as a string with a whole number.',
      resolve: ({ snapshot }) => snapshot.balanceWei,
    }),
    native_currency: t.string({
      subGraphs: ['Graph'],
      description: 'Currency of the balance: ETH, BNB or POL.',
      resolve: ({ chain }) => chain.nativeCurrency,
    }),
    tx_count_capped: t.boolean({
      subGraphs: ['Graph'],
      description: `True if tx_count is null because it is above ${MAX_SHOWN_TRANSACTIONS}.`,
      resolve: ({ snapshot }) => snapshot.transactionCount > MAX_SHOWN_TRANSACTIONS,
    }),
    delegated_to: t.string({
      nullable: true,
      subGraphs: ['Graph'],
      description: 'The contract that the account delegates to (EIP-7702). Null without delegation.',
      resolve: ({ snapshot }) => snapshot.delegatedTo,
    }),
    block_number: t.field({
      type: 'BigInt',
      subGraphs: ['Graph'],
      description: 'Number of the block at which the snapshot was read.',
      resolve: ({ snapshot }) => snapshot.blockNumber,
    }),
  }),
})

function nativeBalance(wei: string): number {
  return toJsonNumber(new Decimal(wei).dividedBy(new Decimal(10).pow(NATIVE_DECIMALS)))
}

interface SnapshotMeta {
  readonly version: string
  readonly fetched_at: Date
  readonly source: string
  readonly license: string
  readonly disclaimer: string
  readonly disclaimer_fr: string
  readonly data_quality: 'full' | 'partial'
  readonly fallback_used: boolean
}

/** A snapshot with its metadata. */
interface SnapshotAnswer {
  readonly data: ShownSnapshot
  readonly meta: SnapshotMeta
  readonly _meta: Freshness
}

export function snapshotAnswer(shown: ShownSnapshot, context: RequestContext): SnapshotAnswer {
  const { snapshot, isFallback } = shown
  const { source, fetchedAt, observedAt } = snapshot
  return {
    data: shown,
    meta: {
      version: VERSION,
      fetched_at: fetchedAt,
      source,
      license: licenceOfSnapshot(snapshot, context),
      disclaimer: ONCHAIN_DISCLAIMER,
      disclaimer_fr: ONCHAIN_DISCLAIMER_FR,
      data_quality: isFallback || !isComplete(snapshot) ? 'partial' : 'full',
      fallback_used: isFallback,
    },
    _meta: freshness(context, { source, sources: sourcesOfSnapshot(snapshot), observedAt }, 'onchain'),
  }
}

const SnapshotMetaType = builder.objectRef<SnapshotMeta>('AddressSnapshotMeta').implement({
  description: 'Metadata of a snapshot.',
  fields: (t) =>
    shownFields(t, {
      version: text('Version of the gateway.'),
      fetched_at: instant('When the chain was read.'),
      source: text('Provider of the state: evm (a node of the chain), or seed for synthetic data.'),
      license: text('Terms of use of the data.'),
      disclaimer: text('The disclaimer. This English text is binding.'),
      disclaimer_fr: text('Unofficial French translation of the disclaimer.'),
      data_quality: shownAs(DataQualityType)(
        'full, or partial if an older snapshot is returned or the name of the contract is unknown.',
      ),
      fallback_used: flag(
        'True if the chain was unreachable and the newest stored snapshot is returned instead of one of today.',
      ),
    }),
})

export const AddressSnapshotResponseType = builder
  .objectRef<SnapshotAnswer>('AddressSnapshotResponse')
  .implement({
    description: 'A snapshot of an address.',
    fields: (t) =>
      shownFields(t, {
        data: shownAs(AddressSnapshotType)('The snapshot.'),
        meta: shownAs(SnapshotMetaType)('Metadata of the snapshot.'),
        _meta: shownAs(FreshnessType)('Freshness of the snapshot, counted from the time of its block.'),
      }),
  })
