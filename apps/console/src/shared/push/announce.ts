import { pushTitles } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import i18next from 'i18next'
import { link } from '../../core/links.ts'
import { notify } from '../../core/notices.ts'
import { sessionState } from '../../core/session-store.ts'
import { zoneOf } from '../../core/session.tsx'
import { dateParts } from '../../ui/value/format.ts'

type Made = Pick<PushTaskRow, 'kid' | 'type' | 'phase' | 'target_count' | 'left_out' | 'start_at'>

/** Says what was pushed to how many, with a link to the page of the task. Needs the catalogue 'push'. */
export function announcePush({ kid, type, phase, target_count, left_out, start_at }: Made): void {
  const { language, session } = sessionState()
  const t = i18next.getFixedT(language, 'push')
  const what = pushTitles[type][language]
  const zone = zoneOf(session)
  const said = phase === 'awaiting_approval' || (phase === 'planned' && start_at) ? phase : 'running'
  const at = start_at ? dateParts(start_at, zone).join(' ') : ''
  const sentences = [
    t(`announced.${said}`, { what, at, count: target_count }),
    ...(left_out > 0 ? [t('announced.left_out', { count: left_out })] : []),
  ]
  notify.ok(sentences.join(language === 'zh-cn' ? '' : ' '), {
    to: link.pushTaskDetail.to({ kid }),
    text: t('announced.open'),
  })
}
