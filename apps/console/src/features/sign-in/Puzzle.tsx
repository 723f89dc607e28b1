import { useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { api } from '../../core/api.ts'
import type { Out, Sent } from '@mdm/contract'

type PuzzleData = Out<typeof api.login.puzzle>
export type Answer = Pick<Sent<typeof api.login.check_puzzle>, 'x' | 'track'>
type Props = { puzzle: PuzzleData; is_busy: boolean; onAnswer: (answer: Answer) => void; onAnother: () => void }

/**
 * The slider: by mouse, by finger, and by arrow keys with Enter. It answers in pixels of the picture, whatever size
 * it is shown in, with the track of the whole movement.
 */
export function Puzzle({ puzzle, is_busy, onAnswer, onAnother }: Props) {
  const { t } = useTranslation('sign-in')
  const [x, setX] = useState(0)
  const track = useRef<{ x: number; t: number }[]>([])
  const began = useRef(0)
  const grip = useRef<{ pointer: number; from: number; at: number } | null>(null)
  const field = useRef<HTMLDivElement>(null)
  const most = puzzle.width - puzzle.piece_size

  const begin = () => {
    began.current = performance.now()
    track.current = [{ x, t: 0 }]
  }
  const moveTo = (wanted: number) => {
    const next = Math.max(0, Math.min(most, wanted))
    setX(next)
    if (track.current.length < 2000) track.current.push({ x: next, t: Math.round(performance.now() - began.current) })
    return next
  }
  const finish = () => {
    // The end may rest for a while; the server measures the whole time.
    track.current.push({ x, t: Math.round(performance.now() - began.current) })
    onAnswer({ x, track: track.current })
  }

  const down = (event: PointerEvent) => {
    if (is_busy || event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    grip.current = { pointer: event.pointerId, from: event.clientX, at: x }
    begin()
  }
  const drag = (event: PointerEvent) => {
    if (grip.current?.pointer !== event.pointerId) return
    const scale = puzzle.width / (field.current?.clientWidth || puzzle.width)
    moveTo(grip.current.at + (event.clientX - grip.current.from) * scale)
  }
  const up = (event: PointerEvent) => {
    if (grip.current?.pointer !== event.pointerId) return
    grip.current = null
    if (track.current.length > 1) finish()
  }
  const press = (event: KeyboardEvent) => {
    if (is_busy) return
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key]
    if (by !== undefined) {
      event.preventDefault()
      if (track.current.length === 0) begin()
      moveTo(x + by * (event.shiftKey ? 10 : event.repeat ? 4 : 2))
    } else if (event.key === 'Enter' && track.current.length > 1) {
      event.preventDefault()
      finish()
    }
  }
  const share = most > 0 ? x / most : 0
  return (
    <div className="puzzle" aria-busy={is_busy}>
      <div className="puzzle-picture" ref={field} style={{ aspectRatio: `${puzzle.width} / ${puzzle.height}` }}>
        <img src={puzzle.image} alt={t('puzzle_alt')} draggable={false} />
        <img
          className="puzzle-piece"
          src={puzzle.piece}
          alt=""
          draggable={false}
          style={{
            left: `${(x / puzzle.width) * 100}%`,
            top: `${(puzzle.piece_y / puzzle.height) * 100}%`,
            width: `${(puzzle.piece_size / puzzle.width) * 100}%`,
          }}
        />
        <button type="button" className="icon-button puzzle-again" aria-label={t('puzzle_again')} onClick={onAnother}>
          ↻
        </button>
      </div>
      <div className="puzzle-slider" style={{ '--share': share } as React.CSSProperties}>
        <span className="puzzle-hint" aria-hidden>
          {share === 0 && t('puzzle_hint')}
        </span>
        <div
          className="puzzle-knob"
          role="slider"
          tabIndex={0}
          aria-label={t('puzzle_keys')}
          aria-valuemin={0}
          aria-valuemax={most}
          aria-valuenow={Math.round(x)}
          aria-disabled={is_busy}
          onPointerDown={down}
          onPointerMove={drag}
          onPointerUp={up}
          onPointerCancel={up}
          onKeyDown={press}
        >
          <span aria-hidden>→</span>
        </div>
      </div>
    </div>
  )
}
