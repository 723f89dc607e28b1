import { SimpleAdd } from '../../screen/SimpleForm.tsx'
import { clientCode } from './resource.tsx'

export default function ClientCodeAddPage() {
  return <SimpleAdd of={clientCode} />
}
