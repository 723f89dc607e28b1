import type { Settings } from './config.ts'

/** Hosts that plain protocols may reach. */
export const localHosts = ['localhost', '127.0.0.1', '[::1]']

/** What only several servers of one database, or an external broker, have a use for. */
export function contradictionsOfNodes(s: Settings, given: Record<string, unknown>): string[] {
  const found: string[] = []
  if (s.DATABASE_URL === undefined) {
    if (s.MDM_DATA_SHARED)
      found.push('MDM_DATA_SHARED is set, but DATABASE_URL is not: the embedded database has one server.')
    if (s.DATABASE_REPLICA_URL !== undefined)
      found.push('DATABASE_REPLICA_URL is set, but DATABASE_URL is not: there is nothing that it could be a copy of.')
    if (given['MDM_DATABASE_POOL']) found.push('MDM_DATABASE_POOL is set, but DATABASE_URL is not: it has no effect.')
  }
  if (s.MDM_BROKER_SECRET !== undefined && s.MQTT_URL === undefined)
    found.push('MDM_BROKER_SECRET is set, but MQTT_URL is not: the embedded broker needs none.')
  if (given['MDM_MQTT_CONNECTIONS'] && s.MQTT_URL === undefined)
    found.push('MDM_MQTT_CONNECTIONS is set, but MQTT_URL is not: it has no effect.')
  return found
}

export function contradictionsOfS3(s: Settings, given: Record<string, unknown>): string[] {
  const rest = ['MDM_S3_REGION', 'MDM_S3_ACCESS_KEY_ID', 'MDM_S3_SECRET_ACCESS_KEY'] as const
  const { MDM_S3_URL: url } = s
  if (url === undefined)
    return rest.filter((name) => given[name]).map((name) => `${name} is set, but MDM_S3_URL is not: it has no effect.`)
  const { pathname, protocol, hostname } = new URL(url)
  return [
    ...rest.slice(1).flatMap((name) => (s[name] === undefined ? `MDM_S3_URL is set, but ${name} is not.` : [])),
    ...(/^\/[^/]+$/.test(pathname) ? [] : ['MDM_S3_URL must end with the bucket: https://host/bucket.']),
    ...(protocol === 'http:' && !localHosts.includes(hostname)
      ? ['MDM_S3_URL must be https: files would travel unprotected.']
      : []),
  ]
}

/** The known name that is most like one that is not. */
export function nearest(key: string, known: string[]): string {
  const score = (candidate: string) =>
    [...key].filter((c, i) => candidate[i] === c).length - Math.abs(candidate.length - key.length)
  return known.toSorted((a, b) => score(b) - score(a))[0]!
}
