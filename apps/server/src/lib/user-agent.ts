export type UserAgent = {
  name: string | null
  version: string | null
  major_version: string | null
  os: string | null
}

/** Most particular first: every browser claims to be the ones below it. */
const browsers: [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/([\d.]+)/],
  ['Opera', /\b(?:OPR|Opera)\/([\d.]+)/],
  ['Samsung Internet', /\bSamsungBrowser\/([\d.]+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/([\d.]+)/],
  ['Safari', /\bVersion\/([\d.]+).*\bSafari\//],
  ['curl', /^curl\/([\d.]+)/],
]
const systems: [string, RegExp][] = [
  ['Windows', /\bWindows NT ([\d.]+)/],
  ['Android', /\bAndroid(?: ([\d.]+))?/],
  ['iOS', /\b(?:iPhone|iPad).*? OS ([\d_]+)/],
  ['macOS', /\bMac OS X ([\d_.]+)/],
  ['ChromeOS', /\bCrOS \S+ ([\d.]+)/],
  ['Linux', /\bLinux\b()/],
]

/** Browser and system of a User-Agent header, null where it does not say. */
export function parseUserAgent(header: string): UserAgent {
  const browser = firstOf(browsers, header)
  const system = firstOf(systems, header)
  return {
    name: browser?.name ?? null,
    version: browser?.version || null,
    major_version: browser?.version.split('.')[0] || null,
    os: system ? `${system.name} ${system.version.replaceAll('_', '.')}`.trim() : null,
  }
}

function firstOf(table: [string, RegExp][], header: string): { name: string; version: string } | undefined {
  for (const [name, pattern] of table) {
    const found = pattern.exec(header)
    if (found) return { name, version: found[1] ?? '' }
  }
  return undefined
}
