import { glyphOf } from '../body/picture.ts'
import type { Clock } from '../clock.ts'
import type { Rectangle } from './rfb-pixels.ts'
import type { Key, RfbScreen, ScreenWatcher } from './rfb-source.ts'

const tick_ms = 250
const most_typed = 600
const navigation_height = 64
const tile = 16
const colour = { ground: 0x16202c, bar: 0x223145, ink: 0xe8eef5, dim: 0x7f93aa, touch: 0xffc04d, mark: 0xd92b2b }

const special: Record<number, Key> = {
  0xff1b: 'back',
  0xff50: 'home',
  0xff67: 'menu',
  0x1008ff11: 'volume_down',
  0x1008ff13: 'volume_up',
  0x1008ff18: 'home',
  0x1008ff26: 'back',
}
/** The character that a keysym stands for. */
const characterOf = (keysym: number): string | undefined => {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff)) return String.fromCodePoint(keysym)
  if (keysym >= 0x1000100 && keysym <= 0x110ffff) return String.fromCodePoint(keysym - 0x1000000)
  return keysym === 0xff0d ? '\n' : undefined
}
const is_control = (keysym: number) => keysym === 0xffe3 || keysym === 0xffe4

export type SimulatedScreen = RfbScreen & {
  /** What was typed on it so far. */
  readonly typed: string
  readonly clipboard: string
  readonly app: string
  /** Names of those who look, who are shown in a red frame. */
  viewers: readonly string[]
}

/** The screen of a handheld that is played: a clock, a counter that runs, its SN, what is typed and where it is touched. */
export function simulatedScreen({ sn, hue, clock }: { sn: string; hue: number; clock: Clock }): SimulatedScreen {
  let [width, height] = [480, 800]
  let pixels = new Uint32Array(width * height)
  let next = new Uint32Array(width * height)
  const watchers = new Set<ScreenWatcher>()
  let stopTicking = () => {}
  let typed = ''
  let clipboard = ''
  let app = 'HOME'
  let volume = 5
  let viewers: readonly string[] = []
  let touch: { x: number; y: number; is_down: boolean } | undefined
  let is_control_down = false
  const accent = [0x2f81f7, 0x2ea043, 0xa371f7, 0xdb6d28, 0x1f9e94, 0xbf4b8a, 0x8a9a2b][hue % 7]!

  function fill(x: number, y: number, wide: number, high: number, value: number) {
    const left = Math.max(0, x)
    const right = Math.min(width, x + wide)
    for (let row = Math.max(0, y); row < Math.min(height, y + high); row += 1)
      if (right > left) next.fill(value, row * width + left, row * width + right)
  }
  function write(x: number, y: number, dot: number, text: string, value: number) {
    ;[...text].forEach((character, at) => {
      if (character === ' ') return
      // What the font lacks is a full box, so that nothing that was typed is invisible.
      const rows = glyphOf(character) ?? '77777'
      for (let row = 0; row < 5; row += 1)
        for (let column = 0; column < 3; column += 1)
          if ((Number(rows[row]) >> (2 - column)) & 1) fill(x + (at * 4 + column) * dot, y + row * dot, dot, dot, value)
    })
  }
  function draw() {
    const now = clock.now()
    const ticks = Math.floor(now.getTime() / tick_ms)
    fill(0, 0, width, height, app === 'OFF' ? 0 : colour.ground)
    if (app !== 'OFF') {
      fill(0, 0, width, 40, colour.bar)
      write(16, 12, 3, sn, colour.ink)
      write(width - 120, 12, 3, `VOL ${volume}`, colour.dim)
      write(24, 70, 9, now.toISOString().slice(11, 19), colour.ink)
      write(24, 136, 3, now.toISOString().slice(0, 10), colour.dim)
      write(24, 170, 5, app, accent)
      write(24, 210, 3, `${ticks % 10_000}`.padStart(4, '0'), colour.dim)
      fill(120 + ((ticks * 8) % Math.max(1, width - 184)), 208, 40, 20, accent)
      const columns = Math.floor((width - 48) / 16)
      const lines = typed.split('\n').flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [''])
      lines.slice(-12).forEach((line, at) => write(24, 260 + at * 26, 4, line, colour.ink))
      if (clipboard !== '')
        write(24, height - navigation_height - 30, 3, `CLIPBOARD ${clipboard.slice(0, 24)}`, colour.dim)
      fill(0, height - navigation_height, width, navigation_height, colour.bar)
      for (const [at, label] of ['BACK', 'HOME', 'MENU'].entries())
        write(Math.round((width * (at + 0.5)) / 3) - 30, height - 40, 4, label, colour.ink)
    }
    if (touch) fill(touch.x - 6, touch.y - 6, 12, 12, touch.is_down ? colour.mark : colour.touch)
    if (viewers.length > 0) {
      for (const [x, y, wide, high] of [
        [0, 0, width, 6],
        [0, height - 6, width, 6],
        [0, 0, 6, height],
        [width - 6, 0, 6, height],
        [0, 40, width, 22],
      ] as const)
        fill(x, y, wide, high, colour.mark)
      write(12, 44, 3, viewers.join(' ').slice(0, 36), 0xffffff)
    }
    tellChanges()
  }
  function tellChanges() {
    const parts: Rectangle[] = []
    for (let y = 0; y < height; y += tile)
      for (let x = 0; x < width; x += tile) {
        const wide = Math.min(tile, width - x)
        const high = Math.min(tile, height - y)
        let has_changed = false
        for (let row = y; row < y + high; row += 1) {
          const from = row * width + x
          for (let at = from; at < from + wide; at += 1)
            if (pixels[at] !== next[at]) {
              has_changed = true
              pixels[at] = next[at]!
            }
        }
        if (has_changed) parts.push({ x, y, width: wide, height: high })
      }
    if (parts.length > 0) for (const watcher of watchers) watcher.changed(parts)
  }
  function tick() {
    draw()
    stopTicking = clock.after(tick_ms, tick)
  }
  /** Nobody pays for a picture that nobody sees. */
  const redraw = () => void (watchers.size > 0 && draw())
  const type = (text: string) => {
    typed = `${typed}${text}`.slice(-most_typed)
    app = app === 'OFF' ? 'HOME' : app
  }
  function press(key: Key) {
    if (key === 'power') app = app === 'OFF' ? 'HOME' : 'OFF'
    else if (key === 'volume_up') volume = Math.min(15, volume + 1)
    else if (key === 'volume_down') volume = Math.max(0, volume - 1)
    else app = { home: 'HOME', back: 'HOME', menu: 'MENU', recents: 'RECENTS' }[key]
    redraw()
  }

  return {
    name: sn,
    press,
    get width() {
      return width
    },
    get height() {
      return height
    },
    get pixels() {
      return pixels
    },
    get typed() {
      return typed
    },
    get clipboard() {
      return clipboard
    },
    get app() {
      return app
    },
    get viewers() {
      return viewers
    },
    set viewers(names) {
      viewers = names
      redraw()
    },
    watch(watcher) {
      if (watchers.size === 0) tick()
      watchers.add(watcher)
      return () => {
        if (watchers.delete(watcher) && watchers.size === 0) stopTicking()
      }
    },
    key(keysym, is_down) {
      if (is_control(keysym)) is_control_down = is_down
      if (!is_down) return
      const known = special[keysym]
      const character = characterOf(keysym)
      if (known) press(known)
      else if (keysym === 0xff08) typed = [...typed].slice(0, -1).join('')
      else if (is_control_down && character?.toLowerCase() === 'c') {
        clipboard = typed
        for (const watcher of watchers) watcher.copied(clipboard)
      } else if (is_control_down && character?.toLowerCase() === 'v') type(clipboard)
      else if (character !== undefined && !is_control_down) type(character)
      redraw()
    },
    pointer(x, y, buttons) {
      const was_down = touch?.is_down === true
      touch = { x, y, is_down: buttons !== 0 }
      if (touch.is_down && !was_down && y >= height - navigation_height)
        press((['back', 'home', 'menu'] as const)[Math.min(2, Math.floor((x * 3) / width))]!)
      redraw()
    },
    paste(text) {
      clipboard = text.slice(0, most_typed)
      redraw()
    },
    rotate() {
      ;[width, height] = [height, width]
      pixels = new Uint32Array(width * height)
      next = new Uint32Array(width * height)
      for (const watcher of [...watchers]) watcher.resized()
      redraw()
    },
  }
}
