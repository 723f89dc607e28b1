import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import { api, send, useWrite } from '../../../core/api.ts'
import type { CallFailed } from '../../../core/call-failed.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import type { ConfigPlace } from '../config-place.ts'

/** Thrown where the person looked at what would change and said no: the form stays as it is. */
class NotNow extends Error {}

/**
 * Saves one section at a level. Where others inherit from it, the person first sees which devices would change, and how many.
 * @throws CallFailed, and NotNow when the person decided against it
 */
export function useSave(place: ConfigPlace, section: ConfigSection) {
  const { t } = useTranslation(['device-config', 'device-config/edit', 'common'])
  const of_account = useWrite(api.terminalConfig.save, { done: t('saved'), also: ['terminal', 'get'] })
  const of_platform = useWrite(api.opsTerminalConfig.save, { done: t('saved') })
  const is_platform = place.ltscope === ltscopes.platform
  const save = is_platform ? of_platform : of_account
  async function run(value: unknown): Promise<void> {
    const given = { [section]: value }
    if (is_platform) {
      await of_platform.mutateAsync(given as never)
      return
    }
    if (place.ltscope !== ltscopes.terminal && !(await isWanted(given))) throw new NotNow()
    await of_account.mutateAsync({ ...place, ...given } as never)
  }
  async function isWanted(given: Record<string, unknown>): Promise<boolean> {
    // What is wrong with the input is said by the save itself, at its fields.
    const would = await send(api.terminalConfig.affected, { ...place, ...given } as never).catch(() => undefined)
    if (!would || would.devices === 0) return true
    const some = would.items.slice(0, 10).map(({ sn }) => sn)
    const more = would.devices - some.length
    return useQuestion.getState().ask({
      title: t('device-config/edit:affected.title', { count: would.devices }),
      text: [some.join(', '), more > 0 ? t('device-config/edit:affected.more', { count: more }) : '']
        .filter(Boolean)
        .join(' '),
      yes: t('save'),
    })
  }
  return {
    run,
    isPending: save.isPending,
    error: useMemo(() => withoutSection(save.error, section), [save.error, section]),
  }
}

/** The form's fields are those of the section; the server names the section first. */
function withoutSection(error: CallFailed | null, section: ConfigSection): CallFailed | null {
  if (!error) return null
  const fields = Object.fromEntries(
    Object.entries(error.fields).map(([path, text]) => [path.replace(`${section}.`, ''), text]),
  )
  return Object.assign(Object.create(Object.getPrototypeOf(error) as object) as CallFailed, error, {
    fields,
    message: error.message,
  })
}
