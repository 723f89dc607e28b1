import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { readAddress } from './wizard/address.ts'
import { PushWizard } from './wizard/PushWizard.tsx'

/** A new push of any kind; its address says what is known of it already (`wizardAddress`). */
export default function AddPushPage() {
  const textOf = useTextOf()
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const may_list = useMay('pushTaskList')
  return (
    <PushWizard
      key={search.toString()}
      title={textOf(pages.pushTaskAdd.title)}
      initial={readAddress(search)}
      onCancel={() => void navigate(may_list ? link.pushTaskList.to() : link.deviceList.to())}
    />
  )
}
