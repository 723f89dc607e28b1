import { TemplateList } from './TemplateList.tsx'

/** Templates that the provider keeps for all customers. */
export default function OpsTemplatesPage() {
  return <TemplateList of="provider" />
}
