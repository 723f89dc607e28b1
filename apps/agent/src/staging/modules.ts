import type { Staging, StagingContent } from '@mdm/device-link'

type Entries = StagingContent[string]
type Entry = Entries[number]

const textOf = (entry: Entry, name: string): string => (entry[name] === undefined ? '' : String(entry[name]))

/** The network of an entry as section `wifi_profiles` has it. Without a security there is one exactly where there is a password. */
function networkOf(entry: Entry) {
  const password = textOf(entry, 'password')
  const proxy_host = textOf(entry, 'proxy_host')
  return {
    ssid: textOf(entry, 'ssid'),
    security: textOf(entry, 'security') || (password === '' ? 'open' : 'wpa2'),
    password,
    eap_method: textOf(entry, 'eap_method') || 'peap',
    identity: textOf(entry, 'identity'),
    ca_certificate: textOf(entry, 'ca_certificate'),
    is_hidden: entry['is_hidden'] === true,
    proxy_host,
    proxy_port: proxy_host !== '' && typeof entry['proxy_port'] === 'number' ? entry['proxy_port'] : null,
  }
}

/** Modules that are sections of a configuration as well, which bodies know how to apply. */
const sections: Record<string, (entries: Entries) => { section: string; value: unknown }> = {
  wifi: (entries) => ({ section: 'wifi_profiles', value: { networks: entries.map(networkOf) } }),
}

type Said = Pick<Staging, 'name' | 'type' | 'version' | 'content'>
export type SectionOfModules = { section: string; value: unknown; modules: string[] }

/** Modules as sections, which bodies know; those that have no section of their own go together as `istage`. */
export function sectionsOf({ content, ...said }: Said): SectionOfModules[] {
  const names = Object.keys(content)
  const own = names.filter((module) => Object.hasOwn(sections, module))
  const others = names.filter((module) => !own.includes(module))
  const private_content = JSON.stringify(Object.fromEntries(others.map((module) => [module, content[module]])))
  return [
    ...own.map((module) => ({ ...sections[module]!(content[module]!), modules: [module] })),
    ...(others.length > 0 ? [{ section: 'istage', value: { ...said, private_content }, modules: others }] : []),
  ]
}

/** What a device may do before it knows who wrote a staging link: join a network. */
export const leadsToServer = (module: string): boolean => module === 'wifi'
