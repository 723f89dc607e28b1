/** What the OpenID Connect provider led back with: in the fragment of the address, which no server or log sees. */
export type Returned = {
  /** Signs in once, within a minute. */
  exchange_token: string | null
  error: 'oidc_failed' | 'oidc_no_user' | null
  redirect: string | null
}

export function returnedIn(hash: string): Returned | null {
  const said = new URLSearchParams(hash.replace(/^#/, ''))
  const [exchange_token, error] = [said.get('exchange_token'), said.get('oidc_error')]
  if (!exchange_token && !error) return null
  return {
    exchange_token: error ? null : exchange_token,
    error: error ? (error === 'oidc_no_user' ? error : 'oidc_failed') : null,
    redirect: said.get('redirect'),
  }
}

/** Where the sign-in with the provider begins, and where it ends: the page that was asked for. */
export function providerAddress(url: string, redirect: string | null): string {
  return redirect ? `${url}?${new URLSearchParams({ redirect })}` : url
}
