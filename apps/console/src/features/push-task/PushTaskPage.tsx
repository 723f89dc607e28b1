export default function PushTaskPage() {
  return null
}
