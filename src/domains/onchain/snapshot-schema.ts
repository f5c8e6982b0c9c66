import { Decimal, toJsonNumber } from '../../core/decimal.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { VERSION } from '../../platform/version.js'
import { DataQualityType } from '../../schema-kit/api-meta.js'
import { builder } from '../../schema-kit/builder.js'
import { type Freshness, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { addressLabel } from './labels-model.js'
import { isComplete, MAX_SHOWN_TRANSACTIONS, NATIVE_DECIMALS } from './model.js'
import type { ShownSnapshot } from './service.js'
import { licenceOfSnapshot, ONCHAIN_DISCLAIMER, ONCHAIN_DISCLAIMER_FR, sourcesOfSnapshot } from './terms.js'

const AddressSnapshotType = builder.objectRef<ShownSnapshot>('AddressSnapshot').implement({
  description:
    'What a chain said of an address at one block. One is taken per UTC day, when it is asked for.',
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
      description: 'UTC day on which the chain was asked.',
      resolve: ({ snapshot }) => snapshot.snapshotDate,
    }),
    contract_name: t.string({
      nullable: true,
      description:
        'Name under which the source code was verified at Sourcify or Etherscan. Null for accounts, for contracts without verified source code, and where nobody could say (data_quality partial).',
      resolve: ({ snapshot }) => snapshot.contractName?.name ?? null,
    }),
    is_contract: t.boolean({
      description:
        'Whether there is code at the address. False for an account that delegates to a contract (EIP-7702).',
      resolve: ({ snapshot }) => snapshot.isContract,
    }),
    is_dev_dataset: t.boolean({
      description: 'True for synthetic seed data, false for live data.',
      resolve: ({ snapshot }) => snapshot.source === 'seed',
    }),
    label: t.string({
      nullable: true,
      description:
        'What the address is publicly known as, from a curated catalogue. Null where that does not have it.',
      resolve: ({ snapshot }) => addressLabel(snapshot),
    }),
    native_balance: t.float({
      description:
        'Balance in the native currency of the chain: the nearest number to the exact one (GraphQL: native_balance_wei).',
      resolve: ({ snapshot }) => nativeBalance(snapshot.balanceWei),
    }),
    tx_count: t.int({
      nullable: true,
      description: `The nonce: transactions sent by an account, contracts made by a contract. Null above ${MAX_SHOWN_TRANSACTIONS}.`,
      resolve: ({ snapshot: { transactionCount } }) =>
        transactionCount > MAX_SHOWN_TRANSACTIONS ? null : transactionCount,
    }),
    native_balance_wei: t.string({
      subGraphs: ['Graph'],
      description: 'The exact balance in units of 10^-18, a whole number as text.',
      resolve: ({ snapshot }) => snapshot.balanceWei,
    }),
    native_currency: t.string({
      subGraphs: ['Graph'],
      description: 'What the balance is in: ETH, BNB or POL.',
      resolve: ({ chain }) => chain.nativeCurrency,
    }),
    tx_count_capped: t.boolean({
      subGraphs: ['Graph'],
      description: `True where tx_count is null because it is above ${MAX_SHOWN_TRANSACTIONS}.`,
      resolve: ({ snapshot }) => snapshot.transactionCount > MAX_SHOWN_TRANSACTIONS,
    }),
    delegated_to: t.string({
      nullable: true,
      subGraphs: ['Graph'],
      description: 'The contract that the account delegates to (EIP-7702). Null: to none.',
      resolve: ({ snapshot }) => snapshot.delegatedTo,
    }),
    block_number: t.field({
      type: 'BigInt',
      subGraphs: ['Graph'],
      description: 'The block at which all of it was read, a whole number.',
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

/** A snapshot with what is known about it. */
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
  description: 'What is known about a snapshot.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the gateway.' }),
    fetched_at: t.expose('fetched_at', { type: 'DateTime', description: 'When the chain was asked.' }),
    source: t.exposeString('source', {
      description: 'Provider of the state: evm (a node of the chain), or seed for synthetic data.',
    }),
    license: t.exposeString('license', { description: 'On what terms the data may be used.' }),
    disclaimer: t.exposeString('disclaimer', { description: 'What the data are not.' }),
    disclaimer_fr: t.exposeString('disclaimer_fr', {
      description: 'Unofficial French translation of the disclaimer.',
    }),
    data_quality: t.expose('data_quality', {
      type: DataQualityType,
      description:
        'full; partial where an older snapshot is given, or the name of the contract could not be found out.',
    }),
    fallback_used: t.exposeBoolean('fallback_used', {
      description:
        'True where the newest snapshot is given instead of one of today, as the chain could not be asked.',
    }),
  }),
})

export const AddressSnapshotResponseType = builder
  .objectRef<SnapshotAnswer>('AddressSnapshotResponse')
  .implement({
    description: 'A snapshot of an address.',
    fields: (t) => ({
      data: t.expose('data', { type: AddressSnapshotType, description: 'The snapshot.' }),
      meta: t.expose('meta', { type: SnapshotMetaType, description: 'What is known about the snapshot.' }),
      _meta: t.expose('_meta', {
        type: FreshnessType,
        description: 'How old the snapshot is, by the time of its block.',
      }),
    }),
  })
