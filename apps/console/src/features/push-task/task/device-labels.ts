import { isFinal } from '@mdm/contract'
import type { PushPhase, PushTaskTerminal } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import { texts as english } from './texts/en.ts'
import { useMoment } from './moment.ts'

type Hint = keyof (typeof english)['hint']
const isHinted = (code: string): code is Hint => Object.hasOwn(english.hint, code)

/** What a device of a push waits for, and what can be done about why it failed. */
export function useDeviceLabels(phase?: PushPhase) {
  const { t } = useTranslation('push-task/task')
  const moment = useMoment()
  const waits = (row: PushTaskTerminal): string | undefined => {
    if (isFinal(row.state)) return undefined
    if (row.is_held) {
      if (phase === 'paused' || row.step === null) return t('waits.paused')
      return t('waits.step', { step: row.step })
    }
    const { waits: said } = row
    if (!said) return row.state === 'wait_receipt' && !row.is_online ? t('waits.online') : undefined
    const at = said.until && moment(said.until)
    if (said.for === 'download_prompt' || said.for === 'install_prompt') {
      if (!said.put_off) return t(`waits.${said.for}`)
      const times = { times: said.put_off, max: said.put_off_max ?? said.put_off }
      return at ? t('waits.put_off_until', { ...times, at }) : t('waits.put_off', times)
    }
    if (said.for === 'network' || said.for === 'battery') return t(`waits.${said.for}`)
    return at ? t(`waits.${said.for}_until`, { at }) : t(`waits.${said.for}`)
  }
  const hint = ({ state, code }: Pick<PushTaskTerminal, 'state' | 'code'>): string | undefined =>
    state === 'failed' && code !== null && isHinted(code) ? t(`hint.${code}`) : undefined
  return { waits, hint }
}
