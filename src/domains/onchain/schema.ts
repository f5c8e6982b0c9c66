import { builder } from '../../schema-kit/builder.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../schema-kit/fields.js'
import { CHAINS, MAX_ADDRESSES, type Missing } from './model.js'
import { parseAddressList, parseSnapshotsQuery, type SnapshotsQuery } from './query.js'
import { type AddressOutcome, getAddressSnapshot, listAddressSnapshots } from './service.js'
import { AddressSnapshotResponseType, snapshotAnswer } from './snapshot-schema.js'

const CHAIN_TEXT = CHAINS.map(({ chainId, name }) => `${chainId} ${name}`).join(', ')

const EXAMPLE_ADDRESS = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

const HOW =
  'A snapshot of today (UTC) is read from the chain once and kept for the day: balance, transaction count and code at ' +
  'one block, the name of a contract from Sourcify or Etherscan, the label from a curated catalogue. Where the chain ' +
  'cannot be asked, the newest snapshot is given instead (meta.fallback_used); without one the answer is 503, charged once a node was asked.'

const chainArgument = (arg: ArgBuilder) =>
  arg.int({
    required: true,
    description: `EIP-155 id of the chain: ${CHAIN_TEXT}.`,
    ...hints({ minimum: 1, example: 1 }),
  })

const dayArgument = (arg: ArgBuilder) =>
  arg({
    type: 'Date',
    description: 'A day of the past: what was kept of it. Not in the future.',
    ...hints({ defaultText: 'today (UTC)' }),
  })

queryEndpoint('address_snapshot', {
  isUnsteady: true,
  summary: 'An address on a chain',
  description: `Balance, transaction count and kind of an address on one of ${CHAINS.length} EVM chains. ${HOW}`,
  access: 'onchain:read',
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
  description: 'Why there is no snapshot of an address.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    error: t.string({
      description:
        'As the error of the address alone: not_found, rate_limit_exceeded or service_unavailable.',
      resolve: ({ error }) => error.code,
    }),
    message: t.string({ description: 'In words.', resolve: ({ error }) => error.message }),
    retry_after: t.int({
      nullable: true,
      description: 'Epoch seconds after which another try may succeed. Null where none will.',
      resolve: ({ error }) => error.retryAfter,
    }),
  }),
})

const AddressEntryType = builder.objectRef<AddressOutcome>('AddressSnapshotEntry').implement({
  description: 'An address that was asked for, with its snapshot or why there is none.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    address: t.exposeString('address', { description: 'The address, lower case.' }),
    snapshot: t.field({
      type: AddressSnapshotResponseType,
      nullable: true,
      description: 'As address_snapshot gives it. Null where there is none.',
      resolve: ({ outcome }, _args, context) =>
        'error' in outcome ? null : snapshotAnswer(outcome, context),
    }),
    missing: t.field({
      type: MissingSnapshotType,
      nullable: true,
      description: 'Why there is no snapshot. Null where there is one.',
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
      description: 'One entry per address, in the order asked for, doubles kept.',
      resolve: ({ entries }) => entries,
    }),
    total: t.int({ description: 'Addresses that were asked for.', resolve: ({ entries }) => entries.length }),
    missing: t.int({
      description: 'Of them, those without a snapshot.',
      resolve: ({ entries }) => entries.filter(({ outcome }) => 'error' in outcome).length,
    }),
  }),
})

queryEndpoint('address_snapshots', {
  summary: 'Several addresses on a chain',
  description: `Snapshots of 1 to ${MAX_ADDRESSES} addresses of a chain, new ones read at one block. ${HOW} An address without a snapshot is an entry that says why; where there is none at all the request fails with the error of the first.`,
  access: 'onchain:read',
  cost: 'metered',
  rest: null,
  errors: ['not_found', 'service_unavailable'],
  type: AddressListType,
  rows: ({ addresses }: SnapshotsQuery) => addresses.length,
  args: (arg) => ({
    chain_id: chainArgument(arg),
    addresses: arg.stringList({
      required: true,
      description: `1 to ${MAX_ADDRESSES} addresses, as address_snapshot takes them.`,
      ...hints({ example: [EXAMPLE_ADDRESS] }),
    }),
    snapshot_date: dayArgument(arg),
  }),
  check: ({ chain_id: chainId, addresses, snapshot_date: snapshotDate }, context) =>
    parseSnapshotsQuery({ chainId, addresses: parseAddressList(addresses), snapshotDate }, context),
  resolve: async (query, context) => ({ entries: await listAddressSnapshots(query, context) }),
})
