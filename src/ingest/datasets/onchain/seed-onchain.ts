import { z } from 'zod'
import { sha256Hex } from '../../../core/canonical-json.js'
import { type EvmAddress, evmAddress } from '../../../core/identifiers.js'
import { addDays, DAY_MS, type IsoDate, parseIsoDate, startOfDay, toIsoDate } from '../../../core/time.js'
import { LABELLED_ADDRESSES } from '../../../domains/onchain/labels-model.js'
import { type AddressSnapshot, CHAINS } from '../../../domains/onchain/model.js'
import { BrokenBody, type Feed, jsonOfBody, type ParseContext, type Parsed } from '../../feed.js'
import { toAddressState } from '../../providers/evm/address-state.js'
import { checkedResult } from '../../providers/evm/results.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED, seedProvider } from '../../seed/values/seed-provider.js'

const ADDRESSES_PER_CHAIN = 30

/** Today and the days before. */
const DAYS = 5

/** Labelled addresses that have no code. */
const ACCOUNTS: readonly string[] = ['Zero address', 'Burn address', 'vitalik.eth']

/** Code of a contract; only its existence matters. */
const SOME_CODE = '0x6001600155'

/** The kinds of the synthetic addresses of a chain, in turn. */
const KINDS = ['account', 'contract', 'busy', 'delegated', 'empty'] as const
type Kind = (typeof KINDS)[number]

interface SeedAddress {
  readonly address: EvmAddress
  readonly kind: Kind
  /** Null for labelled addresses, because a synthetic name of a real contract would be false. */
  readonly name: string | null
}

/** The answers of a node about the addresses of a chain on a day, in the form of JSON-RPC. */
const Reading = z.strictObject({
  chainId: z.int(),
  date: z.string(),
  block: z.string(),
  addresses: z.array(z.strictObject({ address: z.string(), name: z.string().nullable() })),
  answers: z.array(z.strictObject({ result: z.string() })),
})

/** The calls per address, in this order. */
const METHODS = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'] as const

/** The first addresses are easy to type: 0x5eed, zeros and a number from 1 on, in the order of the kinds. */
const PLAIN_ADDRESSES = KINDS.length

/** Synthetic answers of nodes, checked and read like real ones. */
export const seedOnchain: Feed<AddressSnapshot> = {
  id: 'seed-onchain',
  ...SEED_FEED,
  dataset: 'onchain',
  description: `Synthetic snapshots of ${ADDRESSES_PER_CHAIN} addresses on each of ${CHAINS.length} chains`,
  parse: (body, context) => parseReadings(body, context),
}

/** The answers of the last days, at the start of each. */
export function seedOnchainBody(now: Date): Uint8Array {
  const today = toIsoDate(now)
  const readings = CHAINS.flatMap(({ chainId }) => {
    const addresses = addressesOf(chainId)
    return Array.from({ length: DAYS }, (_, ago) => readingOf(chainId, addresses, addDays(today, -ago)))
  })
  return new TextEncoder().encode(JSON.stringify(readings))
}

function readingOf(chainId: number, all: readonly SeedAddress[], date: IsoDate): z.infer<typeof Reading> {
  const days = Math.floor(Date.parse(date) / DAY_MS)
  return {
    chainId,
    date,
    block: hex(BigInt(days * 1_000 + chainId)),
    addresses: all.map(({ address, name }) => ({ address, name })),
    answers: all.flatMap((one) => answersOf(`${chainId} ${one.address}`, one.kind, date)),
  }
}

/** Depends only on address and day, so the same day always has the same figures. */
function answersOf(key: string, kind: Kind, date: IsoDate): readonly { readonly result: string }[] {
  if (kind === 'empty') return [{ result: '0x0' }, { result: '0x0' }, { result: '0x' }]
  const level = noise(`${key} level`) ** 3 * 1e12
  const wei = BigInt(Math.floor(level * (1 + 0.1 * noise(`${key} ${date}`)))) * 10n ** 9n
  const digits = BigInt(Math.floor(noise(`${key} ${date} digits`) * 1e9))
  const most = kind === 'busy' ? 400_000 : 900
  const count = (kind === 'busy' ? 10_001 : 1) + Math.floor(noise(`${key} count`) * most)
  return [{ result: hex(wei + digits) }, { result: hex(BigInt(count)) }, { result: codeOf(key, kind) }]
}

function codeOf(key: string, kind: Kind): string {
  if (kind === 'delegated') return `0xef0100${madeUpAddress(`${key} delegate`).slice(2)}`
  return kind === 'contract' ? SOME_CODE : '0x'
}

/** The labelled addresses of the chain, then synthetic ones. */
function addressesOf(chainId: number): readonly SeedAddress[] {
  const labelled = LABELLED_ADDRESSES.filter((one) => one.chainId === chainId).map(
    ({ address, label }): SeedAddress => ({
      address,
      kind: ACCOUNTS.includes(label) ? 'account' : 'contract',
      name: null,
    }),
  )
  const madeUp = Array.from({ length: ADDRESSES_PER_CHAIN - labelled.length }, (_, at): SeedAddress => {
    const kind = KINDS[at % KINDS.length] ?? 'account'
    const name = kind === 'contract' ? `SyntheticContract${at}` : null
    const address = at < PLAIN_ADDRESSES ? plainAddress(at + 1) : madeUpAddress(`${chainId} ${at}`)
    return { address, kind, name }
  })
  return [...labelled, ...madeUp]
}

function plainAddress(number: number): EvmAddress {
  return evmAddress(`0x5eed${String(number).padStart(36, '0')}`)
}

function madeUpAddress(key: string): EvmAddress {
  return evmAddress(`0x${sha256Hex(`seed address ${key}`).slice(0, 40)}`)
}

function* parseReadings(body: Uint8Array, context: ParseContext): Generator<Parsed<AddressSnapshot>> {
  const readings = z.array(Reading).safeParse(jsonOfBody(body, 200))
  if (!readings.success) throw new BrokenBody('the body is not a list of readings')
  for (const { chainId, date, block, addresses, answers } of readings.data) {
    const snapshotDate = parseIsoDate(date)
    if (snapshotDate === null) throw new BrokenBody(`${date} is not a day`)
    const time = startOfDay(new Date(date))
    const head = { block: BigInt(block), time }
    const states = addresses.map(({ address }, at) => {
      const said = METHODS.map((method, place) =>
        String(checkedResult(method, answers[at * METHODS.length + place])),
      )
      const [balance = '0x0', nonce = '0x0', code = '0x'] = said
      const stated = { balance: BigInt(balance), nonce: Number(nonce), code }
      return toAddressState(stated, { chainId, address: evmAddress(address) }, head)
    })
    for (const [at, state] of states.entries()) {
      const name = addresses[at]?.name ?? null
      const contractName = state.isContract ? { name, source: seedProvider.id } : null
      const facts = { snapshotDate, fetchedAt: time, source: seedProvider.id }
      yield { kind: 'row', row: { ...state, contractName, ...facts } }
    }
  }
  context.onRead(1)
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
