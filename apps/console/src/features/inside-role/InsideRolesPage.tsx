import { RolesPage } from '../../pickers/roles/RolesPage.tsx'

export default function InsideRolesPage() {
  return <RolesPage side="inside" />
}
