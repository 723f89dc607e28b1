import { SimpleEdit } from '../../screen/SimpleForm.tsx'
import { clientCode } from './resource.tsx'

export default function ClientCodeEditPage() {
  return <SimpleEdit of={clientCode} />
}
