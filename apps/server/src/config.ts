import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { GatewayKind } from '@mdm/contract'
import * as z from 'zod'
import { contradictionsOfNodes, contradictionsOfS3, localHosts, nearest } from './config-contradictions.ts'
import { acmeOf, contradictionsOfPorts, portsOf } from './config-ports.ts'
import type { AcmeSettings } from './config-ports.ts'
import type { S3Settings } from './files/s3-objects.ts'

export { localHosts }

const port = z.coerce.number<string | number>().int().min(0).max(65535)
const flag = z.enum(['true', 'false', '1', '0']).transform((v) => v === 'true' || v === '1')
const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

/** Of this server when it is only a path. */
const tiles = z
  .string()
  .regex(
    /^(?:none|(?=.*\{z\})(?=.*\{x\})(?=.*\{y\})(?:https?:\/\/[^\s/{}"';,]+)?\/[^\s"';,]*)$/,
    'an address with {z}, {x} and {y}, or none',
  )

/** Every setting, with its default and what it is for; docs/settings.md is printed from this table. */
export const settings = z.object({
  MDM_HTTP_PORT: port
    .default(8081)
    .describe('HTTP: console, API, uploads, downloads, live events, MQTT over WebSocket'),
  MDM_HTTP_HOST: z.string().min(1).default('0.0.0.0').describe('address the HTTP port listens on'),
  MDM_MQTT_PORT: port.default(1883).describe('MQTT for devices (embedded broker)'),
  MDM_MQTT_HOST: z.string().min(1).default('0.0.0.0').describe('address the MQTT port listens on'),
  MDM_TLS_CERT: z
    .string()
    .min(1)
    .optional()
    .describe('certificate of the HTTPS and MQTT over TLS ports: a PEM file, read again when it changes'),
  MDM_TLS_KEY: z.string().min(1).optional().describe('key of the certificate: a PEM file'),
  MDM_HTTPS_PORT: port.optional().describe('HTTPS, beside the HTTP port; none when absent'),
  MDM_MQTTS_PORT: port.optional().describe('MQTT over TLS for devices (embedded broker); none when absent'),
  MDM_REDIRECT_PORT: port
    .optional()
    .describe('leads browsers to HTTPS, and answers the authority of MDM_ACME_DIRECTORY: 80; none when absent'),
  MDM_ACME_DIRECTORY: z
    .url({ protocol: /^https$/ })
    .optional()
    .describe(
      'address of an authority that issues certificates by ACME, whose terms whoever sets it agrees to; none when absent',
    ),
  MDM_ACME_EMAIL: z.email().optional().describe('where that authority reaches somebody'),
  MDM_ACME_CA: z
    .string()
    .min(1)
    .optional()
    .describe('certificate that the authority’s own address is checked by, where it is a private one: a PEM file'),
  MDM_METRICS_PORT: port
    .optional()
    .describe('/health and /metrics on a port of their own, beside the HTTP port; none when absent'),
  MDM_DATA: z
    .string()
    .min(1)
    .default('./data')
    .transform((p) => resolve(p))
    .describe('folder of the embedded database, files and logs'),
  MDM_DATA_SHARED: flag
    .default(false)
    .describe(
      'MDM_DATA is one folder of a shared file system, which all servers of DATABASE_URL have; needless with S3',
    ),
  MDM_DRAIN_SECONDS: z.coerce
    .number<string | number>()
    .int()
    .min(0)
    .max(300)
    .default(0)
    .describe('for how long a server that is told to end goes on while /health/ready already says no; then it closes'),
  MDM_DATABASE_POOL: z.coerce
    .number<string | number>()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe('connections of this server to PostgreSQL at most, beside five of its own (docs/operate/nodes.md)'),
  MDM_BROKER_SECRET: z
    .string()
    .min(16)
    .optional()
    .describe(
      'secret by which a broker asks this server whom it may let in and what that one may say; nobody may ask when absent',
    ),
  MDM_PUBLIC_URL: httpUrl
    .optional()
    .describe('address under which browsers and devices reach this server; http://localhost:PORT when absent'),
  MDM_PUBLIC_MQTT_URL: z
    .url({ protocol: /^mqtts?$/ })
    .optional()
    .describe(
      'address devices are told to connect to first; when absent derived from MDM_PUBLIC_URL: with https wss alone',
    ),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL 15 or newer instead of the embedded database'),
  DATABASE_REPLICA_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe(
      'copy of DATABASE_URL that PostgreSQL streams to: lists and exports read from it (docs/operate/nodes.md); none when absent',
    ),
  MQTT_URL: z
    .url({ protocol: /^mqtts?$/ })
    .optional()
    .describe('MQTT broker or cluster instead of the embedded broker'),
  MDM_MQTT_CONNECTIONS: z.coerce
    .number<string | number>()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('connections of this server to the broker at MQTT_URL (docs/external-broker.md)'),
  MDM_CONSOLE_ORIGINS: z
    .string()
    .regex(
      /^https?:\/\/[^\s,/]+(\s*,\s*https?:\/\/[^\s,/]+)*$/,
      'origins, comma-separated, such as https://console.example.com',
    )
    .optional()
    .describe(
      'origins, comma-separated, that serve a console for this server from elsewhere (url.json); none when absent',
    ),
  MDM_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('least severe log line that is written'),
  MDM_TRUST_PROXY: z
    .string()
    .optional()
    .describe('addresses or networks, comma-separated, whose X-Forwarded-For is believed; nobody when absent'),
  MDM_DEFAULT_LANGUAGE: z
    .enum(['en', 'vi', 'zh-cn'])
    .default('en')
    .describe('language when neither the person nor the browser names one'),
  MDM_UPLOAD_MAX_BYTES: z.coerce
    .number<string | number>()
    .int()
    .min(1)
    .default(4 * 1024 ** 3)
    .describe('largest file that can be uploaded'),
  MDM_METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token that /metrics asks from other hosts; only this host may read it when absent'),
  MDM_WEBHOOK_ALLOW: z
    .string()
    .regex(/^[^,\s]+(\s*,\s*[^,\s]+)*$/, 'hosts or networks, comma-separated')
    .optional()
    .describe(
      'hosts or networks, comma-separated, that webhooks may call and OS packages be fetched from though they are not public; none when absent',
    ),
  MDM_SECRET_KEY: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, '64 hexadecimal characters are needed')
    .optional()
    .describe('key that seals secrets in the database, 64 hexadecimal characters; secret.key in MDM_DATA when absent'),
  MDM_OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OpenID Connect provider that people may sign in with: its issuer address; none when absent'),
  MDM_OIDC_CLIENT_ID: z.string().min(1).optional().describe('what the provider calls this server'),
  MDM_OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe('secret that the provider gave; a public client has none'),
  MDM_OIDC_NAME: z
    .string()
    .trim()
    .min(1)
    .max(40)
    .default('Single sign-on')
    .describe('name of the provider, as the button to sign in shows it'),
  MDM_OSM_TILES: tiles
    .default('https://tile.openstreetmap.org/{z}/{x}/{y}.png')
    .describe('map pictures of OpenStreetMap: an address with {z}, {x} and {y}, or none'),
  MDM_BAIDU_TILES: tiles
    .default('https://maponline0.bdimg.com/tile/?qt=vtile&x={x}&y={y}&z={z}&styles=pl&scaler=1')
    .describe('map pictures of Baidu, in its own grid: an address with {z}, {x} and {y}, or none'),
  MDM_SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^\s]+$/, 'smtp://user:password@host:port, or smtps://')
    .optional()
    .describe(
      'mail server for alerts, reports, invitations and forgotten passwords: smtp://user:password@host:port, or smtps://; no e-mail when absent',
    ),
  MDM_SMTP_FROM: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[^\r\n]+@[^\r\n]+$/, 'an e-mail address')
    .optional()
    .describe('sender of e-mails, such as MDM <mdm@example.com>; needed with MDM_SMTP_URL'),
  MDM_GEOCODER_URL: z
    .string()
    .regex(/^https?:\/\/[^\s"'{}/?#]+[/?][^\s"']*\{q\}[^\s"']*$/, 'an address with {q} behind its host')
    .optional()
    .describe(
      'place search of the map editors: an address with {q} and, if wanted, {language}, that answers as Nominatim does, e.g. https://nominatim.openstreetmap.org/search?format=jsonv2&limit=8&accept-language={language}&q={q}; none when absent',
    ),
  MDM_S3_URL: httpUrl
    .optional()
    .describe('bucket that speaks S3 for files instead of MDM_DATA, in path style: https://host/bucket'),
  MDM_S3_REGION: z.string().min(1).default('us-east-1').describe('region of the bucket'),
  MDM_S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('access key of the bucket'),
  MDM_S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('secret of the access key'),
  MDM_ENVIRONMENT: z
    .enum(['development', 'test', 'beta', 'prod-global', 'production', 'privatization'])
    .default('production')
    .describe(
      'what the server is for; privatization is a server at a customer: it needs an activation, and its ports are 10101 to 10105 unless others are set',
    ),
  MDM_ACTIVATION: z
    .string()
    .min(1)
    .optional()
    .describe('file with the activation code of a server that needs one; it is read again when it changes'),
  MDM_ACTIVATION_KEY: z
    .string()
    .regex(/^[\w-]{43}$/, 'the key that the provider shows on its list of activations, 43 characters')
    .optional()
    .describe('public key of the provider that activates this server, as its list of activations shows it'),
  MDM_ACTIVATION_REPORT: httpUrl
    .optional()
    .describe('address of the provider’s server that is told of the activation; nothing is sent when absent'),
  MDM_REMOTE_NEEDS_POLICY: flag
    .optional()
    .describe('only devices with an active policy can be opened remotely; any device when absent'),
  MDM_REMOTE_HISTORY_DAYS: z.coerce
    .number<string | number>()
    .int()
    .min(1)
    .max(36_500)
    .default(365)
    .describe('days for which an ended remote session stays on its list; one with a recording as long as that'),
  MDM_NODE_URL: httpUrl
    .optional()
    .describe(
      'address under which the other servers of this database reach this one; http://, its first address and its HTTP port when absent',
    ),
  MDM_GATEWAY_MDMESH: flag
    .default(true)
    .describe('Android devices with the open MDMesh agent may join; false turns it off'),
  MDM_GATEWAY_HEADWIND: flag
    .default(false)
    .describe('Android devices with the open Headwind MDM agent may join; off unless turned on'),
  MDM_GATEWAY_HAWKBIT: flag
    .default(false)
    .describe(
      'devices with SWUpdate or rauc-hawkbit-updater may join, as they would a hawkBit server; true turns it on',
    ),
  MDM_HAWKBIT_POLL_SECONDS: z.coerce
    .number<string | number>()
    .int()
    .min(5)
    .max(86_399)
    .default(300)
    .describe('after how many seconds devices of the hawkBit gateway ask again whether there is something for them'),
  MDM_GATEWAY_MENDER: flag
    .default(false)
    .describe('Linux devices with the Mender client may join; off unless turned on'),
  MDM_DEVICE_CA: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM file of the authority that gives devices their certificates: only who shows one gets in, and by MDM_MQTTS_PORT alone',
    ),
  MDM_BROWSER_TERMINAL: flag
    .default(true)
    .describe('a browser may join as a device by the page /terminal; false turns it off, as does MQTT_URL'),
  MDM_ALLOW_PLAIN_DATABASE: flag.optional().describe('accept a DATABASE_URL without TLS to another host'),
  MDM_ALLOW_OPEN_BROKER: flag
    .optional()
    .describe('accept a broker at MQTT_URL where strangers may read what devices say, or speak as a device'),
})
export type Settings = z.output<typeof settings>

export type Config = {
  http: { port: number; host: string }
  /** Paths of the certificate and its key. */
  tls: { cert: string; key: string } | undefined
  /** Who issues the certificate instead, and for which names. */
  acme: AcmeSettings | undefined
  /** Undefined where nothing listens. */
  https_port: number | undefined
  redirect_port: number | undefined
  metrics_port: number | undefined
  mqtt: {
    port: number
    /** Over TLS; undefined where nothing listens. */
    tls_port: number | undefined
    /** Path of the authority whose certificate a device has to show. */
    device_ca: string | undefined
    host: string
    url: string | undefined
    /** To the external broker. */
    connections: number
    /** The external broker may let in strangers. */
    may_be_open: boolean
    public_url: string | undefined
  }
  data: string
  /** Other servers of the same database have the same folder. */
  data_is_shared: boolean
  drain_ms: number
  /** Connections to PostgreSQL at most. */
  database_pool: number
  /** What a broker that asks who may connect knows. */
  broker_secret: string | undefined
  public_url: string | undefined
  /** Of consoles that are served from elsewhere. */
  console_origins: string[]
  database_url: string | undefined
  /** A streaming copy of it, for lists and exports. */
  database_replica_url: string | undefined
  log_level: Settings['MDM_LOG_LEVEL']
  trust_proxy: string[]
  default_language: Settings['MDM_DEFAULT_LANGUAGE']
  upload_max_bytes: number
  metrics_token: string | undefined
  /** 64 hexadecimal characters. */
  secret_key: string | undefined
  oidc: { issuer: string; client_id: string; client_secret: string | undefined; name: string } | undefined
  webhook_allow: string[]
  /** Where files are kept instead of on this machine. */
  s3: S3Settings | undefined
  /** Addresses of map pictures; null where none are to be used. */
  tiles: { osm: string | null; baidu: string | null }
  /** With {q} and perhaps {language}; null where places cannot be searched for. */
  geocoder: string | null
  /** Null where no e-mail is sent. */
  smtp: { url: string; from: string } | null
  environment: Settings['MDM_ENVIRONMENT']
  activation: {
    is_needed: boolean
    /** Path of a file with the code. */
    file: string | undefined
    /** The provider's, base64url. */
    key: string | undefined
    report_url: string | undefined
  }
  /** Whether a policy entitles to remote sessions, and nothing else does. */
  remote_needs_policy: boolean
  remote_history_days: number
  /** Where other servers of the same database reach this one. */
  node_url: string | undefined
  /** Whose agents may join, beside programs that speak the device link. */
  gateways: Record<GatewayKind, boolean>
  hawkbit_poll_seconds: number
  is_demo: boolean
}

/** Settings of the agent, the tests and the measurements, which may run beside a server in one environment. */
const otherPrograms = /^MDM_(AGENT|TEST|E2E|BENCH)_/

/** Settings that cannot be used; `problems` has one sentence each. */
export class SettingsError extends Error {
  constructor(readonly problems: string[]) {
    super(`Cannot start:\n${problems.map((p) => `  - ${p}`).join('\n')}`)
  }
}

/** Reads settings from the environment over those of a `.env` file. Throws SettingsError that names every problem. */
export function readConfig(
  env: Record<string, string | undefined>,
  options: { env_file?: string; is_demo?: boolean } = {},
): Config {
  const file = options.env_file ?? '.env'
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  const given = Object.fromEntries(
    Object.entries({ ...fromFile, ...env }).filter(([, v]) => v !== undefined && v !== ''),
  )
  const known = Object.keys(settings.shape)
  const problems = Object.keys(given)
    .filter((key) => key.startsWith('MDM_') && !otherPrograms.test(key) && !known.includes(key))
    .map((key) => `${key} is not a setting. Did you mean ${nearest(key, known)}?`)
  const parsed = settings.safeParse(Object.fromEntries(known.map((key) => [key, given[key]])))
  for (const issue of parsed.error?.issues ?? []) problems.push(`${issue.path.join('.')}: ${issue.message}`)
  if (parsed.success) problems.push(...contradictions(parsed.data, given), ...contradictionsOfPorts(parsed.data, given))
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems)
  const s = parsed.data
  const ports = portsOf(s, given)
  return {
    http: { port: ports.http, host: s.MDM_HTTP_HOST },
    tls: s.MDM_TLS_CERT && s.MDM_TLS_KEY ? { cert: s.MDM_TLS_CERT, key: s.MDM_TLS_KEY } : undefined,
    acme: acmeOf(s),
    https_port: ports.https,
    redirect_port: s.MDM_REDIRECT_PORT,
    metrics_port: ports.metrics,
    mqtt: {
      port: ports.mqtt,
      tls_port: ports.mqtts,
      device_ca: s.MDM_DEVICE_CA,
      host: s.MDM_MQTT_HOST,
      url: s.MQTT_URL,
      connections: s.MDM_MQTT_CONNECTIONS,
      may_be_open: s.MDM_ALLOW_OPEN_BROKER === true,
      public_url: s.MDM_PUBLIC_MQTT_URL,
    },
    data: s.MDM_DATA,
    data_is_shared: s.MDM_DATA_SHARED,
    drain_ms: s.MDM_DRAIN_SECONDS * 1_000,
    database_pool: s.MDM_DATABASE_POOL,
    broker_secret: s.MDM_BROKER_SECRET,
    public_url: s.MDM_PUBLIC_URL,
    console_origins: s.MDM_CONSOLE_ORIGINS?.split(',').map((origin) => origin.trim().toLowerCase()) ?? [],
    database_url: s.DATABASE_URL,
    database_replica_url: s.DATABASE_REPLICA_URL,
    log_level: s.MDM_LOG_LEVEL,
    trust_proxy: s.MDM_TRUST_PROXY?.split(',').map((p) => p.trim()) ?? [],
    default_language: s.MDM_DEFAULT_LANGUAGE,
    upload_max_bytes: s.MDM_UPLOAD_MAX_BYTES,
    metrics_token: s.MDM_METRICS_TOKEN,
    secret_key: s.MDM_SECRET_KEY,
    oidc: oidcOf(s),
    webhook_allow: s.MDM_WEBHOOK_ALLOW?.split(',').map((entry) => entry.trim()) ?? [],
    s3: s3Of(s),
    tiles: { osm: tilesOf(s.MDM_OSM_TILES), baidu: tilesOf(s.MDM_BAIDU_TILES) },
    geocoder: s.MDM_GEOCODER_URL ?? null,
    smtp: s.MDM_SMTP_URL && s.MDM_SMTP_FROM ? { url: s.MDM_SMTP_URL, from: s.MDM_SMTP_FROM } : null,
    environment: s.MDM_ENVIRONMENT,
    activation: {
      is_needed: s.MDM_ENVIRONMENT === 'privatization',
      file: s.MDM_ACTIVATION,
      key: s.MDM_ACTIVATION_KEY,
      report_url: s.MDM_ACTIVATION_REPORT,
    },
    remote_needs_policy: s.MDM_REMOTE_NEEDS_POLICY === true,
    remote_history_days: s.MDM_REMOTE_HISTORY_DAYS,
    node_url: s.MDM_NODE_URL,
    gateways: {
      mdmesh: s.MDM_GATEWAY_MDMESH,
      headwind: s.MDM_GATEWAY_HEADWIND,
      hawkbit: s.MDM_GATEWAY_HAWKBIT,
      mender: s.MDM_GATEWAY_MENDER,
      // It speaks MQTT only over the WebSockets of the embedded broker.
      browser: s.MDM_BROWSER_TERMINAL && s.MQTT_URL === undefined && s.MDM_DEVICE_CA === undefined,
    },
    hawkbit_poll_seconds: s.MDM_HAWKBIT_POLL_SECONDS,
    is_demo: options.is_demo ?? false,
  }
}

const tilesOf = (address: string): string | null => (address === 'none' ? null : address)

function s3Of(s: Settings): Config['s3'] {
  const { MDM_S3_URL: url, MDM_S3_ACCESS_KEY_ID: access_key_id, MDM_S3_SECRET_ACCESS_KEY: secret_access_key } = s
  if (url === undefined || access_key_id === undefined || secret_access_key === undefined) return undefined
  return { url, region: s.MDM_S3_REGION, access_key_id, secret_access_key }
}

function oidcOf(s: Settings): Config['oidc'] {
  const { MDM_OIDC_ISSUER: issuer, MDM_OIDC_CLIENT_ID: client_id } = s
  if (issuer === undefined || client_id === undefined) return undefined
  return { issuer, client_id, client_secret: s.MDM_OIDC_CLIENT_SECRET, name: s.MDM_OIDC_NAME }
}

function contradictions(s: Settings, given: Record<string, unknown>): string[] {
  const found: string[] = []
  if (s.MQTT_URL && (given['MDM_MQTT_PORT'] || given['MDM_MQTT_HOST']))
    found.push(
      'MQTT_URL names an external broker, but MDM_MQTT_PORT or MDM_MQTT_HOST set up the embedded one. Keep one of them.',
    )
  for (const name of ['DATABASE_URL', 'DATABASE_REPLICA_URL'] as const) {
    const url = s[name]
    if (url === undefined || s.MDM_ALLOW_PLAIN_DATABASE) continue
    const { hostname, searchParams } = new URL(url)
    // A host that is a path is a unix socket.
    const is_local = ['', ...localHosts].includes(hostname) || /^%2f/i.test(hostname)
    const mode = searchParams.get('sslmode')
    if (!is_local && (mode === null || mode === 'disable'))
      found.push(
        `${name} sends passwords and data to another host unprotected. Add ?sslmode=verify-full, or set MDM_ALLOW_PLAIN_DATABASE=true.`,
      )
  }
  if (Boolean(s.MDM_SMTP_URL) !== Boolean(s.MDM_SMTP_FROM))
    found.push('MDM_SMTP_URL and MDM_SMTP_FROM belong together: set both, or none.')
  if (s.MDM_ENVIRONMENT === 'privatization' && s.MDM_ACTIVATION_KEY === undefined)
    found.push('MDM_ENVIRONMENT=privatization needs MDM_ACTIVATION_KEY, the key of the provider that activates it.')
  found.push(...contradictionsOfS3(s, given), ...contradictionsOfNodes(s, given))
  const { MDM_OIDC_ISSUER: issuer } = s
  if (issuer === undefined)
    for (const name of ['MDM_OIDC_CLIENT_ID', 'MDM_OIDC_CLIENT_SECRET', 'MDM_OIDC_NAME'] as const)
      if (given[name]) found.push(`${name} is set, but MDM_OIDC_ISSUER is not: it has no effect.`)
  if (issuer !== undefined && s.MDM_OIDC_CLIENT_ID === undefined)
    found.push('MDM_OIDC_ISSUER is set, but MDM_OIDC_CLIENT_ID is not.')
  if (issuer?.startsWith('http://') && !localHosts.includes(new URL(issuer).hostname))
    found.push('MDM_OIDC_ISSUER must be https: whoever is on the way could sign in as anybody.')
  return found
}
