import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { PushWizard } from './wizard/PushWizard.tsx'

/** A push that has not begun, changed in the form in which it was made. */
export default function EditPushPage() {
  const textOf = useTextOf()
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  return (
    <PushWizard
      key={kid}
      title={textOf(pages.pushTaskEdit.title)}
      initial={{ edit: kid }}
      onCancel={() => void navigate(link.pushTaskDetail.to({ kid }))}
    />
  )
}
