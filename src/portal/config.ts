export interface ChartedPublisher {
  readonly id: string
  readonly name: string
  readonly shortName: string
}

/** An interface that clients of another service use. */
export interface ClientInterface {
  readonly name: string
  readonly title: string
  readonly summary: string
  /** Base path of its addresses. */
  readonly path: string
  /** Whether it answers without a key. */
  readonly isOpen: boolean
  /** A text to copy for each client, with the places `{base}` and `{key}`. */
  readonly uses: readonly { readonly client: string; readonly text: string }[]
}

/** The configuration that the gateway embeds in every page but the guides. */
export interface PortalConfig {
  /** Authenticates requests while nobody is signed in. Null without one. */
  readonly pageKey: string | null
  /** Whether that key is the demo key, which only reads. */
  readonly isDemoKey: boolean
  /** The gateway accepts trusted documents only, so it refuses the portal's own documents. */
  readonly isTrustedOnly: boolean
  /** The pages with a fixed path, the overview first. */
  readonly pages: readonly { readonly path: string; readonly title: string; readonly description: string }[]
  /** Every currency with a reference rate, the euro first. */
  readonly currencies: readonly { readonly code: string; readonly name: string }[]
  /** The publishers of macro series, in the order of the pages. */
  readonly macroPublishers: readonly ChartedPublisher[]
  readonly guides: readonly { readonly path: string; readonly title: string }[]
  readonly interfaces: readonly ClientInterface[]
  /** Every scope that a tier includes. */
  readonly scopes: readonly { readonly name: string; readonly from: string; readonly opens: string }[]
}

export const config: PortalConfig = JSON.parse(document.getElementById('config')?.textContent ?? '')

/** The overview, the account and the status have links of their own. */
const UNLISTED: ReadonlySet<string> = new Set(['/', '/account', '/status'])

/** The pages that run GraphQL documents of the portal; empty if the gateway refuses these. */
export function listExplorerPages(): PortalConfig['pages'] {
  if (config.isTrustedOnly) return []
  return config.pages.filter(({ path }) => !UNLISTED.has(path))
}
