import { holds, pages, pushSentence } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { publicUrl } from '../../../addresses.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { isLimited, permissionsHeldBy } from '../../../http/session-row.ts'
import { takeSharedTry } from '../../../lib/rate-limit.ts'
import { Refusal } from '../../../refusal.ts'
import { queueMail } from '../../people/mail/index.ts'
import { factsOfTask } from '../../push/push-task/index.ts'

type Task = Selectable<Tables['push_task']>
type Approver = { email: string; language: Language | null; zone_id: string | null; permissions: string[] }

/** Pushes of one account that people are asked about by mail within an hour: somebody who pushes in a loop floods nobody. */
const limit = { limit: 30, per_ms: 3_600_000 }
const most_approvers = 20

/** A mail to everybody of the account who may approve the push, in their language. The person who made it may not. */
export async function askApprovers(deps: Deps, task: Task): Promise<void> {
  if (deps.config.smtp === null || !(await mayAsk(deps, task.account_kid))) return
  // Who is limited to device groups may not see all devices of the push.
  const { rows } = await sql<Approver>`
    SELECT u.email, u.language, u.zone_id, ${permissionsHeldBy('u')} AS permissions FROM user_account u
    WHERE u.account_kid = ${task.account_kid} AND u.kid <> ${task.created_by_kid} AND u.status <> 'invalid'
      AND u.email IS NOT NULL AND NOT ${isLimited('u')}
    ORDER BY u.last_use_at DESC NULLS LAST, u.kid`.execute(deps.db)
  const approvers = rows.filter(({ permissions }) => holds(permissions, 'pushTaskList:approve'))
  const url = `${publicUrl(deps)}${pages.pushTaskDetail.path}?${new URLSearchParams({ kid: task.kid })}`
  const facts = factsOfTask(task)
  for (const { email, zone_id, ...approver } of approvers.slice(0, most_approvers)) {
    const language = approver.language ?? deps.config.default_language ?? 'en'
    const sentence = pushSentence(facts, { language, zone: zone_id ?? 'UTC' })
    await queueMail(deps.db, deps, {
      kind: 'approval',
      account_kid: task.account_kid,
      address: email,
      ...mailOf(language, sentence, task.created_by, url),
    })
  }
}

const mayAsk = (deps: Deps, account_kid: string): Promise<boolean> =>
  takeSharedTry(deps, 'mails to approvers', limit, account_kid).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false
      throw error
    },
  )

type Words = {
  subject: (what: string) => string
  lead: (who: string) => string
  open: string
  why: string
}
const words: Record<Language, Words> = {
  en: {
    subject: (what) => `Approval needed: ${what}`,
    lead: (who) => `A push of ${who} waits for a second person.`,
    open: 'Look at it, then approve or reject it',
    why: 'You get this e-mail because you may approve pushes of others.',
  },
  vi: {
    subject: (what) => `Cần phê duyệt: ${what}`,
    lead: (who) => `Lượt đẩy của ${who} đang chờ người thứ hai.`,
    open: 'Xem rồi phê duyệt hoặc từ chối',
    why: 'Bạn nhận được email này vì bạn có quyền phê duyệt lượt đẩy của người khác.',
  },
  'zh-cn': {
    subject: (what) => `需要批准：${what}`,
    lead: (who) => `${who} 的推送正在等待第二人批准。`,
    open: '请查看后批准或拒绝',
    why: '您收到此邮件，是因为您可以批准他人的推送。',
  },
}

function mailOf(language: Language, sentence: string, created_by: string, url: string) {
  const { subject, lead, open, why } = words[language]
  return {
    // It is one line, whatever a file is called.
    subject: subject(sentence.replaceAll(/\s+/g, ' ').slice(0, 200)),
    body: [lead(created_by), sentence, '', `${open}: ${url}`, '', why].join('\n'),
  }
}
