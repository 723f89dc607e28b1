import { RolesPage } from '../../shared/roles/RolesPage.tsx'

export default function InsideRolesPage() {
  return <RolesPage side="inside" />
}
