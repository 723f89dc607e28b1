import { networkInterfaces } from 'node:os'
import { generate } from 'lean-qr'

type Interfaces = ReturnType<typeof networkInterfaces>
type Listening = { http: { host: string; port: number }; public_url: string | undefined; browser: boolean }

const everywhere: readonly string[] = ['0.0.0.0', '::']
const loopback = /^(?:127\.|::1$|localhost$)/

/**
 * Where a phone in the same network reaches this demo; undefined where it cannot. The port is that which was given by the system
 * where none was set.
 */
export function addressForPhones(
  { http, public_url }: Listening,
  port: string,
  interfaces: Interfaces = networkInterfaces(),
): string | undefined {
  if (public_url !== undefined) return public_url
  if (loopback.test(http.host)) return undefined
  if (!everywhere.includes(http.host)) return `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${port}`
  const own = Object.values(interfaces).flatMap((several) => several ?? [])
  const found = own.find(({ family, internal }) => family === 'IPv4' && !internal)
  return found && `http://${found.address}:${port}`
}

/** A QR code for a terminal, two rows a line: dark on light in its own colours, whatever those of the terminal are. */
export function qrLines(text: string): string[] {
  const code = generate(text)
  const quiet = 2
  const lines: string[] = []
  for (let y = -quiet; y < code.size + quiet; y += 2) {
    let line = ''
    for (let x = -quiet; x < code.size + quiet; x += 1)
      line += [' ', '▀', '▄', '█'][Number(code.get(x, y)) + 2 * Number(code.get(x, y + 1))]
    lines.push(`\u001B[30;107m${line}\u001B[0m`)
  }
  return lines
}

/** What the demo says to whoever wants to try it with a phone. */
export function phoneLines(
  listening: Listening,
  port: string,
  token: string | undefined,
  is_terminal: boolean,
): string[] {
  if (!listening.browser || token === undefined) return []
  const base = addressForPhones(listening, port)
  if (base === undefined)
    return ['  A phone as a device: start it with MDM_HTTP_HOST=0.0.0.0, so that phones in this network reach it']
  const address = `${base}/terminal#${token}`
  const note = base.startsWith('https:')
    ? []
    : ['  Location, keeping the screen on and installing need https (MDM_PUBLIC_URL, MDM_TLS_CERT).']
  return [
    '  A phone in this network becomes a device when it opens',
    `  ${address}`,
    ...(is_terminal ? ['', ...qrLines(address).map((line) => `    ${line}`), ''] : []),
    ...note,
  ]
}
