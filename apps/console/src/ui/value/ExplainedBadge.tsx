import { Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { StateBadge } from './StateBadge.tsx'
import type { Tone } from './StateBadge.tsx'

/** A state in a word, and why it is so for who points at it or comes by with the keyboard. */
export function ExplainedBadge({ tone, why, children }: { tone: Tone; why: string; children: ReactNode }) {
  return (
    <Tooltip title={why} trigger={['hover', 'focus']}>
      <span tabIndex={0}>
        <StateBadge tone={tone}>{children}</StateBadge>
      </span>
    </Tooltip>
  )
}
