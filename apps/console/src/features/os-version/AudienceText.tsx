import { useTranslation } from 'react-i18next'
import type { OsVersionDetail } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { OrDash } from '../../ui/value/values.tsx'

/** For whom a version is, in words. */
export function AudienceText({ version: { audience, account_names } }: { version: OsVersionDetail }) {
  const { t } = useTranslation('os-version')
  if (!audience) return <OrDash>{null}</OrDash>
  if (audience.is_for_all) return <>{t('release.all')}</>
  const partly = new Set(
    audience.accounts.filter(({ terminal_group_kids }) => terminal_group_kids).map(({ account_kid }) => account_kid),
  )
  return (
    <>
      {listText(
        account_names.map(({ account_kid, name }) =>
          partly.has(account_kid) ? t('release.some_groups', { name }) : name,
        ),
      )}
    </>
  )
}
