import { lstat, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import type { Config } from '../../config.ts'
import { bytesText } from '../../lib/bytes.ts'
import { ample_bytes, freeOf, low_bytes } from '../../lib/disk-reserve.ts'
import type { ServerState } from '../asks.ts'
import { fault, fine, messageOf, warning } from './finding.ts'
import type { Finding } from './finding.ts'

export async function checkData(
  { data, secret_key, database_url }: Config,
  running: ServerState | undefined,
): Promise<Finding[]> {
  const subject = 'data folder'
  const found = await stat(data).catch((error: unknown) => messageOf(error))
  if (typeof found === 'string')
    return [warning(subject, `${data}: ${found}`, 'The first start makes it. Is MDM_DATA right?')]
  const findings: Finding[] = []
  const own = process.getuid?.()
  if ((found.mode & 0o002) !== 0)
    findings.push(fault(subject, `Everybody on this machine may write to ${data}`, `chmod o-w ${data}`))
  else if (own !== undefined && own !== 0 && found.uid !== own)
    findings.push(
      fault(subject, `${data} belongs to user ${found.uid}, this is user ${own}`, 'Run mdm as the user of the server.'),
    )
  else findings.push(fine(subject, data))
  const key = await lstat(join(data, 'secret.key')).catch(() => undefined)
  if (key && (key.mode & 0o077) !== 0)
    findings.push(
      fault('secret key', `Others may read ${join(data, 'secret.key')}`, `chmod 600 ${join(data, 'secret.key')}`),
    )
  if (database_url !== undefined && secret_key === undefined)
    findings.push(
      warning(
        'secret key',
        'It is in MDM_DATA of this server alone',
        'With a second server, set MDM_SECRET_KEY in both.',
      ),
    )
  const free = await freeOf(data)
  const says = `${bytesText(free)} free`
  // The server gives up a reserve when the disk is full: what is free then is that.
  if (free < low_bytes || running?.disk === false)
    findings.push(fault('disk', says, 'Make room: only sign-in and deleting go on.'))
  else if (free < 8 * ample_bytes) findings.push(warning('disk', says, 'Make room before it is full.'))
  else findings.push(fine('disk', says))
  return findings
}

export async function checkPorts(config: Config, running: ServerState | undefined): Promise<Finding[]> {
  if (running) return [fine('ports', `the server runs and listens on ${running.http_port}`)]
  const { http, https_port, redirect_port, mqtt, metrics_port } = config
  const wanted: [string, number | undefined, string][] = [
    ['MDM_HTTP_PORT', http.port, http.host],
    ['MDM_HTTPS_PORT', https_port, http.host],
    ['MDM_REDIRECT_PORT', redirect_port, http.host],
    ['MDM_METRICS_PORT', metrics_port, http.host],
    ...(mqtt.url === undefined
      ? ([
          ['MDM_MQTT_PORT', mqtt.port, mqtt.host],
          ['MDM_MQTTS_PORT', mqtt.tls_port, mqtt.host],
        ] as [string, number | undefined, string][])
      : []),
  ]
  const findings: Finding[] = []
  for (const [name, port, host] of wanted) {
    if (port === undefined || port === 0) continue
    const code = await listenOnce(port, host)
    if (code === undefined) findings.push(fine('ports', `${port} is free (${name})`))
    else
      findings.push(
        fault(
          'ports',
          `${port} cannot be listened on: ${code}`,
          code === 'EACCES'
            ? `Ports below 1024 are for root and for the service: choose another ${name}, or let the service run.`
            : `End what listens there, or choose another ${name}.`,
        ),
      )
  }
  return findings
}

const listenOnce = (port: number, host: string): Promise<string | undefined> =>
  new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(undefined)))
  })

export async function checkCertificate(
  { tls, acme, public_url }: Pick<Config, 'tls' | 'acme' | 'public_url'>,
  running: ServerState | undefined,
  now: Date,
): Promise<Finding[]> {
  const subject = 'certificate'
  if (acme) return judgeIssued(acme.directory, running, now)
  if (!tls)
    return public_url?.startsWith('https://')
      ? [fine(subject, 'TLS ends in front of this server')]
      : [
          warning(
            subject,
            'Nothing listens for HTTPS',
            'Put a proxy in front, or see docs/operate/tls.md for TLS of its own.',
          ),
        ]
  try {
    const ends_at = new Date(new X509Certificate(await readFile(tls.cert)).validTo)
    await readFile(tls.key)
    const { says, days } = lifeOf(ends_at, now)
    if (days < 0) return [fault(subject, says, 'Put a new one in its place: it is read within ten seconds.')]
    return [days < 21 ? warning(subject, says, 'Renew it.') : fine(subject, says)]
  } catch (error) {
    return [
      fault(subject, messageOf(error), 'MDM_TLS_CERT and MDM_TLS_KEY have to be PEM files that this user may read.'),
    ]
  }
}

function lifeOf(ends_at: Date, now: Date) {
  const days = Math.floor((ends_at.getTime() - now.getTime()) / 86_400_000)
  return { days, says: `ends ${ends_at.toISOString().slice(0, 10)}, in ${days} days` }
}

/** The server renews it by itself in the last third of its life: what went wrong is worth a word long before it ends. */
function judgeIssued(directory: string, running: ServerState | undefined, now: Date): Finding[] {
  const subject = 'certificate'
  const { host } = new URL(directory)
  if (!running)
    return [warning(subject, `${host} issues it to the server that runs`, 'Start it, and run doctor again.')]
  const { certificate_ends_at: ends_at, certificate_fault: why } = running
  const life = ends_at === null ? undefined : lifeOf(new Date(ends_at), now)
  const advice = 'The name has to lead here, and port 80 of it to MDM_REDIRECT_PORT: docs/operate/tls.md.'
  if (!life) return [fault(subject, `${host} has not issued one: ${why ?? 'it was not asked yet'}`, advice)]
  if (life.days < 0) return [fault(subject, `${life.says}: ${why ?? 'it is being renewed'}`, advice)]
  if (why !== null) return [warning(subject, `${life.says}; ${host} gave no newer one: ${why}`, advice)]
  return [fine(subject, `${life.says}, issued by ${host}`)]
}
