import { builder } from '../../schema-kit/builder.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../schema-kit/fields.js'
import { shownFields, text } from '../../schema-kit/shown-fields.js'
import { CHAINS, MAX_ADDRESSES, type Missing } from './model.js'
import { parseAddressList, parseSnapshotsQuery, type SnapshotsQuery } from './query.js'
import { type AddressOutcome, getAddressSnapshot, listAddressSnapshots } from './service.js'
import { AddressSnapshotResponseType, snapshotAnswer } from './snapshot-schema.js'

const CHAIN_TEXT = CHAINS.map(({ chainId, name }) => `${chainId} ${name}`).join(', ')

const EXAMPLE_ADDRESS = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

const HOW =
  'The snapshot of today (UTC) is read from the chain once and stored for the day: balance, transaction count and code at ' +
  'one block. The name of a contract is from Sourcify or Etherscan, the label from a curated catalogue. If the chain is ' +
  'unreachable, the newest stored snapshot is returned (meta.fallback_used). Without one the response is a 503, which is ' +
  'charged if a node was requested.'

const chainArgument = (arg: ArgBuilder) =>
  arg.int({
    required: true,
    description: `EIP-155 id of the chain: ${CHAIN_TEXT}.`,
    ...hints({ minimum: 1, example: 1 }),
  })

const dayArgument = (arg: ArgBuilder) =>
  arg({
    type: 'Date',
    description: 'Returns the stored snapshot of this past day. Not in the future.',
    ...hints({ defaultText: 'today (UTC)' }),
  })

queryEndpoint('address_snapshot', {
  isVolatile: true,
  summary: 'An address on a chain',
  keywords: ['wallet', 'balance', 'ethereum address', 'smart contract', 'account on chain'],
  description: `Balance, transaction count and kind of an address on one of ${CHAINS.length} EVM chains. ${HOW}`,
  access: 'onchain:read',
  partScopes: ['screening:read'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/onchain/{chain_id}/{address}', tag: 'on-chain' },
  errors: ['not_found', 'service_unavailable'],
  type: AddressSnapshotResponseType,
  args: (arg) => ({
    chain_id: chainArgument(arg),
    address: arg.string({
      required: true,
      description: 'The address. Letters in both cases are verified as a checksum (EIP-55).',
      ...hints({ example: EXAMPLE_ADDRESS, maxLength: 42 }),
    }),
    snapshot_date: dayArgument(arg),
  }),
  check: ({ chain_id: chainId, address, snapshot_date: snapshotDate }, context) =>
    parseSnapshotsQuery({ chainId, addresses: [{ field: 'address', text: address }], snapshotDate }, context),
  resolve: async (query, context) => snapshotAnswer(await getAddressSnapshot(query, context), context),
})

const MissingSnapshotType = builder.objectRef<Missing>('MissingSnapshot').implement({
  description: 'Why the snapshot of an address is missing.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    error: t.string({
      description:
        'Error code, as address_snapshot returns it: not_found, rate_limit_exceeded or service_unavailable.',
      resolve: ({ error }) => error.code,
    }),
    message: t.string({ description: 'The error in words.', resolve: ({ error }) => error.message }),
    retry_after: t.int({
      nullable: true,
      description: 'Epoch seconds after which a retry may succeed. Null if a retry cannot succeed.',
      resolve: ({ error }) => error.retryAfter,
    }),
  }),
})

const AddressEntryType = builder.objectRef<AddressOutcome>('AddressSnapshotEntry').implement({
  description: 'A requested address with its snapshot, or the reason why it is missing.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      address: text('The address in lower case.'),
      snapshot: t.field({
        type: AddressSnapshotResponseType,
        nullable: true,
        description: 'The snapshot, as address_snapshot returns it. Null if it is missing.',
        resolve: ({ outcome }, _args, context) =>
          'error' in outcome ? null : snapshotAnswer(outcome, context),
      }),
      missing: t.field({
        type: MissingSnapshotType,
        nullable: true,
        description: 'Why the snapshot is missing. Null if it is not.',
        resolve: ({ outcome }) => ('error' in outcome ? outcome : null),
      }),
    }),
})

interface AddressList {
  readonly entries: readonly AddressOutcome[]
}

const AddressListType = builder.objectRef<AddressList>('AddressSnapshotList').implement({
  description: 'Snapshots of several addresses of a chain.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    data: t.field({
      type: [AddressEntryType],
      description: 'One entry per address, in the order of the request, including duplicates.',
      resolve: ({ entries }) => entries,
    }),
    total: t.int({ description: 'Number of requested addresses.', resolve: ({ entries }) => entries.length }),
    missing: t.int({
      description: 'Number of addresses without a snapshot.',
      resolve: ({ entries }) => entries.filter(({ outcome }) => 'error' in outcome).length,
    }),
  }),
})

queryEndpoint('address_snapshots', {
  summary: 'Several addresses on a chain',
  description: `Snapshots of 1 to ${MAX_ADDRESSES} addresses of a chain. New snapshots are all read at one block. ${HOW} The entry of an address without a snapshot has the reason. If every snapshot is missing, the request fails with the error of the first address.`,
  access: 'onchain:read',
  partScopes: ['screening:read'],
  cost: 'metered',
  rest: null,
  errors: ['not_found', 'service_unavailable'],
  type: AddressListType,
  rows: ({ addresses }: SnapshotsQuery) => addresses.length,
  args: (arg) => ({
    chain_id: chainArgument(arg),
    addresses: arg.stringList({
      required: true,
      description: `1 to ${MAX_ADDRESSES} addresses, written as for address_snapshot.`,
      ...hints({ example: [EXAMPLE_ADDRESS] }),
    }),
    snapshot_date: dayArgument(arg),
  }),
  check: ({ chain_id: chainId, addresses, snapshot_date: snapshotDate }, context) =>
    parseSnapshotsQuery({ chainId, addresses: parseAddressList(addresses), snapshotDate }, context),
  resolve: async (query, context) => ({ entries: await listAddressSnapshots(query, context) }),
})
