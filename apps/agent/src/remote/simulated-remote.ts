import { Duplex } from 'node:stream'
import { TaskFailure } from '../body/body.ts'
import type { Faults } from '../body/simulated-models.ts'
import type { Clock } from '../clock.ts'
import { linesOf } from './log-follow.ts'
import { rfbSource } from './rfb-source.ts'
import { simulatedScreen } from './simulated-screen.ts'
import type { SimulatedScreen } from './simulated-screen.ts'
import type { RemoteBody } from './source.ts'

const log_ms = 400
const made_up = [
  'wifi: signal -61 dBm, roaming not needed',
  'scanner: ready',
  'battery: 83 %, 31.5 degrees',
  'com.example.scan: list of parcels synchronised',
  'gps: 9 satellites',
  'printer: paper present',
]
const processes = ['1 init', '214 scanner', '377 com.example.scan', '402 com.example.till']
const files = ['Download', 'Pictures', 'routes.json']

/** Screen, shell and log of a device that is played. */
export function simulateRemote(of: { sn: string; hue: number; clock: Clock; faults: () => Faults }): RemoteBody & {
  screen: SimulatedScreen
} {
  const { sn, clock } = of
  const screen = simulatedScreen(of)
  return {
    kinds: ['desktop', 'terminal', 'log'],
    screen,
    async open({ kind, clipboard, columns = 80, rows = 24 }) {
      const { remote } = of.faults()
      if (remote) throw new TaskFailure(remote, `${kind}: ${remote} (simulated)`)
      if (kind === 'desktop') return rfbSource(screen, { clock, clipboard })
      if (kind === 'log') return { stream: madeUpLog(clock) }
      let size = `${columns} x ${rows}`
      return {
        stream: madeUpShell(sn, clock, () => size),
        take: (note) => void ('resize' in note && (size = `${note.resize.columns} x ${note.resize.rows}`)),
      }
    },
    async show_viewers(names) {
      screen.viewers = names
    },
  }
}

function madeUpLog(clock: Clock): Duplex {
  return linesOf((tell) => {
    let count = 0
    let cancel = () => {}
    const next = () => {
      tell(`${clock.now().toISOString()} ${made_up[count % made_up.length]!} #${count}`)
      count += 1
      cancel = clock.after(log_ms, next)
    }
    for (let line = 0; line < made_up.length - 1; line += 1) {
      tell(`${clock.now().toISOString()} ${made_up[line]!} #${count}`)
      count += 1
    }
    next()
    return () => cancel()
  })
}

function madeUpShell(sn: string, clock: Clock, size: () => string): Duplex {
  const prompt = `${sn}:/ $ `
  let line = ''
  const say = (text: string) => stream.push(Buffer.from(text.replaceAll('\n', '\r\n')))
  const answers: Record<string, (rest: string) => string> = {
    help: () => 'A made-up shell. It knows: help, date, echo, ls, ps, size, exit',
    date: () => clock.now().toISOString(),
    echo: (rest) => rest,
    ls: () => files.join('  '),
    ps: () => processes.join('\n'),
    size,
  }
  function run() {
    const [name = '', ...rest] = line.trim().split(/\s+/)
    line = ''
    if (name === 'exit') return void stream.push(null)
    const answer = Object.hasOwn(answers, name) ? answers[name]!(rest.join(' ')) : `${name}: not found`
    say(name === '' ? prompt : `${answer}\n${prompt}`)
  }
  function type(character: string) {
    if (character === '\r' || character === '\n') {
      say('\n')
      run()
    } else if (character === '\u0003') {
      line = ''
      say(`^C\n${prompt}`)
    } else if (character === '\u007f' || character === '\b') {
      if (line !== '') say('\b \b')
      line = [...line].slice(0, -1).join('')
    } else if (character >= ' ' && line.length < 1_000) {
      line += character
      say(character)
    }
  }
  const decoder = new TextDecoder()
  const stream = new Duplex({
    read: () => {},
    write(chunk: Buffer, _encoding, done) {
      for (const character of decoder.decode(chunk, { stream: true })) if (!stream.readableEnded) type(character)
      done()
    },
  })
  say(prompt)
  return stream
}
