import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { followQuota, getQuota, type Quota } from './client/quota.js'
import { useSession } from './client/session.js'
import { config } from './config.js'
import { parsePageRoute, usePath } from './location.js'
import { PageView } from './page-view.js'
import { describePageAccess } from './parts/page-access.js'
import { useTitle } from './parts/use-title.js'

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
      <DemoNote />
      <main id="content" tabIndex={-1}>
        <PageView route={parsePageRoute(path)} title={title} />
      </main>
    </>
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
