import { sha256Hex } from '../../core/canonical-json.js'
import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ events: 'monthly' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

interface EventType {
  readonly id: string
  readonly label: string
  readonly description: string
  /** Whether such events usually move the price. */
  readonly affectsPrice: boolean
}

export const EVENT_TYPES = [
  {
    id: 'halving',
    label: 'Halving',
    description: 'The reward of a block is cut in half.',
    affectsPrice: true,
  },
  {
    id: 'hard_fork',
    label: 'Hard fork',
    description: 'New rules that nodes without them reject.',
    affectsPrice: true,
  },
  {
    id: 'soft_fork',
    label: 'Soft fork',
    description: 'New rules that nodes without them accept.',
    affectsPrice: false,
  },
  {
    id: 'network_upgrade',
    label: 'Network upgrade',
    description: 'A planned new version of the software that a network runs.',
    affectsPrice: false,
  },
  {
    id: 'mainnet_launch',
    label: 'Mainnet launch',
    description: 'A network begins to carry value.',
    affectsPrice: true,
  },
  {
    id: 'testnet_launch',
    label: 'Testnet launch',
    description: 'A network begins for tests, without value.',
    affectsPrice: false,
  },
  {
    id: 'exchange_listing',
    label: 'Exchange listing',
    description: 'An exchange begins to trade the asset.',
    affectsPrice: true,
  },
  {
    id: 'exchange_delisting',
    label: 'Exchange delisting',
    description: 'An exchange ends trading of the asset.',
    affectsPrice: true,
  },
  {
    id: 'security_incident',
    label: 'Security incident',
    description: 'An attack, a theft or a fault that put funds at risk.',
    affectsPrice: true,
  },
  {
    id: 'regulatory_event',
    label: 'Regulatory event',
    description: 'A decision of an authority, a court or a legislature.',
    affectsPrice: true,
  },
  {
    id: 'governance_vote',
    label: 'Governance vote',
    description: 'Holders vote on a proposal.',
    affectsPrice: false,
  },
  {
    id: 'github_release',
    label: 'Software release',
    description: 'A version of the software is published.',
    affectsPrice: false,
  },
  {
    id: 'partnership',
    label: 'Partnership',
    description: 'An agreement with another organisation is announced.',
    affectsPrice: false,
  },
  {
    id: 'staking_event',
    label: 'Staking event',
    description: 'A change to staking: its start, its rewards or its terms.',
    affectsPrice: false,
  },
  {
    id: 'token_burn',
    label: 'Token burn',
    description: 'Units are taken out of circulation for good.',
    affectsPrice: true,
  },
  {
    id: 'token_unlock',
    label: 'Token unlock',
    description: 'Units that were locked may be sold.',
    affectsPrice: true,
  },
  {
    id: 'airdrop',
    label: 'Airdrop',
    description: 'Units are given to holders of addresses free of charge.',
    affectsPrice: true,
  },
  {
    id: 'ico_ido',
    label: 'Token sale',
    description: 'Units are sold to the public for the first time (ICO, IDO).',
    affectsPrice: true,
  },
] as const satisfies readonly EventType[]

export type EventTypeId = (typeof EVENT_TYPES)[number]['id']

export const EVENT_TYPE_IDS = EVENT_TYPES.map(({ id }) => id)

/** Events are on or after the day of the first block of Bitcoin. */
export const FIRST_EVENT_DAY = '2009-01-03' as IsoDate

/** Planned events are at most this many days ahead. */
export const MAX_DAYS_AHEAD = 365

export interface EventContent {
  readonly eventType: EventTypeId
  /** UTC day. */
  readonly date: IsoDate
  readonly title: string
  readonly description: string | null
  /** http or https. */
  readonly url: string | null
  /** The reporter of the event. */
  readonly reportedBy: string | null
}

/** An event with its assets, at least one. */
export interface EventRow extends EventContent {
  readonly eventHk: string
  readonly assetIds: readonly number[]
}

/** What tells an event from others: an id of its source, or its type, day and title. */
export type EventIdentity =
  | { readonly eventId: string }
  | { readonly eventId: null; readonly facts: Pick<EventContent, 'eventType' | 'date' | 'title'> }

/** The key of an event. Case and blanks of the title do not matter. */
export function computeEventKey(identity: EventIdentity): string {
  if (identity.eventId !== null) return sha256Hex(JSON.stringify(['id', identity.eventId]))
  const { eventType, date, title } = identity.facts
  const normalized = title.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  return sha256Hex(JSON.stringify(['event', eventType, date, normalized]))
}
