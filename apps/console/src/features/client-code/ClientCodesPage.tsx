import { SimpleList } from '../../screen/SimpleList.tsx'
import { clientCode } from './resource.tsx'

export default function ClientCodesPage() {
  return <SimpleList of={clientCode} />
}
