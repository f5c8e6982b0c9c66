/** The configuration that the gateway embeds in the page. */
export interface PortalConfig {
  readonly version: string
  /** Authenticates requests without signing in; null outside development. */
  readonly developmentKey: string | null
  /** The gateway accepts trusted documents only, so it refuses the portal's own documents. */
  readonly isTrustedOnly: boolean
  readonly guides: readonly { readonly path: string; readonly title: string }[]
  /** Every scope that a tier includes. */
  readonly scopes: readonly { readonly name: string; readonly from: string; readonly opens: string }[]
}

export const config: PortalConfig = JSON.parse(document.getElementById('config')?.textContent ?? '')
