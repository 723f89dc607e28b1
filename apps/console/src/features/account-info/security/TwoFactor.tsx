import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Out } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import type { Info } from '../AccountInfoPage.tsx'
import { Part } from '../Part.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { TwoFactorSetUp } from './TwoFactorSetUp.tsx'

const few = 3

export function TwoFactor({ info }: { info: Info }) {
  const { t } = useTranslation(['account-info', 'common'])
  const ask = useQuestion((s) => s.ask)
  const [begun, setBegun] = useState<Out<typeof api.account.totp_begin> | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const begin = useWrite(api.account.totp_begin, { onSuccess: setBegun })
  const disable = useWrite(api.account.totp_disable, { done: t('totp.disabled') })
  const { has_totp, recovery_codes_left: left } = info
  const askToDisable = async () => {
    const question = {
      title: t('totp.disable_ask'),
      text: t('totp.disable_text'),
      yes: t('totp.disable'),
      no: t('common:cancel'),
      is_danger: true,
    }
    if (await ask(question)) await disable.run({})
  }
  return (
    <Part
      title={t('totp.title')}
      hint={t('totp.hint')}
      state={<StateBadge tone={has_totp ? 'good' : 'quiet'}>{t(has_totp ? 'totp.on' : 'totp.off')}</StateBadge>}
      actions={
        has_totp ? (
          <Button loading={disable.isPending} onClick={() => void askToDisable()}>
            {t('totp.disable')}
          </Button>
        ) : (
          <Button type="primary" loading={begin.isPending} onClick={() => void begin.run({})}>
            {t('totp.set_up')}
          </Button>
        )
      }
    >
      {has_totp && (
        <p className="own-note" data-tone={left <= few ? 'warn' : undefined}>
          {t('totp.left', { count: left })} {left <= few && t('totp.left_few')}
        </p>
      )}
      {begun && (
        <TwoFactorSetUp
          begun={begun}
          onCodes={(given) => {
            setBegun(null)
            setCodes(given)
          }}
          onClose={() => setBegun(null)}
        />
      )}
      {codes && <RecoveryCodes codes={codes} username={info.username} onClose={() => setCodes(null)} />}
    </Part>
  )
}
