import { pushSentence } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import i18next from 'i18next'
import { link } from '../../core/links.ts'
import { notify } from '../../core/notices.ts'
import { sessionState } from '../../core/session-store.ts'
import { zoneOf } from '../../core/session.tsx'

/** Says what was pushed to whom, with a link to the page of the task. Needs the catalogue 'push'. */
export function announcePush(row: PushTaskRow): void {
  const { kid, phase, left_out, start_at } = row
  const { language, session } = sessionState()
  const t = i18next.getFixedT(language, 'push')
  const said = phase === 'awaiting_approval' || (phase === 'planned' && start_at) ? phase : 'running'
  const sentences = [
    t(`announced.${said}`, { push: pushSentence(row, { language, zone: zoneOf(session) }) }),
    ...(left_out > 0 ? [t('announced.left_out', { count: left_out })] : []),
  ]
  notify.ok(sentences.join(language === 'zh-cn' ? '' : ' '), {
    to: link.pushTaskDetail.to({ kid }),
    text: t('announced.open'),
  })
}
