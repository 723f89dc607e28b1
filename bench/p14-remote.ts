import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { WebSocket } from 'ws'
import { contract } from '@mdm/contract'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { rfbClient } from '../apps/agent/src/testing/rfb-client.ts'
import { dialTunnel } from '../apps/server/src/testing/remote.ts'
import { startVncDisplay, whyNoVnc } from '../testbed/src/x-display.ts'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { interleaved, notRun, row, sized, spread } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { soon } from './p10-start.ts'
import { treeCpuSeconds } from './processes.ts'
import { fetched, meshCentral, version } from './products.ts'

const [rounds, strokes, within_ms] = [sized(5, 1), sized(30, 4), 60_000]
const person = { name: 'bench', password: 'Bench-pass1' }
const letters = 'abcdefghij'

/** A screen that is looked at. `press` resolves when a picture with the letter that was typed has come. */
type Viewer = { press(letter: string): Promise<void>; close(): void }
type Side = {
  /** From the click to the first picture, all of it. */
  open(): Promise<Viewer>
  /** Processes of the product: its server and its agent. */
  pids(): number[]
}
type Opened = Sample & { stroke_ms: number }

/**
 * P14, remote hands: one display and both agents on it; the first picture after the click, and the time from a key until its letter is
 * in a picture.
 */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const why = whyNoVnc()
  if (why !== undefined) return [notRun('P14', 'remote pictures', why)]
  const home = await mkdtemp(join(tmpdir(), 'mdm-p14-'))
  try {
    const missing = await fetched(home)
    return missing === undefined ? await measured(home, log) : [notRun('P14', 'remote pictures', missing)]
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function measured(home: string, log: (text: string) => void): Promise<Row[]> {
  const port = await freePort()
  await using display = await startVncDisplay(port)
  const program = spawn('xterm', ['-geometry', '130x45+0+0', '-e', 'cat'], {
    env: { ...process.env, DISPLAY: display.name },
    stdio: 'ignore',
  })
  try {
    return await withSite(async (site) => {
      const ended: (() => Promise<void>)[] = []
      try {
        const ours = await own(site, home, { port, display: display.name }, ended)
        const theirs = await meshAgent(home, display.name, ended)
        const look = async (name: string, side: Side): Promise<Opened> => {
          const cpu = () => side.pids().reduce((sum, pid) => sum + treeCpuSeconds(pid), 0)
          const before = cpu()
          const begun = performance.now()
          const viewer = await inTime(`${name}: a first picture`, side.open())
          const first_ms = performance.now() - begun
          const took: number[] = []
          for (let stroke = 0; stroke < strokes; stroke++) {
            // At no fixed moment of a device that looks at its screen every so many milliseconds.
            await delay(300 + ((stroke * 37) % 100))
            const pressed_at = performance.now()
            await inTime(`${name}: a picture of a key`, viewer.press(letters[stroke % letters.length]!))
            took.push(performance.now() - pressed_at)
          }
          viewer.close()
          const sample = { value: first_ms, cpu_seconds: cpu() - before, stroke_ms: spread(took).median }
          log(`${name}: first picture after ${Math.round(first_ms)} ms, a key after ${Math.round(sample.stroke_ms)} ms`)
          await delay(1_000)
          return sample
        }
        await look('warm-up, ours', ours)
        await look(`warm-up, MeshCentral`, theirs)
        const pairs = (await interleaved(
          rounds,
          () => look('ours', ours),
          () => look('MeshCentral', theirs),
        )) as [Opened, Opened][]
        const strokesOf = ({ stroke_ms, cpu_seconds }: Opened): Sample => ({ value: stroke_ms, cpu_seconds })
        const note = `one display of TigerVNC, 800 x 600; our server on PostgreSQL without TLS, MeshCentral with it; CPU of server and agent`
        const less = (what: string, of: [Sample, Sample][], notes?: string[]) =>
          row('P14', `${what} / MeshCentral ${version}`, of, '< 1', (r) => r.median < 1, notes)
        return [
          less('first remote picture, ms', pairs, [note]),
          less(
            `key to picture, ms, median of ${strokes}`,
            pairs.map(([a, b]) => [strokesOf(a), strokesOf(b)]),
          ),
        ]
      } finally {
        for (const end of ended.toReversed()) await end()
      }
    })
  } finally {
    program.kill()
  }
}

async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = delay(within_ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`not within a minute: ${what}`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    over.abort()
  }
}

function started(
  command: string,
  args: string[],
  options: Parameters<typeof spawn>[2],
  ended: (() => Promise<void>)[],
) {
  const child: ChildProcess = spawn(command, args, { ...options, stdio: 'ignore' })
  ended.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill()
    await gone
  })
  return child.pid!
}

/** The agent as it is built, enrolled by a code, in front of the display's own VNC server. */
async function own(
  site: Site,
  home: string,
  { port, display }: { port: number; display: string },
  ended: (() => Promise<void>)[],
): Promise<Side> {
  const { call, client, account_kid, url, server } = site
  await client.query(`INSERT INTO remote_settings VALUES ($1, 'unattended', true, true, false, 1, ${1024 ** 3})`, [
    account_kid,
  ])
  const { qrcode_registered_cache, get_scan_result, get } = contract.terminal.calls
  const { qrcode_kid, content } = await call(qrcode_registered_cache)
  const data = join(home, 'agent')
  await mkdir(join(data, 'files'), { recursive: true })
  const given = ['--server', url, '--data', data, '--files', join(data, 'files'), '--sn', 'BENCH-DISPLAY']
  const args = ['apps/server/dist/agent.js', 'agent', ...given, '--qrcode', content, '--vnc', `127.0.0.1:${port}`]
  const pid = started(process.execPath, args, { env: { ...process.env, DISPLAY: display } }, ended)
  let terminal_kid = ''
  await soon(async () => {
    terminal_kid = (await call(get_scan_result, { qrcode_kid })).terminal_kid ?? ''
    return terminal_kid !== '' && (await call(get, { kid: terminal_kid })).is_online
  })
  return {
    pids: () => [server.pid, pid],
    async open() {
      const opened = await call(contract.terminalRemote.calls.open_desktop, { terminal_kid })
      const socket = await dialTunnel(url, opened.url, opened.ticket)
      if (typeof socket === 'number') throw new Error(`a tunnel was refused: ${socket}`)
      const viewer = await rfbClient(streamOf(socket))
      viewer.setEncodings(0)
      viewer.request(false)
      await viewer.update()
      // Without a window manager the keys go where the pointer is.
      viewer.pointer(200, 150, 0)
      let came = () => {}
      // Pictures that nobody has asked for, such as that of the pointer, are taken as they come.
      const follow = async () => {
        for (;;) {
          viewer.request(true)
          await viewer.update()
          came()
        }
      }
      // It ends with the tunnel.
      follow().catch(() => {})
      return {
        async press(letter) {
          const next = new Promise<void>((resolve) => (came = resolve))
          viewer.type(letter)
          await next
        },
        close: () => socket.terminate(),
      }
    },
  }
}

/** The binary frames of a tunnel; its text frames are notes of the server. */
function streamOf(socket: WebSocket): Duplex {
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (chunk: Buffer, _encoding, done) => socket.send(chunk, done),
    destroy(error, done) {
      socket.terminate()
      done(error)
    },
  })
  socket.on('message', (data, is_binary) => {
    if (is_binary && !stream.push(data)) socket.pause()
  })
  socket.on('close', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  socket.resume()
  return stream
}

const commands = { key: 1, tile: 3, screen: 7, jumbo: 27 }
/** As its page sends them: quality of JPEG 50, whole size, a look every 100 ms; and go on. */
const looks = [Buffer.from([0, 5, 0, 10, 1, 50, 4, 0, 0, 100]), Buffer.from([0, 8, 0, 5, 0])]
const stroke = (letter: string) =>
  [0, 1].map((is_up) => Buffer.from([0, commands.key, 0, 6, is_up, letter.toUpperCase().charCodeAt(0)]))

/** MeshCentral with one person and one group, and the agent of its package, which runs as it is; as its page, by the protocol of that. */
async function meshAgent(home: string, display: string, ended: (() => Promise<void>)[]): Promise<Side> {
  const { args, begin, url, port } = await meshCentral(home, { tls: true })
  const run = (...more: string[]) => promisify(execFile)(process.execPath, [...args, ...more], { timeout: within_ms })
  await run('--createaccount', person.name, '--pass', person.password)
  await run('--adminaccount', person.name)
  const server = begin()
  ended.push(() => server.stop())
  const at = `wss://127.0.0.1:${port}`
  const insecure = { rejectUnauthorized: false }
  const token = [person.name, person.password].map((text) => Buffer.from(text).toString('base64')).join(',')
  const controlled = () =>
    new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(`${at}/control.ashx`, { ...insecure, headers: { 'x-meshauth': token } })
      socket.once('error', reject)
      // It answers questions once it has said what it is.
      socket.on('message', (data: Buffer) => data.includes('"serverinfo"') && resolve(socket))
    })
  let control!: WebSocket
  await soon(async () => {
    control = await controlled()
    return true
  })
  ended.push(async () => control.terminate())
  const heard = (action: string) =>
    new Promise<Record<string, unknown>>((resolve) => {
      const listen = (data: Buffer) => {
        const said = JSON.parse(data.toString()) as Record<string, unknown>
        if (said['action'] !== action) return
        control.off('message', listen)
        resolve(said)
      }
      control.on('message', listen)
    })
  const asked = (action: string, more: object = {}) => {
    const answer = inTime(`MeshCentral: ${action}`, heard(action))
    control.send(JSON.stringify({ action, ...more }))
    return answer
  }
  const { meshid } = await asked('createmesh', { meshname: 'bench', meshtype: 2, responseid: 'bench' })
  const folder = join(home, 'meshagent')
  await mkdir(folder, { recursive: true })
  const agent = join(folder, 'meshagent')
  await copyFile(join(home, 'node_modules', 'meshcentral', 'agents', 'meshagent_x86-64'), agent)
  await chmod(agent, 0o755)
  const { stdout: settings } = await promisify(execFile)('curl', [
    ...['--silent', '--insecure', '--fail'],
    `${url}meshsettings?id=${encodeURIComponent(String(meshid).split('/').at(-1)!)}`,
  ])
  await writeFile(`${agent}.msh`, settings.replace(/^MeshServer=.*$/m, `MeshServer=${at}/agent.ashx`))
  const pid = started(agent, ['connect'], { cwd: folder, env: { ...process.env, DISPLAY: display } }, ended)
  let nodeid = ''
  await soon(async () => {
    await delay(200)
    const { nodes } = (await asked('nodes')) as { nodes: Record<string, { _id: string; conn?: number }[]> }
    const [node] = Object.values(nodes).flat()
    nodeid = node?.conn === 1 ? node._id : ''
    return nodeid !== ''
  })
  const { cookie, rcookie } = await asked('authcookie')
  return {
    pids: () => [server.pid, pid],
    async open() {
      const id = Math.random().toString(36).slice(2)
      const socket = new WebSocket(
        `${at}/meshrelay.ashx?browser=1&p=2&nodeid=${nodeid}&id=${id}&auth=${String(cookie)}`,
        {
          ...insecure,
          perMessageDeflate: false,
        },
      )
      const value = `*/meshrelay.ashx?p=2&nodeid=${nodeid}&id=${id}&rauth=${String(rcookie)}`
      control.send(JSON.stringify({ action: 'msg', type: 'tunnel', nodeid, value, usage: 2 }))
      let came = () => {}
      const picture = () => new Promise<void>((resolve) => (came = resolve))
      socket.on('message', (data: Buffer, is_binary) => {
        // Joined to the agent; 2 is its desktop.
        if (!is_binary) return void (/^cr?$/.test(data.toString()) && socket.send('2'))
        const command = data.readUInt16BE(0)
        if (command === commands.screen) for (const each of looks) socket.send(each)
        if (command === commands.tile || command === commands.jumbo) came()
      })
      const first = picture()
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
      await first
      return {
        async press(letter) {
          const next = picture()
          for (const each of stroke(letter)) socket.send(each)
          await next
        },
        close: () => socket.terminate(),
      }
    },
  }
}
