import { Picture } from '../picture.ts'
import { makeTerminal } from '../term.ts'
import { dueBy, parseCast, parseFbs } from './recording.ts'
import type { CastEvent, Recording } from './recording.ts'

/** Something that was recorded, ready to be shown at any moment of it. */
export type Show = {
  kind: 'desktop' | 'terminal'
  duration_ms: number
  open: (place: HTMLElement) => void
  /** Goes on to that moment; back to one that is past by beginning anew. */
  goTo: (at_ms: number) => Promise<void>
  close: () => void
}
/** What pieces are given to, in their order. */
type Stage<T> = { put: (piece: T) => Promise<void> | void; close: () => void }

function showOf<T>(
  kind: Show['kind'],
  { pieces, duration_ms }: Recording<T>,
  stageOn: (place: HTMLElement) => Stage<T>,
): Show {
  let place: HTMLElement | null = null
  let stage: Stage<T> | null = null
  let done = 0
  let wanted = 0
  let is_going = false
  const again = () => {
    stage?.close()
    stage = place && stageOn(place)
    done = 0
  }
  return {
    kind,
    duration_ms,
    open(where) {
      place = where
      again()
    },
    async goTo(at_ms) {
      wanted = dueBy(pieces, at_ms)
      // Whoever goes on already sees what is wanted by now.
      if (is_going) return
      is_going = true
      try {
        while (place && done !== wanted) {
          if (done > wanted) again()
          const piece = pieces[done]
          if (!piece) break
          // Counted first: whoever begins anew meanwhile begins at the first.
          done += 1
          await stage?.put(piece.data)
        }
      } finally {
        is_going = false
      }
    },
    close() {
      stage?.close()
      stage = place = null
    },
  }
}

/** @throws UnreadableRecording */
export const fbsShow = (bytes: Uint8Array<ArrayBuffer>): Show => showOf('desktop', parseFbs(bytes), screenStage)
/** @throws UnreadableRecording */
export function castShow(text: string): Show {
  const { columns, rows, ...recording } = parseCast(text)
  return showOf('terminal', recording, (place) => terminalStage(place, columns, rows))
}

/** The shape of a WebSocket to which nothing is sent: what a viewer answers is not heard by a recording. */
class PastChannel {
  binaryType = 'arraybuffer'
  protocol = ''
  readyState: number = WebSocket.OPEN
  onopen: (() => void) | null = null
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null
  onerror: (() => void) | null = null
  onclose: ((event: object) => void) | null = null
  send(): void {}
  close(): void {
    this.readyState = WebSocket.CLOSED
    queueMicrotask(() => this.onclose?.({}))
  }
}

function screenStage(place: HTMLElement): Stage<Uint8Array<ArrayBuffer>> {
  const channel = new PastChannel()
  const picture = new Picture(place, channel)
  picture.viewOnly = true
  picture.scaleViewport = true
  picture.background = 'transparent'
  let is_over = false
  picture.addEventListener('disconnect', () => void (is_over = true))
  return {
    async put(piece) {
      if (is_over) return
      channel.onmessage?.({ data: piece.slice().buffer })
      // Pictures are decoded beside this: what waits for them must not pile up.
      await picture.drawn()
    },
    close() {
      if (!is_over) picture.disconnect()
    },
  }
}

function terminalStage(place: HTMLElement, columns: number, rows: number): Stage<CastEvent> {
  const { terminal, open } = makeTerminal({ is_read_only: true, columns, rows, label: '' })
  open(place)
  return {
    put: (event) =>
      'output' in event
        ? new Promise((resolve) => terminal.write(event.output, resolve))
        : terminal.resize(event.columns, event.rows),
    close: () => terminal.dispose(),
  }
}
