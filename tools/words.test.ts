import {
  changeTexts,
  contract,
  errors,
  fieldFaults,
  languages,
  pageGroups,
  pageList,
  pushTexts,
  whereTexts,
} from '@mdm/contract'
import type { Call, Language, Text } from '@mdm/contract'
import { describe, expect, test } from 'vitest'
import { documents, read as readFile, sources } from './files.ts'

type Texts = { [key: string]: string | Texts }
const catalogue = /^apps\/console\/src\/(.+)\/texts\/(?:en|vi|zh-cn)\.ts$/
const files = await Promise.all(
  sources
    .filter((path) => catalogue.test(path))
    .map(async (path) => [path, (await import(`../${path}`)) as { texts: Texts }] as const),
)

const flat = (texts: Texts, at: string): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${at}.${key}`, value] as [string, string]] : flat(value, `${at}.${key}`),
  )
/** Every text that a person reads, by where it stands: the console's, and those of the contract and the menu. */
const read = (language: Language): Map<string, string> => {
  const screens = files.flatMap(([path, { texts }]) =>
    path.endsWith(`/${language}.ts`) ? flat(texts, catalogue.exec(path)![1]!) : [],
  )
  const said = (where: string, text: Text): [string, string] => [where, text[language]]
  const groups = Object.values(contract).flatMap(({ title, calls }) => [
    said(`group ${title.en}`, title),
    ...(Object.values(calls) as Call[]).map((call) => said(`call ${call.path}`, call.title)),
  ])
  return new Map([
    ...screens,
    ...groups,
    ...Object.entries(errors).map(([name, { message }]) => said(`error ${name}`, message)),
    ...Object.entries(changeTexts).map(([name, text]) => said(`change ${name}`, text)),
    ...Object.entries(pushTexts).map(([name, text]) => said(`push ${name}`, text)),
    ...Object.entries(whereTexts).map(([name, text]) => said(`condition ${name}`, text)),
    ...Object.entries(fieldFaults).map(([name, text]) => said(`fault ${name}`, text)),
    ...pageGroups.map((group) => said(`group of pages ${group.code}`, group.title)),
    ...pageList.map((page) => said(`page ${page.name}`, page.title)),
    ...pageList.flatMap((page) => page.operations.map((each) => said(`page ${each.code}`, each.title))),
  ])
}
const all = { en: read('en'), vi: read('vi'), 'zh-cn': read('zh-cn') } satisfies Record<Language, Map<string, string>>

/** One word for one thing. Left: never said. Right: what is said for it. */
const never: Record<Language, [RegExp, string][]> = {
  en: [
    [/\bcancel\w* (?:\{\{count\}\} |this |the )?devices?\b|\bdevices? cancel/i, 'deregister'],
    [/external users?/i, 'customers'],
    [/\bsheets?\b/i, 'spreadsheet'],
    [/present password|password once more/i, 'current password, confirm password'],
    [/\bas delivered/i, 'default'],
    [/app in front/i, 'foreground app'],
    [/running work/i, 'background tasks'],
    [/map pictures?/i, 'map tiles'],
    [/cancell/i, 'canceled'],
    [/organis|recognis|authoris|customis|synchronis|initialis|summaris/i, '-ize'],
    [/\bemail/i, 'e-mail'],
    [/screen captures?/i, 'screenshot'],
    [/\bcentre/i, 'center'],
  ],
  vi: [
    [/người dùng ngoài/i, 'khách hàng'],
    [/công việc đang chạy/i, 'tác vụ nền'],
    [/e-mail/i, 'email'],
    [/trung tâm ứng dụng/i, 'kho ứng dụng'],
    [/tác nhân|ứng dụng quản lý/i, 'phần mềm quản lý'],
    [/liên lạc lần cuối/i, 'liên lạc cuối'],
    [/đăng nhập hai bước/i, 'xác thực hai bước'],
  ],
  'zh-cn': [
    [/外部用户/, '客户'],
    [/短信|讯息/, '消息'],
    [/电子邮件|电邮/, '邮箱'],
    [/提供商/, '服务商'],
    [/机型/, '型号'],
    [/设备别名/, '别名'],
    [/最近联系/, '最近通信'],
    [/描述/, '说明'],
    [/管理应用|代理程序|设备代理/, '管理程序'],
    [/分步推出/, '分步推送'],
    [/两步登录/, '两步验证'],
  ],
}
/** Where the English text says it, so do the others, in their one word. */
const same: [english: RegExp, vi: RegExp, zh: RegExp][] = [
  [/\bderegister/i, /hủy đăng ký/i, /注销/],
  [/\bspreadsheet/i, /bảng tính/i, /表格/],
  [/^(?:send a |push a |push |new )?messages?$/i, /tin nhắn|nội dung kết quả/i, /消息/],
  [/\bbackground tasks\b/i, /tác vụ nền/i, /后台任务/],
  [/\bforeground app\b/i, /ứng dụng đang hiển thị/i, /前台应用/],
  [/^customers$/i, /^khách hàng$/i, /^客户$/],
  [/^current password$/i, /^mật khẩu hiện tại$/i, /^当前密码$/],
  [/^confirm password$/i, /^xác nhận mật khẩu$/i, /^确认密码$/],
  [/^uptime$/i, /^thời gian hoạt động$/i, /^运行时长$/],
  [/^alias$/i, /^tên gợi nhớ$/i, /^别名$/],
  [/^app center$/i, /^kho ứng dụng$/i, /^应用中心$/],
  [/^all devices$/i, /^tất cả thiết bị$/i, /^全部设备$/],
  [/^last contact$/i, /^liên lạc cuối$/i, /^最近通信$/],
  [/^last use$/i, /^lần dùng gần nhất$/i, /^(最近使用|上次使用)/],
  [/^system version$/i, /^phiên bản hệ điều hành$/i, /^系统版本$/],
  [/^version code$/i, /^mã phiên bản$/i, /^版本代码$/],
  [/^description$/i, /^mô tả$/i, /^说明$/],
  [/^download$/i, /^tải xuống$/i, /^下载$/],
  [/^failed$/i, /thất bại/i, /失败/],
  [/(?<!\.)\bagents?\b/i, /phần mềm quản lý/i, /管理程序/],
  [/\b(?:the|your) provider\b/i, /nhà cung cấp/i, /服务商/],
]

/** What programmers read, without what stands there as code. */
const prose = (): Map<string, string> => {
  const found = new Map(
    documents
      .filter((path) => path.endsWith('.md'))
      .map((path) => [path, readFile(path).replaceAll(/```[\s\S]*?```|`[^`]*`/g, '')]),
  )
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value)) {
      if (['description', 'summary'].includes(key) && typeof part === 'string') found.set(`${at}/${key}`, part)
      else walk(part, `${at}/${key}`)
    }
  }
  for (const path of documents.filter((each) => each.endsWith('.json'))) walk(JSON.parse(readFile(path)), path)
  return found
}
const of_prose = new Set(['deregister', 'customers', 'canceled', '-ize', 'e-mail'])

describe('one thing has one word', () => {
  test('in the documents and the description of the API', () => {
    const rules = never.en.filter(([, say]) => of_prose.has(say))
    const found = [...prose()].flatMap(([where, text]) =>
      rules.flatMap(([word, say]) => {
        const said = word.exec(text)
        return said ? [`${where}: '${said[0]}', say: ${say}`] : []
      }),
    )
    expect(found).toEqual([])
  })

  test.each(languages)('in %s', (language) => {
    const found = [...all[language]].flatMap(([where, text]) =>
      never[language].flatMap(([word, say]) => (word.test(text) ? [`${where}: '${text}', say: ${say}`] : [])),
    )
    expect(found).toEqual([])
  })

  test('in every language where the English text has it', () => {
    const found = [...all.en].flatMap(([where, text]) =>
      same.flatMap(([english, vi, zh]) => {
        if (!english.test(text)) return []
        return (['vi', 'zh-cn'] as const).flatMap((language) => {
          // English has a form for one that the others do not have.
          const other = all[language].get(where) ?? all[language].get(where.replace(/_(one|zero)$/, '_other'))
          const word = language === 'vi' ? vi : zh
          return other !== undefined && !word.test(other) ? [`${where}: '${text}' is '${other}' in ${language}`] : []
        })
      }),
    )
    expect(found).toEqual([])
  })
})
