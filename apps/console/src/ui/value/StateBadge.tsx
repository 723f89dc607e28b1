import {
  CheckOutlined,
  ClockCircleOutlined,
  CloseOutlined,
  LoadingOutlined,
  MinusOutlined,
  WarningOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'
import { Since } from './values.tsx'

export type Tone = 'good' | 'bad' | 'warn' | 'moving' | 'waiting' | 'quiet' | 'accent'
const icons: Record<Tone, ReactNode> = {
  good: <CheckOutlined aria-hidden />,
  bad: <CloseOutlined aria-hidden />,
  warn: <WarningOutlined aria-hidden />,
  moving: <LoadingOutlined aria-hidden spin />,
  // Nothing is being done; somebody else has to come first.
  waiting: <ClockCircleOutlined aria-hidden />,
  quiet: <MinusOutlined aria-hidden />,
  accent: null,
}
type Props = {
  tone: Tone
  /** The state's name in the person's language. */
  children: ReactNode
  /** How long it has been so. */
  since?: string | null
  icon?: ReactNode
  title?: string
}

/** A state: a word, an icon, and how long it has been so. Colour alone never says it. */
export function StateBadge({ tone, children, since, icon = icons[tone], title }: Props) {
  return (
    <span className="state" data-tone={tone} title={title}>
      <span className="state-badge">
        {/* An empty one would take the line of the words. */}
        {icon && <span aria-hidden>{icon}</span>}
        {children}
      </span>
      {since && <Since at={since} />}
    </span>
  )
}

/** Online or not: a dot that is full or hollow, the word, and since when. */
export function OnlineBadge({ is_online, since, label }: { is_online: boolean; since?: string | null; label: string }) {
  return (
    <StateBadge tone={is_online ? 'good' : 'quiet'} since={since} icon={<i className="dot" data-on={is_online} />}>
      {label}
    </StateBadge>
  )
}
