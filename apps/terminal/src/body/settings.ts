import type { SectionOutcome } from '@mdm/agent/body/body.ts'
import type { Store } from '@mdm/agent/store.ts'
import * as z from 'zod'
import { noSettings } from '../view.ts'
import type { OpenView, Settings } from '../view.ts'

/** The page itself, as an app: what a kiosk shows, and whose settings have a start page. */
export const own_package = 'mdm.terminal'
export const obeyed = ['device_name', 'language', 'kiosk', 'managed_apps'] as const

const document = 'settings'
const Kept = z.object({
  name: z.string(),
  language: z.string(),
  is_kiosk: z.boolean(),
  start_page: z.string(),
  exit_password: z.string(),
})
/** Of device_name: what of `option` asks for which name. */
const names = { custom: 0, device_model: 1, device_sn: 2 } as const
const DeviceName = z.object({ option: z.number(), custom: z.string().optional() })
const Language = z.object({ locale: z.string() })
const Kiosk = z.object({
  mode: z.enum(['off', 'one_app', 'several_apps']),
  apps: z.array(z.string()).default([]),
  exit_password: z.string().default(''),
})
const ManagedApps = z.object({
  entries: z.array(z.object({ package: z.string(), key: z.string(), value: z.string() })).default([]),
})

/** An address that a page may show inside of itself. */
function startPage(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, href } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}

const applied: SectionOutcome = { outcome: 'applied' }

/** The part of a configuration that a page can obey. What it cannot it says, section by section. */
export function settingsAfter(
  section: string,
  value: unknown,
  { model, sn }: { model: string; sn: string },
): { outcome: SectionOutcome; settings?: Partial<Settings> } {
  if (section === 'device_name') {
    const { option, custom = '' } = DeviceName.parse(value)
    const given = { [names.custom]: custom, [names.device_model]: model, [names.device_sn]: sn }[option]
    return { outcome: applied, settings: { name: given ?? '' } }
  }
  if (section === 'language') return { outcome: applied, settings: { language: Language.parse(value).locale } }
  if (section === 'kiosk') {
    const { mode, apps, exit_password } = Kiosk.parse(value)
    if (mode !== 'off' && !apps.includes(own_package)) {
      const message = `A page in a browser can show itself alone, as ${own_package}`
      return { outcome: { outcome: 'not_supported', reason: 'no_hardware', message } }
    }
    return { outcome: applied, settings: { is_kiosk: mode !== 'off', exit_password } }
  }
  if (section === 'managed_apps') {
    const entries = ManagedApps.parse(value).entries.filter((entry) => entry.package === own_package)
    const given = entries.find(({ key }) => key === 'start_page')?.value ?? ''
    const start_page = given === '' ? '' : startPage(given)
    if (start_page !== undefined) return { outcome: applied, settings: { start_page } }
    return { outcome: { outcome: 'failed', reason: 'out_of_range', message: 'start_page is no http or https address' } }
  }
  return { outcome: { outcome: 'not_supported', reason: 'unknown_section' } }
}

export async function openSettings({ store, view }: { store: Store; view: OpenView }) {
  view.set({ settings: Kept.safeParse(await store.read(document)).data ?? noSettings })
  return {
    async configure(section: string, value: unknown): Promise<SectionOutcome> {
      const { sn, model, settings } = view.now
      const { outcome, settings: changed } = settingsAfter(section, value, { sn, model })
      if (changed) {
        view.set({ settings: { ...settings, ...changed } })
        await store.write(document, view.now.settings)
      }
      return outcome
    },
  }
}
