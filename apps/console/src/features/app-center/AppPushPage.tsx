import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { PushWizard, readAppAddress } from '../push-task/public.ts'

const kinds = ['app_install', 'app_uninstall'] as const

/** Apps to devices, or away from them; its address says what is known already (`appPushAddress`). */
export default function AppPushPage() {
  const textOf = useTextOf()
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const may_list = useMay('appCenterList')
  return (
    <PushWizard
      key={search.toString()}
      title={textOf(pages.appCenterPush.title)}
      only={kinds}
      initial={readAppAddress(search)}
      onCancel={() => void navigate(may_list ? link.appCenterList.to() : link.deviceList.to())}
    />
  )
}
