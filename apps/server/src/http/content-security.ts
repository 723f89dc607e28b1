import type { FastifyHelmetOptions } from '@fastify/helmet'
import type { Config } from '../config.ts'

/** Map pictures may come from where they are set up to come from, and from nowhere when they are switched off. */
const tileOrigins = ({ tiles }: Config): string[] => [
  ...new Set([tiles.osm, tiles.baidu].flatMap((address) => /^https?:\/\/[^/]+/.exec(address ?? '')?.[0] ?? [])),
]

const directives = (config: Config) => ({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:', 'blob:', ...tileOrigins(config)],
  fontSrc: ["'self'", 'data:'],
  mediaSrc: ["'self'", 'blob:'],
  // WebSockets of the same origin are 'self'.
  connectSrc: ["'self'"],
  workerSrc: ["'self'", 'blob:'],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
})

/** Of the page by which a browser is a device: in a kiosk it shows a start page, of any site, in a frame. */
export const terminalSecurity = (config: Config) => ({
  contentSecurityPolicy: { useDefaults: false, directives: { ...directives(config), frameSrc: ['https:', 'http:'] } },
})

/** No script but the console's own files. antd writes its styles into the page, so inline styles stay allowed. */
export function contentSecurity(config: Config): FastifyHelmetOptions {
  const is_https = config.public_url?.startsWith('https://') ?? false
  return {
    contentSecurityPolicy: { useDefaults: false, directives: directives(config) },
    referrerPolicy: { policy: 'no-referrer' },
    // A private deployment may well run without TLS: promising it would lock its people out.
    strictTransportSecurity: is_https ? { maxAge: 15_552_000 } : false,
    // Browsers ignore these two without TLS, and complain.
    crossOriginOpenerPolicy: is_https,
    originAgentCluster: is_https,
    frameguard: { action: 'deny' },
  }
}
