import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export type Claims = { email?: string; email_verified?: boolean }
export type TestProvider = Awaited<ReturnType<typeof startProvider>>

/** A real OpenID Connect provider on a free port; `people` maps a subject to what it says of that person. */
export async function startProvider(people: Record<string, Claims>) {
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end()
  let is_down = false
  const server = createServer((request, response) => {
    if (is_down) request.socket.destroy()
    else answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    client: { client_id: 'mdm', client_secret: 'a-secret-of-this-test' },
    /** From here on it knows the client. */
    register(redirect_uri: string): void {
      const provider = new Provider(issuer, {
        clients: [{ ...this.client, redirect_uris: [redirect_uri] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'] },
        ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
        cookies: { keys: ['only for tests'] },
        findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people[sub] }) }),
      })
      const handle = provider.callback()
      answer = (request, response) => void handle(request, response)
    },
    down: (value: boolean) => void (is_down = value),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A browser: cookies per origin, redirects followed one by one. */
export function browser() {
  const jars = new Map<string, Map<string, string>>()
  const visited: string[] = []
  const jarOf = (url: string) => {
    const { origin } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }
  async function open(url: string, form?: Record<string, string>): Promise<Response> {
    visited.push(url)
    const jar = jarOf(url)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '' || /max-age=0(;|$)/i.test(line)) jar.delete(name!)
      else jar.set(name!, value!)
    }
    return response
  }
  /** Goes where it is led until there is something to see, or `until` says that this is far enough. */
  async function follow(url: string, until = (_url: string) => false): Promise<string> {
    for (let at = url; ;) {
      if (until(at)) return at
      const response = await open(at)
      const location = response.headers.get('location')
      if (location === null) return at
      at = new URL(location, at).href
    }
  }
  return {
    visited,
    open,
    follow,
    cookieFor: (url: string): string => [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; '),
    /** Signs in at the provider as `subject`, or refuses to. Answers the address that it led back to, not opened yet. */
    async signInAtProvider(start: string, subject: string | undefined, callback: string): Promise<string> {
      const isBack = (url: string) => url.startsWith(callback)
      let at = await follow(start, isBack)
      if (isBack(at)) return at
      if (subject === undefined) return follow(`${at}/abort`, isBack)
      const submit = async (form: Record<string, string>) => {
        const response = await open(at, form)
        at = await follow(new URL(response.headers.get('location')!, at).href, isBack)
      }
      await submit({ prompt: 'login', login: subject, password: 'any' })
      if (!isBack(at)) await submit({ prompt: 'consent' })
      return at
    },
  }
}
