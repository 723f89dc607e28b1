import { RolesPage } from '../user-role/public.ts'

export default function InsideRolesPage() {
  return <RolesPage side="inside" />
}
