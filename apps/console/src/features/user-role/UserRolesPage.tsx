import { RolesPage } from '../../pickers/roles/RolesPage.tsx'

export default function UserRolesPage() {
  return <RolesPage side="account" />
}
