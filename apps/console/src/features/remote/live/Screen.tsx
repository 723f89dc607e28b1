import { useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react'
import type { KeyboardEvent, Ref } from 'react'
import { askForPixel, levels, Picture } from '../picture.ts'
import type { Quality } from '../picture.ts'
import type { TunnelChannel } from './channel.ts'
import type { RemoteConnection } from './connection.ts'
import { keysymsOf } from './keysyms.ts'

export type Look = { is_fit: boolean; quality: Quality; view_only: boolean }
export type ScreenHandle = {
  focus: () => void
  /** Types a text, key by key. Resolves when the last one is on its way. */
  type: (text: string) => Promise<void>
  paste: (text: string) => void
  toBlob: () => Promise<Blob | null>
}
type Props = {
  ref: Ref<ScreenHandle>
  label: string
  connection: RemoteConnection
  channel: TunnelChannel | null
  look: Look
  onClipboard: (text: string) => void
  /** The person wants the keyboard back. */
  onLeave: () => void
}

const heartbeat_ms = 3_000
/** An X server gives a key to each letter that the keyboard of the device has not: programs must have read that before it is pressed. */
const rare_key_ms = 30
const modifiers = [
  [0xff_e3, 'ControlLeft'],
  [0xff_e4, 'ControlRight'],
  [0xff_e9, 'AltLeft'],
  [0xff_ea, 'AltRight'],
  [0xff_e1, 'ShiftLeft'],
  [0xff_e2, 'ShiftRight'],
] as const

/** The screen of a device. Its last picture stays while it is away. */
export default function Screen({ ref, label, connection, channel, look, onClipboard, onLeave }: Props) {
  const target = useRef<HTMLDivElement>(null)
  const kept = useRef<HTMLCanvasElement>(null)
  const picture = useRef<Picture | null>(null)
  const apply = useEffectEvent((shown: Picture) => {
    shown.viewOnly = look.view_only
    shown.scaleViewport = look.is_fit
    Object.assign(shown, levels[look.quality])
  })
  const copied = useEffectEvent(onClipboard)
  useEffect(() => {
    const place = target.current
    if (!channel || !place) return
    const shown = new Picture(place, channel, { shared: true })
    let beat: ReturnType<typeof setInterval> | undefined
    let is_over = false
    channel.beforeClose = () => keep(place, kept.current)
    shown.background = 'transparent'
    apply(shown)
    const canvas = place.querySelector('canvas')
    canvas?.setAttribute('role', 'application')
    canvas?.setAttribute('aria-label', label)
    canvas?.setAttribute('tabindex', '0')
    shown.addEventListener('connect', () => {
      channel.note({ quality: look.quality })
      beat = setInterval(() => channel.send(askForPixel()), heartbeat_ms)
    })
    shown.addEventListener('picture', () => {
      forget(kept.current)
      connection.seen()
    })
    shown.addEventListener('clipboard', ({ detail }) => copied(detail.text))
    shown.addEventListener('disconnect', () => void (is_over = true))
    picture.current = shown
    channel.begin()
    return () => {
      clearInterval(beat)
      picture.current = null
      if (!is_over) shown.disconnect()
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- how it looks is applied below
  }, [channel, connection])
  useEffect(() => {
    if (picture.current) apply(picture.current)
  }, [look])
  useEffect(() => channel?.note({ quality: look.quality }), [channel, look.quality])

  useImperativeHandle(ref, () => ({
    focus: () => picture.current?.focus(),
    async type(text) {
      for (const keysym of keysymsOf(text)) {
        picture.current?.sendKey(keysym, null)
        await new Promise((resolve) => setTimeout(resolve, keysym > 0xff_ff ? rare_key_ms : 0))
      }
    },
    paste: (text) => picture.current?.clipboardPasteFrom(text),
    toBlob: () =>
      new Promise((resolve) => (picture.current ? picture.current.toBlob(resolve, 'image/png') : resolve(null))),
  }))

  const leave = (event: KeyboardEvent) => {
    // AltGr is Ctrl and Alt on some systems, and writes letters.
    if (!event.ctrlKey || !event.altKey || !event.shiftKey || event.getModifierState('AltGraph')) return
    event.preventDefault()
    event.stopPropagation()
    // Their going up will be heard by the page.
    for (const [keysym, code] of modifiers) picture.current?.sendKey(keysym, code, false)
    picture.current?.blur()
    onLeave()
  }
  return (
    <>
      <canvas ref={kept} className="remote-kept" width={0} height={0} aria-hidden />
      <div ref={target} className="remote-picture" onKeyDownCapture={leave} />
    </>
  )
}

function keep(place: Element, onto: HTMLCanvasElement | null): void {
  const from = place.querySelector('canvas')
  if (!from || !onto || from.width === 0 || from.height === 0) return
  onto.width = from.width
  onto.height = from.height
  onto.getContext('2d')?.drawImage(from, 0, 0)
}
function forget(onto: HTMLCanvasElement | null): void {
  if (onto && onto.width > 0) onto.width = 0
}
