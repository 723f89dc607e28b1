export default function PushTasksPage() {
  return null
}
