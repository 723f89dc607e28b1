import { RolesPage } from './RolesPage.tsx'

export default function UserRolesPage() {
  return <RolesPage side="account" />
}
