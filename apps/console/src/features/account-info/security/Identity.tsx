import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import type { Info } from '../AccountInfoPage.tsx'
import { Part } from '../Part.tsx'

/** The identity at the organisation's own sign-in, where there is one. */
export function Identity({ info }: { info: Info }) {
  const { t } = useTranslation(['account-info', 'common'])
  const ask = useQuestion((s) => s.ask)
  const provider = useCall(api.login.options, {}).data?.oidc
  const unlink = useWrite(api.account.oidc_unlink, { done: t('identity.unlinked') })
  const link = useWrite(api.account.oidc_link, { done: t('identity.link_done') })
  const [said] = useState(() => new URLSearchParams(location.hash.slice(1)))
  useEffect(() => {
    const link_token = said.get('link_token')
    // Neither the history nor a copied address may hold what links.
    if (location.hash) history.replaceState(history.state, '', location.pathname + location.search)
    said.delete('link_token')
    if (link_token) void link.run({ link_token })
  })
  if (!provider && !info.has_oidc) return null
  const name = provider?.name ?? t('identity.provider')
  const askToUnlink = async () => {
    const question = {
      title: t('identity.ask'),
      text: t('identity.ask_text', { name }),
      yes: t('identity.unlink'),
      no: t('common:cancel'),
      is_danger: true,
    }
    if (await ask(question)) await unlink.run({})
  }
  return (
    <Part
      title={name}
      hint={t(hintOf(info.has_oidc, said.has('oidc_error')), { name })}
      state={
        <StateBadge tone={info.has_oidc ? 'good' : 'quiet'}>
          {t(info.has_oidc ? 'identity.linked' : 'identity.none')}
        </StateBadge>
      }
      actions={
        info.has_oidc ? (
          <Button loading={unlink.isPending} onClick={() => void askToUnlink()}>
            {t('identity.unlink')}
          </Button>
        ) : (
          provider && (
            <Button loading={link.isPending} href={`${provider.url}?link=1`}>
              {t('identity.link')}
            </Button>
          )
        )
      }
    />
  )
}

function hintOf(is_linked: boolean, has_failed: boolean) {
  if (is_linked) return 'identity.linked_hint'
  return has_failed ? 'identity.link_failed' : 'identity.none_hint'
}
