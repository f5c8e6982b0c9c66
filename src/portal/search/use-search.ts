import { useEffect, useState } from 'preact/hooks'
import { runQuery, sendRequest } from '../client/request.js'
import { credentials, session } from '../client/session.js'
import { config, listExplorerPages } from '../config.js'
import { CONVERSION, type ConversionAnswer } from '../currencies/conversion.js'
import {
  type CatalogueSeries,
  listMacroSeries,
  MACRO_CATALOGUE,
  type MacroCatalogue,
} from '../macro/catalogue.js'
import { formatDay, formatFigure } from '../parts/format.js'
import {
  type Candidate,
  type CandidateGroup,
  type FoundAsset,
  type FoundGroups,
  findDestinations,
  keywordsOfGuide,
  keywordsOfPage,
  keywordsOfSeries,
  orderOfCountry,
  parseHolderSearch,
  type SeriesCandidate,
  toAssetCandidate,
  toSeriesGroup,
} from './find-destinations.js'
import { parseConversion, type WantedConversion } from './parse-conversion.js'
import { Rank } from './rank-of.js'

/** The search waits this long after the last key before it requests anything. */
const DEBOUNCE_MS = 250
const MIN_LENGTH = 2
const MAX_ASSETS = 6

const SEARCH = `query Search($q: String!) {
  asset_search(q: $q, limit: ${MAX_ASSETS}) { data { slug ticker name asset_class lei } }
}`

interface Match extends FoundAsset {
  /** Legal entity identifier of the issuer, or null. */
  readonly lei: string | null
}

interface Matches {
  readonly asset_search: { readonly data: readonly Match[] }
}

/** The form of an LEI (ISO 17442); the page of screening says whether its check digits are right. */
const LEI_FORM = /^[A-Z0-9]{18}[0-9]{2}$/i

export interface SearchState extends FoundGroups {
  readonly isLoading: boolean
  /** Why a group is missing; null if none is. */
  readonly note: string | null
}

const EMPTY: SearchState = { groups: [], isNearest: false, isLoading: false, note: null }

/** What a text finds: conversions, pages, guides, operations, currencies, assets and macro series. */
export function useSearch(text: string): SearchState {
  const [state, setState] = useState(EMPTY)
  useEffect(() => {
    const q = text.trim()
    if (q.length < MIN_LENGTH) return setState(EMPTY)
    let isCurrent = true
    setState((before) => ({ ...before, isLoading: true }))
    const timer = setTimeout(async () => {
      const found = await search(q)
      if (isCurrent) setState({ ...found, isLoading: false })
    }, DEBOUNCE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text])
  return state
}

/** Searches everything that the visitor may see. */
export async function search(q: string): Promise<Omit<SearchState, 'isLoading'>> {
  const operations = await loadOperations().catch(() => [])
  const { groups, note } = await loadGroups(q, operations)
  const pages = listExplorerPages().map(({ path, title, description }) => ({
    path,
    title,
    note: description,
    keywords: keywordsOfPage(path),
  }))
  const account = config.pages
    .filter(({ path }) => path === '/account' || path === '/status')
    .map(({ path, title, description }) => ({
      path,
      title,
      note: description,
      keywords: keywordsOfPage(path),
    }))
  const guides = config.guides.map(({ path, title }) => ({
    path,
    title,
    note: 'guide',
    keywords: keywordsOfGuide(path),
  }))
  const found = findDestinations(
    q,
    [
      ...groups,
      { name: 'Currencies', candidates: pages.length === 0 ? [] : listCurrencies() },
      { name: 'Pages and guides', candidates: [...account, ...pages, ...guides] },
      { name: 'Operations of the API', candidates: operations },
    ],
    { name: 'What there is', candidates: [toGuideSearch(q), ...pages, ...account] },
  )
  return { ...found, note }
}

/** The page that finds the words in the text of the guides. */
function toGuideSearch(q: string): Candidate {
  return {
    path: `/docs/guides?${new URLSearchParams({ q })}`,
    title: `“${q}” in the guides`,
    note: 'full text',
  }
}

function listCurrencies(): readonly Candidate[] {
  return config.currencies.map(({ code, name }) => ({
    path: `/currencies?to=${code}`,
    title: name,
    note: code,
  }))
}

async function loadGroups(
  q: string,
  operations: readonly Candidate[],
): Promise<{ readonly groups: readonly CandidateGroup[]; readonly note: string | null }> {
  if (config.isTrustedOnly) return { groups: [], note: null }
  const companies = LEI_FORM.test(q) ? [toCompany(q.toUpperCase(), q.toUpperCase(), Rank.exact)] : []
  const wanted = parseConversion(q, CURRENCY_CODES)
  if (credentials(session()) === null) {
    return {
      groups: [
        { name: 'Conversion', candidates: wanted === null ? [] : [toConversion(wanted)] },
        { name: 'Companies', candidates: companies },
      ],
      note: 'Sign in to search assets and macro series too.',
    }
  }
  const held = parseHolderSearch(q)
  const [conversion, assets, series] = await Promise.allSettled([
    wanted === null ? [] : convert(wanted),
    wanted === null ? searchAssets(held ?? q) : [],
    loadSeries(),
  ])
  const failed = [assets, series].find(({ status }) => status === 'rejected')
  const found = assets.status === 'fulfilled' ? assets.value : []
  return {
    groups: [
      { name: 'Conversion', candidates: conversion.status === 'fulfilled' ? conversion.value : [] },
      {
        name: 'Companies',
        candidates: [
          ...found.flatMap(({ lei, name }) =>
            lei === null ? [] : [toCompany(lei, name, lei === q.toUpperCase() ? Rank.exact : Rank.contained)],
          ),
          ...companies,
        ],
      },
      { name: 'Held by', candidates: held === null ? [] : found.flatMap(toHolders) },
      { name: 'Assets', candidates: found.map((asset) => toAssetCandidate(held ?? q, asset, operations)) },
      toSeriesGroup(q, series.status === 'fulfilled' ? series.value : []),
    ],
    note: failed?.status === 'rejected' ? (failed.reason as Error).message : null,
  }
}

const CURRENCY_CODES: ReadonlySet<string> = new Set(config.currencies.map(({ code }) => code))

async function searchAssets(q: string): Promise<readonly Match[]> {
  const { asset_search } = await runQuery<Matches>(SEARCH, { q: q.slice(0, 200) })
  return asset_search.data
}

/** The section of a stock that lists the ETFs. */
function toHolders({ slug, name, ticker, asset_class }: FoundAsset): readonly Candidate[] {
  if (asset_class !== 'stock') return []
  return [
    {
      path: `/assets/${slug}?section=holders`,
      title: `ETFs that hold ${name}`,
      note: ticker,
      rank: Rank.exact,
    },
  ]
}

function toCompany(lei: string, name: string, rank: number): Candidate {
  return { path: `/screening?lei=${lei}`, title: `Screen ${name}`, note: `LEI ${lei}`, rank }
}

/** The page that converts an amount. */
function toConversion({ amount, from, to }: WantedConversion): Candidate {
  const search = new URLSearchParams({ from, to, amount })
  return {
    path: `/currencies?${search}`,
    title: `${amount} ${from} in ${to}`,
    note: 'convert',
    rank: Rank.exact,
  }
}

/** The page that converts an amount, with the result. */
async function convert(wanted: WantedConversion): Promise<readonly Candidate[]> {
  const { amount, from, to } = wanted
  const page = toConversion(wanted)
  try {
    const { forex_convert } = await runQuery<ConversionAnswer>(CONVERSION, { amount, from, to: [to] })
    return forex_convert.data.conversions.map((one) => ({
      ...page,
      title: `${amount} ${from} = ${formatFigure(one.amount)} ${one.currency}`,
      note: `rate of ${formatDay(one.date)}`,
    }))
  } catch {
    return [page] // the page says why there is no result
  }
}

/** Results of this page load, which later searches reuse: the catalogue of macro series costs 4 units. */
const loaded = new Map<string, Promise<readonly Candidate[]>>()

function loadOnce<Found extends Candidate>(
  name: string,
  load: () => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const known = (loaded.get(name) as Promise<readonly Found[]> | undefined) ?? load() // a name has one type
  loaded.set(name, known)
  known.catch(() => loaded.delete(name)) // another account may have the scope
  return known
}

function loadSeries(): Promise<readonly SeriesCandidate[]> {
  return loadOnce('series', async () =>
    sortByCountry(
      listMacroSeries(await runQuery<MacroCatalogue>(MACRO_CATALOGUE.document, MACRO_CATALOGUE.variables)),
    ).map(({ id, name, titleAtPublisher, datasetName, providerName, key, country }) => ({
      path: `/macro?series=${encodeURIComponent(id)}`,
      title: name,
      note: `${providerName}, ${key}`,
      keywords: keywordsOfSeries(name, country),
      country,
      titles: [titleAtPublisher ?? '', datasetName ?? ''],
    })),
  )
}

/** The countries that people mean most come first, and of a country the series with the shorter periods. */
function sortByCountry(series: readonly CatalogueSeries[]): readonly CatalogueSeries[] {
  const positions = new Map(series.map(({ country }) => [country, orderOfCountry(country)]))
  const positionOf = ({ country }: CatalogueSeries) => positions.get(country) ?? Infinity
  return [...series].sort(
    (a, b) =>
      Math.sign(positionOf(a) - positionOf(b) || 0) ||
      Number(a.frequency === 'annual') - Number(b.frequency === 'annual'),
  )
}

interface ListedOperation {
  readonly operation: string
  readonly summary: string
  readonly keywords: readonly string[]
}

/** The published operations with the keywords by which GraphiQL finds them too. */
function loadOperations(): Promise<readonly Candidate[]> {
  return loadOnce('operations', async () => {
    const { data } = await sendRequest<{ readonly data: readonly ListedOperation[] }>('GET', '/v1/operations')
    return data.map(({ operation, summary, keywords }) => ({
      path: `/graphql?operation=${operation}`,
      title: summary,
      note: operation,
      keywords: [operation.replaceAll('_', ' '), ...keywords],
    }))
  })
}
