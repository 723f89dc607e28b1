import { isIP } from 'node:net'
import { constants } from '@mdm/contract/constants.ts'
import type { Settings } from './config.ts'

export type AcmeSettings = {
  /** Of the authority: where it says what it offers. */
  directory: string
  email: string | undefined
  /** Path of the certificate that its own address is checked by; undefined where everybody knows it. */
  ca: string | undefined
  names: string[]
}

/** What is set, else what a private deployment has; those over TLS only with a certificate. */
export function portsOf(s: Settings, given: Record<string, unknown>) {
  const preset = s.MDM_ENVIRONMENT === 'privatization' ? constants.private_ports : undefined
  const has_certificate = s.MDM_TLS_CERT !== undefined || s.MDM_ACME_DIRECTORY !== undefined
  const is_embedded = s.MQTT_URL === undefined
  return {
    http: given['MDM_HTTP_PORT'] ? s.MDM_HTTP_PORT : (preset?.http ?? s.MDM_HTTP_PORT),
    mqtt: given['MDM_MQTT_PORT'] ? s.MDM_MQTT_PORT : (preset?.mqtt ?? s.MDM_MQTT_PORT),
    https: s.MDM_HTTPS_PORT ?? (has_certificate ? preset?.https : undefined),
    mqtts: s.MDM_MQTTS_PORT ?? (has_certificate && is_embedded ? preset?.mqtts : undefined),
    metrics: s.MDM_METRICS_PORT ?? preset?.metrics,
  }
}

export function contradictionsOfPorts(s: Settings, given: Record<string, unknown>): string[] {
  const found: string[] = []
  const { http, mqtt, https, mqtts, metrics } = portsOf(s, given)
  const named: [string, number | undefined][] = [
    ['MDM_HTTP_PORT', http],
    ['MDM_HTTPS_PORT', https],
    ['MDM_MQTT_PORT', s.MQTT_URL ? undefined : mqtt],
    ['MDM_MQTTS_PORT', mqtts],
    ['MDM_METRICS_PORT', metrics],
    ['MDM_REDIRECT_PORT', s.MDM_REDIRECT_PORT],
  ]
  named.forEach(([name, port], at) => {
    const other = named.slice(at + 1).find(([, one]) => one === port)
    if (port && other) found.push(`${name} and ${other[0]} are both ${port}.`)
  })
  if (Boolean(s.MDM_TLS_CERT) !== Boolean(s.MDM_TLS_KEY))
    found.push('MDM_TLS_CERT and MDM_TLS_KEY belong together: set both, or none.')
  const source = (['MDM_TLS_CERT', 'MDM_ACME_DIRECTORY'] as const).find((name) => s[name] !== undefined)
  if (source === undefined)
    for (const name of ['MDM_HTTPS_PORT', 'MDM_MQTTS_PORT'] as const)
      if (s[name] !== undefined) found.push(`${name} is set, but neither MDM_TLS_CERT nor MDM_ACME_DIRECTORY is.`)
  if (source !== undefined && https === undefined && mqtts === undefined)
    found.push(`${source} is set, but neither MDM_HTTPS_PORT nor MDM_MQTTS_PORT is: it has no effect.`)
  if (s.MQTT_URL && s.MDM_MQTTS_PORT !== undefined)
    found.push('MQTT_URL names an external broker, but MDM_MQTTS_PORT sets up the embedded one. Keep one of them.')
  if (s.MDM_DEVICE_CA !== undefined && mqtts === undefined)
    found.push('MDM_DEVICE_CA is set, but MDM_MQTTS_PORT is not: no device could get in.')
  if (s.MDM_REDIRECT_PORT !== undefined && s.MDM_PUBLIC_URL?.startsWith('https://') !== true)
    found.push('MDM_REDIRECT_PORT is set, but MDM_PUBLIC_URL is no https address: there is nothing to lead to.')
  return [...found, ...contradictionsOfAcme(s)]
}

function contradictionsOfAcme(s: Settings): string[] {
  if (s.MDM_ACME_DIRECTORY === undefined)
    return (['MDM_ACME_EMAIL', 'MDM_ACME_CA'] as const)
      .filter((name) => s[name] !== undefined)
      .map((name) => `${name} is set, but MDM_ACME_DIRECTORY is not: it has no effect.`)
  const found: string[] = []
  if (s.MDM_TLS_CERT !== undefined)
    found.push('MDM_ACME_DIRECTORY fetches a certificate, but MDM_TLS_CERT gives one. Keep one of them.')
  if (s.MDM_PUBLIC_URL?.startsWith('https://') !== true)
    found.push('MDM_ACME_DIRECTORY needs MDM_PUBLIC_URL, an https address: its name is what the certificate is for.')
  if (s.MDM_REDIRECT_PORT === undefined)
    found.push('MDM_ACME_DIRECTORY needs MDM_REDIRECT_PORT: the authority asks there, by port 80.')
  for (const name of namesOf(s))
    if (isIP(name.replace(/^\[|\]$/g, '')) !== 0)
      found.push(`MDM_ACME_DIRECTORY needs addresses by name: no authority is asked for ${name}.`)
  return found
}

/** The names that browsers and devices ask for. */
const namesOf = ({ MDM_PUBLIC_URL: url, MDM_PUBLIC_MQTT_URL: mqtt, MQTT_URL: external }: Settings): string[] => [
  ...new Set([
    ...(url === undefined ? [] : [new URL(url).hostname]),
    ...(external === undefined && mqtt?.startsWith('mqtts:') ? [new URL(mqtt).hostname] : []),
  ]),
]

export function acmeOf(s: Settings): AcmeSettings | undefined {
  const { MDM_ACME_DIRECTORY: directory, MDM_ACME_EMAIL: email, MDM_ACME_CA: ca } = s
  return directory === undefined ? undefined : { directory, email, ca, names: namesOf(s) }
}
