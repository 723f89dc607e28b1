/** What a browser tells of itself, taken apart: a page is given no more than this. */
export type Facts = { model: string; os_name: string; os_version: string; browser: string }

export type Told = {
  user_agent: string
  /** Of a browser that answers by name; Chrome writes neither model nor version into the text above. */
  hints?:
    { model?: string | undefined; platform?: string | undefined; platform_version?: string | undefined } | undefined
  /** An iPad says that it is a Mac, which has no touch screen. */
  touch_points: number
}

const systems: [name: string, pattern: RegExp][] = [
  ['iOS', /(?:iPhone|iPad|iPod).*? OS ([\d_]+)/],
  ['Android', /Android ([\d.]+)/],
  ['Windows', /Windows NT ([\d.]+)/],
  ['macOS', /Mac OS X ([\d_.]+)/],
  ['Chrome OS', /CrOS \S+ ([\d.]+)/],
  ['Linux', /Linux()/],
]
/** The first that matches: each of these also says that it is the ones below it. */
const browsers: [name: string, pattern: RegExp][] = [
  ['Edge', /Edg(?:A|iOS)?\/([\d]+)/],
  ['Samsung Internet', /SamsungBrowser\/([\d]+)/],
  ['Opera', /OPR\/([\d]+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/([\d]+)/],
  ['Chrome', /(?:Chrome|CriOS)\/([\d]+)/],
  ['Safari', /Version\/([\d.]+).*Safari/],
]

const found = (list: typeof systems, text: string): { name: string; version: string } | undefined => {
  for (const [name, pattern] of list) {
    const match = pattern.exec(text)
    if (match) return { name, version: (match[1] ?? '').replaceAll('_', '.') }
  }
  return undefined
}

export function factsOf({ user_agent, hints = {}, touch_points }: Told): Facts {
  const told = found(systems, user_agent)
  const is_ipad = told?.name === 'macOS' && touch_points > 1
  const os_name = is_ipad ? 'iPadOS' : hints.platform || told?.name || 'Web'
  const os_version = is_ipad ? '' : hints.platform_version || told?.version || ''
  const browser = found(browsers, user_agent)
  const said = browser ? `${browser.name} ${browser.version}`.trim() : 'Browser'
  const apple = /iPhone|iPad|iPod/.exec(user_agent)?.[0]
  const model =
    hints.model || apple || (is_ipad ? 'iPad' : '') || /Android [\d.]+; ([^;)]+)/.exec(user_agent)?.[1] || said
  // Chrome says K for every model.
  const name = model === 'K' ? said : model
  const short = (text: string) => text.slice(0, 64)
  return { model: short(name), os_name: short(os_name), os_version: short(os_version), browser: short(said) }
}

type UserAgentData = {
  platform?: string
  getHighEntropyValues?(names: string[]): Promise<{ model?: string; platform?: string; platformVersion?: string }>
}

export async function readFacts(): Promise<Facts> {
  const data = (navigator as Navigator & { userAgentData?: UserAgentData }).userAgentData
  const values = await data?.getHighEntropyValues?.(['model', 'platformVersion']).catch(() => undefined)
  const hints = { model: values?.model, platform: data?.platform, platform_version: values?.platformVersion }
  return factsOf({ user_agent: navigator.userAgent, hints, touch_points: navigator.maxTouchPoints })
}
