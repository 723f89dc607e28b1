import { TemplateList } from './TemplateList.tsx'

/** Templates of the account, and those of the provider that it sees. */
export default function TemplatesPage() {
  return <TemplateList of="account" />
}
