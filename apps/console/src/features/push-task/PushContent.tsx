import { pushTitles } from '@mdm/contract'
import type { PushTaskType } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'

type Props = { row: { type: PushTaskType; summary: string; description: string } }

/** What a push does, and below it with what. */
export function PushContent({ row: { type, summary, description } }: Props) {
  const textOf = useTextOf()
  return (
    <span className="push-cell">
      <span>{textOf(pushTitles[type])}</span>
      {(summary || description) && (
        <span className="dim" title={[summary, description].filter(Boolean).join('\n')}>
          {summary || description}
        </span>
      )}
    </span>
  )
}
