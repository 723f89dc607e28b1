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
  const initial = readAppAddress(search)
  // What takes something away from devices is looked at first.
  const is_content_chosen =
    initial.type === 'app_install' && initial.values.apps.length > 0 && !initial.values.may_downgrade
  return (
    <PushWizard
      key={search.toString()}
      title={textOf(pages.appCenterPush.title)}
      only={kinds}
      initial={initial}
      is_content_chosen={is_content_chosen}
      onCancel={() => void navigate(may_list ? link.appCenterList.to() : link.deviceList.to())}
    />
  )
}
