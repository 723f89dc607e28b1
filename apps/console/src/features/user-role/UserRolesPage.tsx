import { RolesPage } from '../../shared/roles/RolesPage.tsx'

export default function UserRolesPage() {
  return <RolesPage side="account" />
}
