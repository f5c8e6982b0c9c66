/** What the gateway writes into the page. */
export interface PortalConfig {
  readonly version: string
  /** A key that opens the data at once; null outside development. */
  readonly developmentKey: string | null
  /** Documents of the portal are refused as all others are. */
  readonly isTrustedOnly: boolean
  readonly guides: readonly { readonly path: string; readonly title: string }[]
  /** Every scope that an account may get by its tier. */
  readonly scopes: readonly { readonly name: string; readonly from: string; readonly opens: string }[]
}

export const config: PortalConfig = JSON.parse(document.getElementById('config')?.textContent ?? '')
