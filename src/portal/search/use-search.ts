import { useEffect, useState } from 'preact/hooks'
import { runQuery } from '../client/request.js'
import { credentials, session } from '../client/session.js'
import { config, listExplorerPages } from '../config.js'
import { listMacroSeries, MACRO_CATALOGUE, type MacroCatalogue } from '../macro/catalogue.js'
import { rankMatches } from './rank-matches.js'
import type { Destination } from './recent-searches.js'

/** The search waits this long after the last key before it requests anything. */
const DEBOUNCE_MS = 250
const MIN_LENGTH = 2
const MAX_PER_GROUP = 6

const SEARCH = `query Search($q: String!) {
  asset_search(q: $q, limit: ${MAX_PER_GROUP}) { data { slug ticker name asset_class lei } }
}`

interface Match {
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly asset_class: string
  /** Legal entity identifier of the issuer, or null. */
  readonly lei: string | null
}

interface Matches {
  readonly asset_search: { readonly data: readonly Match[] }
}

/** The form of an LEI (ISO 17442); the page of screening says whether its check digits are right. */
const LEI_FORM = /^[A-Z0-9]{18}[0-9]{2}$/i

export interface ResultGroup {
  readonly name: string
  readonly results: readonly Destination[]
}

export interface SearchState {
  readonly groups: readonly ResultGroup[]
  readonly isLoading: boolean
  /** Why a group is missing; null if none is. */
  readonly note: string | null
}

const EMPTY: SearchState = { groups: [], isLoading: false, note: null }

/** What a text finds: pages, guides and currencies at once, assets and macro series from the gateway. */
export function useSearch(text: string): SearchState {
  const [state, setState] = useState(EMPTY)
  useEffect(() => {
    const q = text.trim()
    if (q.length < MIN_LENGTH) return setState(EMPTY)
    let isCurrent = true
    const local = listLocalGroups(q)
    setState((before) => ({ ...before, isLoading: true }))
    const timer = setTimeout(async () => {
      const loaded = await loadGroups(q)
      if (!isCurrent) return
      const groups = mergeGroups([...loaded.groups, ...local]).filter(({ results }) => results.length > 0)
      setState({ groups, isLoading: false, note: loaded.note })
    }, DEBOUNCE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text])
  return state
}

async function loadGroups(q: string): Promise<Pick<SearchState, 'groups' | 'note'>> {
  if (config.isTrustedOnly) return { groups: [], note: null }
  if (credentials(session()) === null)
    return { groups: [], note: 'Sign in to search assets and macro series too.' }
  const [assets, series] = await Promise.allSettled([searchAssets(q), searchSeries(q)])
  const failed = assets.status === 'rejected' ? assets : series
  const found = assets.status === 'fulfilled' ? assets.value : []
  return {
    groups: [
      { name: 'Assets', results: found.map(toAsset) },
      { name: 'Companies', results: found.flatMap(toCompany) },
      { name: 'Macro series', results: series.status === 'fulfilled' ? series.value : [] },
    ],
    note: failed.status === 'rejected' ? (failed.reason as Error).message : null,
  }
}

async function searchAssets(q: string): Promise<readonly Match[]> {
  const { asset_search } = await runQuery<Matches>(SEARCH, { q: q.slice(0, 200) })
  return asset_search.data
}

function toAsset({ slug, ticker, name, asset_class }: Match): Destination {
  return { path: `/assets/${slug}`, title: name, note: `${asset_class}, ${ticker}` }
}

/** The issuer of an asset, if its LEI is known. */
function toCompany({ name, lei }: Match): readonly Destination[] {
  return lei === null ? [] : [{ path: screeningPath(lei), title: `Screen ${name}`, note: `LEI ${lei}` }]
}

function screeningPath(lei: string): string {
  return `/screening?lei=${lei}`
}

/** Groups of one name become one, with each destination once. */
function mergeGroups(groups: readonly ResultGroup[]): readonly ResultGroup[] {
  const byName = new Map<string, Map<string, Destination>>()
  for (const { name, results } of groups) {
    const known = byName.get(name) ?? new Map<string, Destination>()
    byName.set(name, known)
    for (const one of results) if (!known.has(one.path)) known.set(one.path, one)
  }
  return [...byName].map(([name, results]) => ({ name, results: [...results.values()] }))
}

async function searchSeries(q: string): Promise<readonly Destination[]> {
  loadedSeries ??= loadSeries()
  return pickMatches(q, await loadedSeries)
}

/** The macro series of this page load. The catalogue costs 4 units, so that searches after the first reuse it. */
let loadedSeries: Promise<readonly Destination[]> | null = null

async function loadSeries(): Promise<readonly Destination[]> {
  try {
    const series = listMacroSeries(await runQuery<MacroCatalogue>(MACRO_CATALOGUE, {}))
    return series.map(({ id, name, providerName, seriesKey }) => ({
      path: `/macro?series=${encodeURIComponent(id)}`,
      title: name,
      note: `${providerName}, ${seriesKey}`,
    }))
  } catch (error) {
    loadedSeries = null // another account may have the scope
    throw error
  }
}

function listLocalGroups(q: string): readonly ResultGroup[] {
  const pages = listExplorerPages().map(({ path, title, description }) => ({
    path,
    title,
    note: description,
  }))
  const guides = config.guides.map(({ path, title }) => ({ path, title, note: 'guide' }))
  const found = [{ name: 'Pages and guides', results: pickMatches(q, [...pages, ...guides]) }]
  if (pages.length === 0) return found
  if (LEI_FORM.test(q)) {
    const lei = q.toUpperCase()
    const company = { path: screeningPath(lei), title: `Screen ${lei}`, note: 'legal entity identifier' }
    return [{ name: 'Companies', results: [company] }]
  }
  const currencies = config.currencies.map(({ code, name }) => ({
    path: `/currencies?to=${code}`,
    title: name,
    note: code,
  }))
  return [{ name: 'Currencies', results: pickMatches(q, currencies) }, ...found]
}

/** The destinations that match the text best. */
function pickMatches(q: string, destinations: readonly Destination[]): readonly Destination[] {
  return rankMatches(q, destinations).slice(0, MAX_PER_GROUP)
}
