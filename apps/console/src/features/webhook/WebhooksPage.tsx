import { Webhooks } from './Webhooks.tsx'

export default function WebhooksPage() {
  return <Webhooks side="account" />
}
