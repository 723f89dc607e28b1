export default function AddPushPage() {
  return null
}
