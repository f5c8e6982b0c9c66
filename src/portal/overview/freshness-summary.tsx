import type { JSX } from 'preact'
import { useGet } from '../client/use-request.js'
import { formatInstant, formatQuantity } from '../parts/format.js'
import { isLoading, type LoadedDataset } from '../parts/is-loading.js'
import { Badge, SyntheticNote } from '../parts/panel.js'

interface Dataset extends LoadedDataset {
  readonly freshness_status: string | null
}

/** How fresh everything is, in one line; without a sign-in. */
export function FreshnessSummary(): JSX.Element {
  const { loaded } = useGet<{ readonly data: readonly Dataset[] }>('/v1/datasets', true)
  return (
    <p class="summary" aria-busy={loaded.state === 'loading'}>
      {loaded.state === 'ready' ? <Summary datasets={loaded.answer.data} /> : ' '}
    </p>
  )
}

function Summary({ datasets }: { readonly datasets: readonly Dataset[] }): JSX.Element {
  const filled = datasets.filter(({ last_updated_at }) => last_updated_at !== null)
  const fresh = filled.filter(({ freshness_status }) => freshness_status === 'fresh').length
  const newest = filled.map(({ last_updated_at }) => last_updated_at ?? '').sort()
  const loading = datasets.filter(isLoading).length
  const isFresh = fresh === filled.length
  return (
    <>
      <Badge
        tone={isFresh ? 'good' : 'warn'}
        text={
          isFresh
            ? `all ${formatQuantity(fresh, 'dataset')} fresh`
            : `${fresh} of ${formatQuantity(filled.length, 'dataset')} fresh`
        }
      />{' '}
      <SyntheticNote isSynthetic={filled.some(({ is_dev_dataset }) => is_dev_dataset === true)} />{' '}
      {newest.length > 0 && <>Newest data of {formatInstant(newest.at(-1) ?? null)}. </>}
      <a href="/data">Age and source of each dataset</a>
      {loading > 0 && (
        <>
          {' '}
          <Badge tone="warn" text={`${formatQuantity(loading, 'dataset')} loading`} />{' '}
          <a href="/status#loading">What is loading</a>
        </>
      )}
    </>
  )
}
