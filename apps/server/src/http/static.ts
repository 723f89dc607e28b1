import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../lib/log.ts'
import { Refusal } from './context.ts'

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff2: 'font/woff2',
}
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const
type Coding = (typeof encodings)[number]['name'] | 'identity'
type Asset = { type: string; is_hashed: boolean; files: Partial<Record<Coding, string>> }
type Loaded = { body: Buffer; etag: string }

/** Prefixes that belong to the API: nothing below them is ever the console. */
const reserved = /^\/(?:api|upload|files|events|mqtt|tunnel|device|health|metrics|url\.json)(?:\/|$)/i

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
 * The built console. The folder is listed once, and only what was listed is served, so no address can leave it. Files
 * below assets/ carry a hash in their name and never change; every other address that a browser opens is a screen.
 */
export async function mountConsole(app: FastifyInstance, folder: string, log: Log): Promise<void> {
  const assets = await listAssets(folder)
  const index = assets.get('/index.html')
  if (!index) {
    log.warn({ folder }, 'the console is not built: only the API is served')
    return
  }
  const loaded = new Map<string, Promise<Loaded>>()
  const load = (path: string): Promise<Loaded> => {
    const found = loaded.get(path) ?? read(path)
    loaded.set(path, found)
    // A file that could not be read now may be readable later.
    found.catch(() => loaded.delete(path))
    return found
  }

  const method = ['GET', 'HEAD']
  app.route({
    method,
    url: '/assets/*',
    helmet: partHeaders,
    handler: async (request, reply) => {
      const asset = assets.get(pathOf(request))
      if (!asset) throw new Refusal('not_found')
      return send(asset, request, reply, load)
    },
  })
  app.route({
    method,
    url: '/*',
    handler: async (request, reply) => {
      const path = pathOf(request)
      const asset = assets.get(path)
      if (asset) return send(asset, request, reply, load)
      if (reserved.test(path) || !accepts(request, 'text/html')) throw new Refusal('not_found')
      return send(index, request, reply, load)
    },
  })
}

async function send(
  asset: Asset,
  request: FastifyRequest,
  reply: FastifyReply,
  load: (path: string) => Promise<Loaded>,
) {
  const coding = codingFor(asset, String(request.headers['accept-encoding'] ?? ''))
  const { body, etag } = await load(asset.files[coding]!)
  reply.headers({
    'cache-control': asset.is_hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-type': asset.type,
    vary: 'accept-encoding',
    etag,
  })
  if (request.headers['if-none-match']?.split(',').some((tag) => tag.trim() === etag)) return reply.code(304).send()
  if (coding !== 'identity') reply.header('content-encoding', coding)
  reply.header('content-length', body.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(body)
}

function codingFor(asset: Asset, accepted: string): Coding {
  const wanted = new Set(
    accepted
      .toLowerCase()
      .split(',')
      .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
      .map((part) => part.split(';', 1)[0]!.trim()),
  )
  return encodings.find(({ name }) => asset.files[name] !== undefined && wanted.has(name))?.name ?? 'identity'
}

const accepts = (request: FastifyRequest, type: string): boolean => String(request.headers.accept ?? '').includes(type)

async function read(path: string): Promise<Loaded> {
  const body = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    // Built anew while this server runs: what it knew of is gone.
    throw error.code === 'ENOENT' ? new Refusal('not_found') : error
  })
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}

async function listAssets(folder: string): Promise<Map<string, Asset>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((e) => e.isFile() && !e.name.startsWith('.')).map((e) => join(e.parentPath, e.name))
  const all = new Set(paths)
  const assets = new Map<string, Asset>()
  for (const path of paths) {
    if (encodings.some(({ ending }) => path.endsWith(ending) && all.has(path.slice(0, -ending.length)))) continue
    const address = `/${relative(folder, path).split(sep).join('/')}`
    const packed = encodings.filter(({ ending }) => all.has(path + ending))
    assets.set(address, {
      type: types[/\.([^.]+)$/.exec(path)?.[1] ?? ''] ?? 'application/octet-stream',
      is_hashed: address.startsWith('/assets/'),
      files: { identity: path, ...Object.fromEntries(packed.map(({ name, ending }) => [name, path + ending])) },
    })
  }
  return assets
}
