import type { Deps } from './deps.ts'
import { Refusal } from './refusal.ts'
const local = (deps: Deps): string => `http://localhost:${deps.config.http.port}`

/** Where browsers and devices reach this server, without a slash at the end. */
export const publicUrl = (deps: Deps): string => deps.config.public_url ?? local(deps)

/**
 * The address that was typed, as an http(s) URL without a slash at the end, or undefined when it is none. `host` may
 * be a name, a name with a port, or a whole URL.
 */
export function addressOf(host: string): string | undefined {
  const text = /^https?:\/\//i.test(host) ? host : `http://${host}`
  try {
    const url = new URL(text)
    if (url.username || url.password || url.search || url.hash) return undefined
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  } catch {
    return undefined
  }
}

/** The same for the field `host` of a call: undefined when nothing was typed, refused when it is no address. */
export function givenAddress(host: string | undefined): string | undefined {
  if (host === undefined) return undefined
  const address = addressOf(host)
  if (address === undefined) throw new Refusal('bad_input', {}, { host: { name: 'server_address' } })
  return address
}

/** What devices scan: the server's address and the token. */
export const qrContent = (base: string, token: string): string => `${base}/enrol?qr=${token}`

/**
 * MQTT addresses for a device, best first. Without configured addresses they are on the host that the device itself
 * asked (`asked`, of its Host header: what it says comes back to nobody else). A server that is reached over https sends no device
 * to an unencrypted address, over which secrets would travel, unless that address is configured.
 */
export function mqttUrls(deps: Deps, asked?: string): string[] {
  const { mqtt, public_url } = deps.config
  const base = new URL(public_url ?? (asked === undefined ? undefined : addressOf(asked)) ?? local(deps))
  if (mqtt.url !== undefined) {
    // An external broker; its credentials are the server's own.
    const { protocol, host: broker } = new URL(mqtt.url)
    return [mqtt.public_url ?? `${protocol}//${broker}`]
  }
  const over_tls = mqtt.public_url ?? `mqtts://${base.hostname}:${mqtt.tls_port}`
  // A WebSocket ends where browsers do, which nobody asks for a certificate.
  if (mqtt.device_ca !== undefined) return [over_tls]
  const path = base.pathname.replace(/\/+$/, '')
  const web = `${base.protocol === 'https:' ? 'wss' : 'ws'}://${base.host}${path}/mqtt`
  if (mqtt.public_url !== undefined) return [mqtt.public_url, web]
  if (base.protocol === 'https:') return mqtt.tls_port === undefined ? [web] : [over_tls, web]
  return [`mqtt://${base.hostname}:${mqtt.port}`, web]
}
