import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { followQuota, getQuota, type Quota } from './client/quota.js'
import { useSession } from './client/session.js'
import { config, listExplorerPages } from './config.js'
import { parsePageRoute, usePath } from './location.js'
import { PageView } from './page-view.js'
import { formatInstant } from './parts/format.js'
import { describePageAccess } from './parts/page-access.js'
import { useTitle } from './parts/use-title.js'
import { SearchBox } from './search/search-box.js'

function useQuota(): Quota | null {
  const [quota, setQuota] = useState(getQuota)
  useEffect(() => followQuota(() => setQuota(getQuota())), [])
  return quota
}

export function PortalApp(): JSX.Element {
  const path = usePath()
  const title = config.pages.find((page) => page.path === path)?.title ?? null
  useTitle(title)
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Header path={path} />
      <DemoNote />
      <main id="content" tabIndex={-1}>
        <PageView route={parsePageRoute(path)} title={title} />
      </main>
      <Footer />
    </>
  )
}

function Header({ path }: { readonly path: string }): JSX.Element {
  const known = useSession()
  const current = (target: string) => (path === target ? { 'aria-current': 'page' as const } : {})
  return (
    <header class="bar">
      <a class="brand" href="/" {...current('/')}>
        Market Data Gateway
      </a>
      <SearchBox />
      <nav aria-label="Main">
        {listExplorerPages().map((page) => (
          <a key={page.path} href={page.path} {...current(page.path)}>
            {page.title}
          </a>
        ))}
        <a href="/docs">REST</a>
        <a href="/graphql">GraphQL</a>
        <a href="#guides">Guides</a>
        <a href="/account" {...current('/account')}>
          {known === null ? 'Sign in' : 'Account'}
        </a>
      </nav>
    </header>
  )
}

function Footer(): JSX.Element {
  const quota = useQuota()
  return (
    <footer>
      <nav aria-label="Guides" id="guides">
        <h2>Guides</h2>
        <ul>
          {config.guides.map(({ path, title }) => (
            <li key={path}>
              <a href={path}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <p class="quiet">
        Version {config.version}. <a href="/openapi.json">OpenAPI document</a>. Times are UTC.
        {quota !== null && (
          <span aria-live="polite">
            {' '}
            {quota.remaining.toLocaleString('en-GB')} units left until {formatInstant(quota.resetsAt)}.
          </span>
        )}
      </p>
    </footer>
  )
}

/** What the demo key has left. */
function DemoNote(): JSX.Element | null {
  const known = useSession()
  const quota = useQuota()
  const access = describePageAccess(known, quota)
  if (known !== null || !config.isDemoKey || access === null) return null
  return (
    <p class="demo" role="status">
      {access.text} <a href="/account">{access.link}</a>
    </p>
  )
}
