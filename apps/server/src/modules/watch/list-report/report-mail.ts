import { pageList, pages, reportLimits } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import type { Selectable } from 'kysely'
import { publicUrl } from '../../../addresses.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'

type Row = Pick<Selectable<Tables['list_report']>, 'name' | 'language' | 'request' | 'account_kid'>
type Words = {
  subject: (name: string) => string
  attached: (name: string, rows: number) => string
  too_large: (name: string, mib: number) => string
  list: string
  manage: string
  why: string
}
const words: Record<Language, Words> = {
  en: {
    subject: (name) => `Report: ${name}`,
    attached: (name, rows) => `The report “${name}” is attached. Rows: ${rows}.`,
    too_large: (name, mib) =>
      `The report “${name}” is larger than ${mib} MiB and is not attached. Open the list and export it there.`,
    list: 'The list',
    manage: 'Pause or delete the report',
    why: 'You get this e-mail because you set up this report.',
  },
  vi: {
    subject: (name) => `Báo cáo: ${name}`,
    attached: (name, rows) => `Báo cáo “${name}” được đính kèm. Số dòng: ${rows}.`,
    too_large: (name, mib) =>
      `Báo cáo “${name}” lớn hơn ${mib} MiB nên không được đính kèm. Hãy mở danh sách và xuất dữ liệu tại đó.`,
    list: 'Danh sách',
    manage: 'Tạm dừng hoặc xóa báo cáo',
    why: 'Bạn nhận được email này vì bạn đã thiết lập báo cáo.',
  },
  'zh-cn': {
    subject: (name) => `报表：${name}`,
    attached: (name, rows) => `报表“${name}”见附件，共 ${rows} 行。`,
    too_large: (name, mib) => `报表“${name}”超过 ${mib} MiB，未附上。请打开列表并在其中导出。`,
    list: '列表',
    manage: '暂停或删除此报表',
    why: '您收到此邮件，是因为您设置了此报表。',
  },
}

/** Where a person's reports go. @throws `report_mail_off`, `report_no_address` */
export async function addressOf({ config, db }: Deps, user_kid: string): Promise<string> {
  if (config.smtp === null) refuse('report_mail_off')
  // An operator's own row is not in the account that is entered.
  const person = await db.selectFrom('user_account').select('email').where('kid', '=', user_kid).executeTakeFirst()
  return person?.email || refuse('report_no_address')
}

/** What the mail says; `rows` of a file that was too large is not known. */
export function mailOf(deps: Deps, { name, language, request }: Row, rows: number | undefined) {
  const { subject, attached, too_large, list, manage, why } = words[language]
  const page = pageList.find((each) => each.name === request.page)
  const search = new URLSearchParams(request.search).toString()
  const url = page && `${publicUrl(deps)}${page.path}${search && `?${search}`}`
  return {
    subject: subject(name),
    body: [
      rows === undefined ? too_large(name, reportLimits.attachment_bytes / 1024 ** 2) : attached(name, rows),
      '',
      ...(url ? [`${list}: ${url}`] : []),
      `${manage}: ${publicUrl(deps)}${pages.accountIndex.path}?part=reports`,
      '',
      why,
    ].join('\n'),
  }
}
