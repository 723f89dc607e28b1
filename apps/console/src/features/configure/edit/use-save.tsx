import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import { api, send, useWrite } from '../../../core/api.ts'
import type { CallFailed } from '../../../core/call-failed.ts'
import type { ConfigPlace } from '../config-place.ts'
import { useSaid } from '../use-said.ts'
import { useWouldChange } from './use-would-change.tsx'

/**
 * Saves one section at a level. Where others inherit from it, the person first sees which devices would change, how many, and
 * may have it go out in steps.
 * @throws CallFailed, and NotNow when the person decided against it
 */
export function useSave(place: ConfigPlace, section: ConfigSection) {
  const { t } = useTranslation(['configure', 'configure/edit', 'common'])
  const of_account = useWrite(api.terminalConfig.save, { done: useSaid(t('saved')), also: ['terminal', 'get'] })
  const of_platform = useWrite(api.opsTerminalConfig.save, { done: t('saved') })
  const is_platform = place.ltscope === ltscopes.platform
  const save = is_platform ? of_platform : of_account
  const { ask, dialog } = useWouldChange({ may_step: !is_platform })
  async function run(value: unknown): Promise<void> {
    const given = { [section]: value }
    if (is_platform) {
      await ask(send(api.opsTerminalConfig.affected, given as never))
      await of_platform.mutateAsync(given as never)
      return
    }
    const is_alone = place.ltscope === ltscopes.terminal
    const wanted = is_alone ? {} : await ask(send(api.terminalConfig.affected, { ...place, ...given } as never))
    await of_account.mutateAsync({ ...place, ...given, ...wanted } as never)
  }
  return {
    run,
    /** What the person is asked before the save; it stands beside the form. */
    dialog,
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
