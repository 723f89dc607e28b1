import { Webhooks } from './Webhooks.tsx'

export default function OpsWebhooksPage() {
  return <Webhooks side="ops" />
}
