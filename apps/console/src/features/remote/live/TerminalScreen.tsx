import { useEffect, useEffectEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { makeTerminal } from '../term.ts'
import type { TunnelChannel } from './channel.ts'

type Props = { label: string; channel: TunnelChannel | null; onLeave: () => void }
type Shown = ReturnType<typeof makeTerminal>

/** A shell of the device. What it wrote stays on screen while it is away. */
export default function TerminalScreen({ label, channel, onLeave }: Props) {
  const { t } = useTranslation('remote')
  const place = useRef<HTMLDivElement>(null)
  const shown = useRef<Shown | null>(null)
  const is_again = useRef(false)
  const leave = useEffectEvent(onLeave)
  useEffect(() => {
    if (!place.current) return
    const made = makeTerminal({ label })
    made.open(place.current)
    made.terminal.attachCustomKeyEventHandler((event) => {
      if (!event.ctrlKey || !event.altKey || !event.shiftKey || event.getModifierState('AltGraph')) return true
      if (event.type === 'keydown') leave()
      return false
    })
    made.fit.fit()
    made.terminal.focus()
    const observer = new ResizeObserver(() => made.fit.fit())
    observer.observe(place.current)
    shown.current = made
    return () => {
      observer.disconnect()
      made.terminal.dispose()
      shown.current = null
    }
  }, [label])
  const again = t('terminal.again')
  useEffect(() => {
    const terminal = shown.current?.terminal
    if (!channel || !terminal) return
    const encoder = new TextEncoder()
    if (is_again.current) terminal.write(`\r\n\u001B[2m${again}\u001B[0m\r\n`)
    is_again.current = true
    channel.onmessage = ({ data }) => terminal.write(new Uint8Array(data))
    const tellSize = () =>
      channel.note({ resize: { columns: clamp(terminal.cols, 500), rows: clamp(terminal.rows, 300) } })
    channel.onopen = tellSize
    if (channel.readyState === WebSocket.OPEN) tellSize()
    const typed = terminal.onData((text) => channel.send(encoder.encode(text)))
    const pointed = terminal.onBinary((text) => channel.send(Uint8Array.from(text, (letter) => letter.charCodeAt(0))))
    const resized = terminal.onResize(tellSize)
    channel.begin()
    return () => {
      channel.onmessage = null
      for (const each of [typed, pointed, resized]) each.dispose()
    }
  }, [channel, again, label])
  // What is typed is the device's: the page must not hear its own keys in it.
  return <div ref={place} className="remote-terminal" onKeyDown={(event) => event.nativeEvent.stopPropagation()} />
}

const clamp = (size: number, most: number): number => Math.min(most, Math.max(2, size))
