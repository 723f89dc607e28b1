import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { Refusal } from '../refusal.ts'
import { terminalSecurity } from './content-security.ts'

/** Prefixes that belong to others: nothing below them is ever the console. */
const reserved = /^\/(?:terminal|api|upload|files|events|mqtt|tunnel|device|health|metrics|url\.json)(?:\/|$)/i

/** A page is a hundred of these: what only a document obeys would be a tenth of what is sent. */
const partHeaders = {
  contentSecurityPolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  frameguard: false,
  dnsPrefetchControl: false,
  ieNoOpen: false,
  permittedCrossDomainPolicies: false,
  referrerPolicy: false,
  xssFilter: false,
} as const

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!

/**
 * The built console, packed beforehand. The folder is listed once, and only what was listed is served, so no address and no
 * link can leave it. Files below assets/ carry a hash in their name and never change; every other address that a browser
 * opens is a page of the console.
 */
export async function mountConsole(app: FastifyInstance, folder: string, log: Log): Promise<void> {
  const built = await openBuilt(app, folder)
  if (!built) return log.warn({ folder }, 'the console is not built: only the API is served')
  const { files, send, mountParts } = built
  mountParts('/assets/*', pathOf)
  app.route({
    method,
    url: '/*',
    handler: async (request, reply) => {
      const path = pathOf(request)
      if (files.has(path)) return send(reply, path)
      // The front page is for every client, curl included; a wrong address is an error unless the client accepts a page.
      if (path === '/') return send(reply, '/index.html')
      if (reserved.test(path) || !accepts(request, 'text/html')) throw new Refusal('not_found')
      return send(reply, '/index.html')
    },
  })
}

/**
 * The page by which a browser becomes a device, with what belongs to it, below /terminal. Anybody may open it, and nothing of an
 * account is in it.
 */
export async function mountTerminalPage(app: FastifyInstance, folder: string, config: Config, log: Log): Promise<void> {
  const built = await openBuilt(app, folder)
  if (!built) return log.warn({ folder }, 'the page for browsers is not built: /terminal is not served')
  const { send, mountParts } = built
  const prefix = '/terminal'
  for (const url of [prefix, `${prefix}/`])
    app.route({
      method,
      url,
      helmet: terminalSecurity(config),
      handler: (_request, reply) => send(reply, '/index.html'),
    })
  mountParts(`${prefix}/*`, (request) => pathOf(request).slice(prefix.length))
}

const method = ['GET', 'HEAD']
const registration = { serve: false, preCompressed: true, cacheControl: false, index: false } as const

/** What was built into a folder, and the routes to the parts of its page. Undefined where nothing is built. */
async function openBuilt(app: FastifyInstance, folder: string) {
  const files = await listFiles(folder)
  if (!files.has('/index.html')) return undefined
  if (!app.hasReplyDecorator('sendFile')) await app.register(fastifyStatic, { ...registration, root: folder })
  const send = sender(folder)
  function mountParts(url: string, partOf: (request: FastifyRequest) => string): void {
    app.route({
      method,
      url,
      helmet: partHeaders,
      handler: async (request, reply) => {
        const path = partOf(request)
        if (!files.has(path) || path === '/index.html') throw new Refusal('not_found')
        return send(reply, path)
      },
    })
  }
  return { files, send, mountParts }
}

const sender = (folder: string) => (reply: FastifyReply, path: string) =>
  reply
    .headers({
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    })
    .sendFile(path.slice(1), folder)

const accepts = (request: FastifyRequest, type: string): boolean => String(request.headers.accept ?? '').includes(type)

/** Addresses of the files in the folder: no links, nothing hidden, not the packed form of another. */
async function listFiles(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`)
  const all = new Set(paths)
  return new Set(paths.filter((path) => !/\.(?:br|gz)$/.test(path) || !all.has(path.replace(/\.(?:br|gz)$/, ''))))
}
