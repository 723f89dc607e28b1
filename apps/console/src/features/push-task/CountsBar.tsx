import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { To } from 'react-router'
import type { PushTaskRow, PushTaskType } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { useCount } from '../../ui/value/format.ts'
import './counts.css'

type Counts = PushTaskRow['counts']
const parts = ['completed', 'failed', 'canceled', 'running', 'wait_receipt'] as const
export type CountsPart = (typeof parts)[number]

/** How far a push is over all of its devices: one part of the bar for each state, and the ended of all in numbers. */
type Props = {
  counts: Counts
  type: PushTaskType
  /** Also in words, each of which leads to its devices. */
  linkTo?: (part: CountsPart) => To
}
export function CountsBar({ counts, type, linkTo }: Props) {
  const { t } = useTranslation('push')
  const format = useCount()
  const ended = counts.completed + counts.failed + counts.canceled
  const there = parts.filter((part) => counts[part] > 0)
  const labelOf = (part: (typeof parts)[number]) =>
    t(`part.${part === 'completed' && type === 'message' ? 'read' : part}`, {
      count: counts[part],
      shown: format(counts[part]),
    })
  const title = listText(there.map(labelOf))
  return (
    <span className="counts" data-large={linkTo !== undefined || undefined}>
      <span className="counts-frame">
        <span
          role="progressbar"
          className="counts-bar"
          title={linkTo ? undefined : title}
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={counts.total}
          aria-valuenow={ended}
        >
          {there.map((part) => (
            <i key={part} data-part={part} style={{ flexGrow: counts[part] }} />
          ))}
        </span>
        {linkTo && (
          // Over the bar, for a pointer: what is read of a progress bar has no links in it, the legend says the same.
          <span className="counts-bar counts-links" aria-hidden>
            {there.map((part) => (
              <Link
                key={part}
                style={{ flexGrow: counts[part] }}
                to={linkTo(part)}
                title={labelOf(part)}
                tabIndex={-1}
                preventScrollReset
              />
            ))}
          </span>
        )}
      </span>
      {linkTo ? (
        <span className="counts-legend">
          {there.map((part) => (
            <Link key={part} to={linkTo(part)} preventScrollReset>
              <i data-part={part} aria-hidden /> {labelOf(part)}
            </Link>
          ))}
        </span>
      ) : (
        <>
          <span className="number dim">
            {format(ended)} / {format(counts.total)}
          </span>
          {counts.failed > 0 && <span className="counts-failed">{labelOf('failed')}</span>}
        </>
      )}
    </span>
  )
}
