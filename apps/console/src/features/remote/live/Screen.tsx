import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react'
import type { KeyboardEvent, Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { askForPixel, levels, Picture } from '../picture.ts'
import type { Quality } from '../picture.ts'
import { isOnItsSide, oneFurther } from '../turn.ts'
import type { Quarters } from '../turn.ts'
import type { TunnelChannel } from './channel.ts'
import type { RemoteConnection } from './connection.ts'
import { keysymOf, keysymsOf } from './keysyms.ts'
import type { LinkMeter } from './link-meter.ts'
import { copyOfKey, listenToField } from './typing-field.ts'
import { isRareKey, Typist } from './typist.ts'

export type Look = { is_fit: boolean; quality: Quality; view_only: boolean }
export type ScreenHandle = {
  focus: () => void
  /** As `focus`, and a tablet shows its keyboard on the glass. */
  showKeyboard: () => void
  /** Types a text, key by key. Resolves when the last one is on its way. */
  type: (text: string) => Promise<void>
  paste: (text: string) => void
  /** Lays the display the other way; where that is not to be had, turns the picture on this side alone. */
  rotate: () => void
  toBlob: () => Promise<Blob | null>
}
type Props = {
  ref: Ref<ScreenHandle>
  /** Of the device. */
  name: string
  connection: RemoteConnection
  channel: TunnelChannel | null
  look: Look
  meter: LinkMeter
  onClipboard: (text: string) => void
  /** The person wants the keyboard back. */
  onLeave: () => void
}

const heartbeat_ms = 3_000
/** A display that takes another shape has it by then. */
const other_shape_ms = 2_500
const modifiers = [
  [0xff_e3, 'ControlLeft'],
  [0xff_e4, 'ControlRight'],
  [0xff_e9, 'AltLeft'],
  [0xff_ea, 'AltRight'],
  [0xff_e1, 'ShiftLeft'],
  [0xff_e2, 'ShiftRight'],
] as const

/** The screen of a device. Its last picture stays while it is away. */
export default function Screen({ ref, name, connection, channel, look, meter, onClipboard, onLeave }: Props) {
  const { t } = useTranslation('remote')
  const target = useRef<HTMLDivElement>(null)
  const kept = useRef<HTMLCanvasElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const picture = useRef<Picture | null>(null)
  const [typist] = useState(() => new Typist())
  const [is_composing, setComposing] = useState(false)
  const [connected, setConnected] = useState<typeof channel>(null)
  const apply = useEffectEvent((shown: Picture) => {
    shown.viewOnly = look.view_only
    shown.scaleViewport = look.is_fit
    shown.quarters = quarters.current
    Object.assign(shown, levels[look.quality])
  })
  const copied = useEffectEvent(onClipboard)
  const quarters = useRef<Quarters>(0)
  const turn = () => {
    quarters.current = oneFurther(quarters.current)
    if (picture.current) picture.current.quarters = quarters.current
  }
  const label = t('screen_of', { name })
  useEffect(() => {
    const place = target.current
    if (!channel || !place) return
    const shown = new Picture(place, channel, { shared: true })
    let beat: ReturnType<typeof setInterval> | undefined
    let is_over = false
    meter.begin()
    channel.measure = (bytes, read) => {
      meter.arrived(bytes, performance.now())
      read()
      meter.read(shown.isUnderWay)
    }
    channel.beforeClose = () => keep(place, kept.current, quarters.current)
    shown.background = 'transparent'
    apply(shown)
    const canvas = place.querySelector('canvas')
    canvas?.setAttribute('role', 'img')
    canvas?.setAttribute('aria-label', label)
    // The keyboard is the field's, which input methods write into.
    canvas?.removeAttribute('tabindex')
    shown.focusOnClick = false
    shown.addEventListener('connect', () => {
      setConnected(channel)
      beat = setInterval(() => {
        meter.beat(performance.now())
        channel.send(askForPixel())
      }, heartbeat_ms)
    })
    shown.addEventListener('picture', ({ detail }) => {
      meter.pictureEnded()
      if (detail.has_corner) meter.answered(performance.now())
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
  // A device can be asked from the moment at which its pictures come.
  useEffect(() => connected?.note({ quality: look.quality }), [connected, look.quality])

  const type = async (text: string) => {
    for (const keysym of keysymsOf(text))
      void typist.do(() => picture.current?.sendKey(keysym, null), isRareKey(keysym))
    await typist.do(() => undefined, true)
  }
  const typed = useEffectEvent((strokes: string) => void type(strokes))
  useEffect(
    () =>
      field.current
        ? listenToField(field.current, {
            key: (event) => {
              const copy = copyOfKey(event)
              const keysym = event.type === 'keydown' ? keysymOf(event.key) : undefined
              void typist.do(
                () => void target.current?.querySelector('canvas')?.dispatchEvent(copy),
                keysym !== undefined && [...event.key].length === 1 && isRareKey(keysym),
              )
            },
            text: typed,
            composing: setComposing,
          })
        : undefined,
    [typist],
  )
  /** By a mouse the keyboard is there anyway; a finger asks for it apart, as the one on the glass hides half of the picture. */
  const focus = (mode: 'text' | 'none') => {
    if (!field.current) return
    field.current.inputMode = mode
    field.current.focus({ preventScroll: true })
  }

  useImperativeHandle(ref, () => ({
    focus: () => focus('text'),
    showKeyboard: () => {
      // One that is shown already for nothing is shown only after it was away.
      field.current?.blur()
      focus('text')
    },
    type,
    paste: (text) => picture.current?.clipboardPasteFrom(text),
    rotate() {
      const shown = picture.current
      if (!shown || !channel) return
      if (look.view_only || quarters.current !== 0) return turn()
      const { shape } = shown
      const message = shown.otherShape()
      if (message) channel.send(message)
      else channel.note({ rotate: true })
      setTimeout(() => picture.current === shown && shown.shape === shape && turn(), other_shape_ms)
    },
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
    field.current?.blur()
    onLeave()
  }
  return (
    <>
      <canvas ref={kept} className="remote-kept" width={0} height={0} aria-hidden />
      <div
        ref={target}
        className="remote-picture"
        onPointerDownCapture={({ pointerType }) => {
          if (pointerType !== 'touch') focus('text')
          else if (document.activeElement !== field.current) focus('none')
        }}
        // Beside the picture a press would take the keyboard away again.
        onMouseDown={(event) => event.preventDefault()}
      />
      <textarea
        ref={field}
        className="remote-field"
        aria-label={t('keyboard_of', { name })}
        data-composing={is_composing || undefined}
        readOnly={look.view_only}
        rows={1}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        onKeyDownCapture={leave}
      />
    </>
  )
}

function keep(place: Element, onto: HTMLCanvasElement | null, quarters: Quarters): void {
  const from = place.querySelector('canvas')
  if (!from || !onto || from.width === 0 || from.height === 0) return
  const [width, height] = isOnItsSide(quarters) ? [from.height, from.width] : [from.width, from.height]
  Object.assign(onto, { width, height })
  const pen = onto.getContext('2d')
  pen?.translate(width / 2, height / 2)
  pen?.rotate((quarters * Math.PI) / 2)
  pen?.drawImage(from, -from.width / 2, -from.height / 2)
}
function forget(onto: HTMLCanvasElement | null): void {
  if (onto && onto.width > 0) onto.width = 0
}
